(** The rule of induction over heads, for any machine: partial correctness, termination, and equal traces of executions
    that differ in secrets only. docs/CHECKER.md has the same proof in words. *)

From Coq Require Import Arith List Lia.
Import ListNotations.

(** ** Every execution that returns meets the postcondition, and every execution ends *)
Section Rule.

Variable State : Type.
(** One instruction. [start] is the state at the entry. *)
Variable step : State -> State -> Prop.
Variable start : State.
(** True at the place of a head, and behind a return, where nothing is executed. *)
Variables at_head returned : State -> bool.
Hypothesis return_ends : forall s t, returned s = true -> ~ step s t.
Hypothesis entry_runs : returned start = false.

Variable Head : Type.
(** The statement of a head: there are natural numbers such that the state is as the certificate says. *)
Variable states : Head -> State -> Prop.
Variable post : State -> Prop.

Definition ends s := orb (at_head s) (returned s).

(** [inside a n s]: [s] is [n] instructions behind [a], and no state behind [a] up to [s] ends the path. *)
Inductive inside (a : State) : nat -> State -> Prop :=
| inside_here : inside a 0 a
| inside_more n s t : inside a n s -> step s t -> ends t = false -> inside a (S n) t.

(** A path of the checker: at least one instruction, up to the first state that ends it. *)
Definition piece a t := exists n s, inside a n s /\ step s t /\ ends t = true.

Definition source a := a = start \/ exists h, states h a.

Definition kept t :=
  (returned t = true -> post t) /\ (returned t = false -> exists h, states h t).

Inductive reaches : State -> Prop :=
| reaches_start : reaches start
| reaches_step s t : reaches s -> step s t -> reaches t.

Section Partial.

(** What the checker verifies of the paths from the entry and from each head. *)
Hypothesis entry_kept : forall t, piece start t -> kept t.
Hypothesis heads_kept : forall h a t, states h a -> piece a t -> kept t.

Lemma source_kept a t : source a -> piece a t -> kept t.
Proof. intros [-> | [h H]] P; eauto. Qed.

Lemma reached s :
  reaches s -> (returned s = true /\ post s) \/ exists a n, source a /\ inside a n s.
Proof.
  induction 1 as [| s t _ IH Now].
  - right; exists start, 0; split; [left; reflexivity | constructor].
  - destruct IH as [[R _] | (a & n & A & I)]; [exfalso; exact (return_ends _ _ R Now) |].
    destruct (ends t) eqn:E.
    + assert (P : piece a t) by (exists n, s; auto).
      destruct (source_kept _ _ A P) as [Ret Hd].
      destruct (returned t) eqn:R; [left; auto |].
      right; exists t, 0; split; [right; auto | constructor].
    + right; exists a, (S n); split; [exact A | econstructor; eauto].
Qed.

Theorem correct s : reaches s -> returned s = true -> post s.
Proof.
  intros H R; destruct (reached s H) as [[_ P] | (a & n & A & I)]; [exact P |].
  (* A state inside of a path has not returned: it is the start, a head's state that runs, or does not end the path. *)
  inversion I; subst.
  - destruct A as [-> | [h Hh]]; [congruence |].
    (* A statement of a head about a state that has returned is of no path: it was established by a piece. *)
    revert R; clear I. revert H. intros H R.
    destruct H as [| s' t Hs Now]; [congruence |].
    destruct (reached s' Hs) as [[R' _] | (a' & n' & A' & I')]; [exfalso; exact (return_ends _ _ R' Now) |].
    assert (P : piece a' t) by (exists n', s'; repeat split; auto; unfold ends; rewrite R; apply Bool.orb_true_r).
    exact (proj1 (source_kept _ _ A' P) R).
  - unfold ends in *. match goal with E : orb _ _ = false |- _ => apply Bool.orb_false_iff in E; destruct E; congruence end.
Qed.

End Partial.

Section Total.

(** Bytes of output that are done, and those of the text. *)
Variable done : State -> nat.
Variable length : nat.
(** [idle h g]: the certificate has a path from [h] to [g] on which nothing is stored. *)
Variable idle : Head -> Head -> Prop.

Hypothesis entry_arrives :
  forall t, piece start t -> returned t = false -> exists h, states h t /\ done t <= length.
Hypothesis heads_arrive :
  forall h a t, states h a -> done a <= length -> piece a t -> returned t = false ->
  exists g, states g t /\ done t <= length /\ (done a < done t \/ (done t = done a /\ idle h g)).
(** The execution of each path ended, so that the paths from a head have a greatest length. *)
Variable longest : nat.
Hypothesis entry_short : forall n s, inside start n s -> n <= longest.
Hypothesis heads_short : forall h a n s, states h a -> inside a n s -> n <= longest.
(** No circle of idle paths. *)
Hypothesis no_circle : forall h, Acc (fun g h => idle h g) h.

Definition ended s := Acc (fun t s => step s t) s.

Lemma returned_ended s : returned s = true -> ended s.
Proof. intros R; constructor; intros t Now; exfalso; exact (return_ends _ _ R Now). Qed.

(** If all ends of the paths from [a] are followed by finitely many instructions, so is [a]. *)
Lemma inside_ended a :
  (forall n s, inside a n s -> n <= longest) ->
  (forall t, piece a t -> ended t) ->
  forall k n s, longest - n = k -> inside a n s -> ended s.
Proof.
  intros Short Ends k; induction k as [k IH] using lt_wf_ind; intros n s K I.
  constructor; intros t Now. destruct (ends t) eqn:E.
  - apply Ends; exists n, s; auto.
  - assert (I' : inside a (S n) t) by (econstructor; eauto).
    pose proof (Short _ _ I'). eapply (IH (longest - S n)); [lia | reflexivity | exact I'].
Qed.

Lemma head_ended : forall m h, forall a, length - done a = m -> states h a -> done a <= length -> ended a.
Proof.
  intros m; induction m as [m IHm] using lt_wf_ind.
  intros h; induction (no_circle h) as [h _ IHh].
  intros a M Sh L.
  apply (inside_ended a (fun n s => heads_short h a n s Sh)) with (k := longest - 0) (n := 0); [| reflexivity | constructor].
  intros t P. destruct (returned t) eqn:R; [apply returned_ended; exact R |].
  destruct (heads_arrive h a t Sh L P R) as (g & Sg & L' & [Less | [Same Idle]]).
  - eapply (IHm (length - done t)); [lia | reflexivity | exact Sg | exact L'].
  - eapply (IHh g Idle); [lia | exact Sg | exact L'].
Qed.

(** Every execution ends: no infinite sequence of instructions begins at the entry. *)
Theorem terminates : ended start.
Proof.
  apply (inside_ended start entry_short) with (k := longest - 0) (n := 0); [| reflexivity | constructor].
  intros t P. destruct (returned t) eqn:R; [apply returned_ended; exact R |].
  destruct (entry_arrives t P R) as (h & Sh & L).
  eapply head_ended; [reflexivity | exact Sh | exact L].
Qed.

End Total.

End Rule.

(** ** The search for circles of idle paths

    The checker removes a head all of whose idle successors have been removed, until none is left. *)
Section Circles.

Variable Head : Type.
Variable idle : Head -> Head -> Prop.

Inductive removed : list Head -> Prop :=
| removed_none : removed []
| removed_one before h : removed before -> (forall g, idle h g -> In g before) -> removed (h :: before).

Theorem all_removed_no_circle order :
  removed order -> (forall h, In h order) -> forall h, Acc (fun g h => idle h g) h.
Proof.
  intros R All.
  assert (H : forall l, removed l -> forall h, In h l -> Acc (fun g h => idle h g) h).
  { induction 1 as [| before h Rb IH Ih]; simpl; [tauto |].
    intros x [<- | Hx]; [| auto].
    constructor; intros g Ig; auto. }
  intros h; exact (H order R h (All h)).
Qed.

End Circles.

(** ** Equal public inputs, equal traces

    Two executions of one function. [sees] is all that an instruction shows: its place, its branch, its addresses. *)
Section Lockstep.

Variable State Seen : Type.
Variable next : State -> State.
Variable sees : State -> Seen.
Variable ends : State -> bool.
(** The statement of one head holds for both with the same values of variables and of public terms. *)
Variable alike : State -> State -> Prop.

Fixpoint after n s := match n with 0 => s | S n => next (after n s) end.

Definition open a n := forall k, 0 < k <= n -> ends (after k a) = false.

(** A term without secret atoms has one value in both, so that along a path all that is seen is the same, and both end
    it together. *)
Hypothesis path_alike : forall a b n, alike a b -> open a n -> sees (after n a) = sees (after n b).
Hypothesis end_alike : forall a b n, alike a b -> open a n -> ends (after (S n) a) = true ->
  alike (after (S n) a) (after (S n) b).

Lemma after_plus m n s : after (m + n) s = after m (after n s).
Proof. induction m; simpl; congruence. Qed.

Lemma open_or a n : open a n \/ exists k, k < n /\ open a k /\ ends (after (S k) a) = true.
Proof.
  induction n as [| n [O | (k & K & O & E)]].
  - left; intros k; lia.
  - destruct (ends (after (S n) a)) eqn:E; [right; exists n; auto |].
    left; intros k K. destruct (Nat.eq_dec k (S n)) as [-> |]; [exact E | apply O; lia].
  - right; exists k; repeat split; auto.
Qed.

Theorem equal_traces : forall n a b, alike a b -> sees (after n a) = sees (after n b).
Proof.
  intros n; induction n as [n IH] using lt_wf_ind; intros a b A.
  destruct (open_or a n) as [O | (k & K & O & E)]; [apply path_alike; auto |].
  replace n with ((n - S k) + S k) by lia. rewrite !after_plus.
  apply IH; [lia | apply end_alike; auto].
Qed.

End Lockstep.

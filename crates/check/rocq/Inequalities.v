(** Inequalities between integers: crates/check/src/linear.rs, [Facts]. *)

From Coq Require Import ZArith List Lia.
From Aesmith Require Import Words.
Import ListNotations.
Open Scope Z_scope.

(** All atoms are at least 0. *)
Definition natural (v : atom -> Z) := forall a, 0 <= v a.

(** [is_plainly_at_least]. *)
Definition plain f := 0 <= constant f /\ Forall (fun t => 0 < snd t) (terms f).

Lemma total_sign v l : natural v ->
  (Forall (fun t : atom * Z => 0 <= snd t) l -> 0 <= total v l) /\ (Forall (fun t : atom * Z => snd t <= 0) l -> total v l <= 0).
Proof.
  intros N. induction l as [| [a c] l [IH IH']]; simpl; [lia |]. pose proof (N a).
  split; intros F; inversion F; subst; simpl in *; [specialize (IH H3) | specialize (IH' H3)]; nia.
Qed.

Theorem plain_holds v f : natural v -> plain f -> 0 <= value v f.
Proof.
  intros N [C F]. unfold value. enough (0 <= total v (terms f)) by lia.
  apply (total_sign v (terms f) N). eapply Forall_impl; [| exact F]. simpl; lia.
Qed.

(** ** Tightening: atoms are integers, so a common divisor of the coefficients may round the constant down. *)

Definition scaled d (l : list (atom * Z)) := map (fun t => (fst t, d * snd t)) l.

Lemma total_scaled v d l : total v (scaled d l) = d * total v l.
Proof. induction l as [| t l IH]; simpl; [lia |]. rewrite IH. lia. Qed.

Theorem tightened v d c l : 0 < d ->
  (0 <= value v (Form c (scaled d l)) <-> 0 <= value v (Form (c / d) l)).
Proof.
  intros D. unfold value; simpl. rewrite total_scaled.
  pose proof (Z.div_mod c d). pose proof (Z.mod_pos_bound c d D). split; nia.
Qed.

(** ** [derives]: one fact removes an atom from the goal. *)

Theorem derives v goal fact own other rest :
  0 < own -> 0 <= other -> 0 <= value v fact ->
  value v rest = own * value v goal - other * value v fact -> 0 <= value v rest -> 0 <= value v goal.
Proof. intros. nia. Qed.

(** ** [contradicts]: facts and the negated goal have no common solution (Farkas). *)

(** A sum of facts, each a number of times. *)
Fixpoint combination (l : list (Z * form)) :=
  match l with [] => Form 0 [] | (k, f) :: l => checked (combination l) f k end.

Lemma combination_holds v l :
  Forall (fun p => 0 <= fst p /\ 0 <= value v (snd p)) l -> 0 <= value v (combination l).
Proof.
  induction l as [| [k f] l IH]; intros F; simpl; [unfold value; simpl; lia |].
  inversion F; subst; simpl in *. rewrite checked_value. specialize (IH H2). nia.
Qed.

(** A nonnegative combination without positive coefficients and with a negative constant: the inequalities have no common
    solution in which no atom is negative. *)
Theorem farkas v l : natural v -> Forall (fun p => 0 <= fst p) l ->
  constant (combination l) < 0 -> Forall (fun t => snd t <= 0) (terms (combination l)) ->
  ~ Forall (fun p => 0 <= value v (snd p)) l.
Proof.
  intros N K C T F.
  assert (0 <= value v (combination l)).
  { apply combination_holds. rewrite Forall_forall in *. auto. }
  pose proof (proj2 (total_sign v _ N) T). unfold value in *. lia.
Qed.

(** So a goal follows. The negated goal is [- 1 - goal >= 0]. *)
Corollary implied v goal k facts : natural v -> 0 <= k -> Forall (fun p => 0 <= fst p) facts ->
  constant (combination ((k, checked (Form (-1) []) goal (-1)) :: facts)) < 0 ->
  Forall (fun t => snd t <= 0) (terms (combination ((k, checked (Form (-1) []) goal (-1)) :: facts))) ->
  Forall (fun p => 0 <= value v (snd p)) facts -> 0 <= value v goal.
Proof.
  intros N K F C T H. destruct (Z.lt_ge_cases (value v goal) 0) as [L | G]; [exfalso | exact G].
  apply (farkas v ((k, checked (Form (-1) []) goal (-1)) :: facts) N).
  - constructor; assumption.
  - exact C.
  - exact T.
  - assert (E : value v (Form (-1) []) = -1) by reflexivity.
    constructor; [cbn [snd]; rewrite checked_value, E; lia | exact H].
Qed.

(** ** The simplex tableau

    [has_no_solution] keeps rows [scale * owner = constant + sum of coefficient * column]. An exchange of a row's owner and a
    column keeps all rows true of the same values; a row that cannot be true of values of which none is negative refutes
    the system. *)

Record row := Row { scale : Z; number : Z; coefficients : list Z }.

Fixpoint dot (l x : list Z) := match l, x with a :: l, b :: x => a * b + dot l x | _, _ => 0 end.

Definition true_of (r : row) owner columns := scale r * owner = number r + dot (coefficients r) columns.

Fixpoint put (l : list Z) c a := match l, c with [], _ => [] | _ :: l, O => a :: l | b :: l, S c => b :: put l c a end.

Lemma dot_put l x c : (c < length l)%nat -> length l = length x ->
  forall a b, dot (put l c a) (put x c b) = dot l x - nth c l 0 * nth c x 0 + a * b.
Proof.
  revert x c; induction l as [| p l IH]; intros [| q x] [| c] L E a b; simpl in *; try lia.
  rewrite IH by lia. lia.
Qed.

Lemma put_length l c a : length (put l c a) = length l.
Proof. revert c; induction l as [| b l IH]; intros [| c]; simpl; [reflexivity | reflexivity | reflexivity | f_equal; apply IH]. Qed.

Lemma dot_opp l x : dot (map Z.opp l) x = - dot l x.
Proof. revert x; induction l as [| a l IH]; intros [| b x]; simpl; try lia. rewrite IH; lia. Qed.

Definition pivot r c := Row (nth c (coefficients r) 0) (- number r) (put (map Z.opp (coefficients r)) c (scale r)).

Theorem pivot_true r c owner columns :
  (c < length columns)%nat -> length (coefficients r) = length columns ->
  true_of r owner columns -> true_of (pivot r c) (nth c columns 0) (put columns c owner).
Proof.
  unfold true_of, pivot; simpl; intros C L T.
  rewrite dot_put by (rewrite map_length; lia). rewrite dot_opp.
  replace (nth c (map Z.opp (coefficients r)) 0) with (- nth c (coefficients r) 0); [lia |].
  change 0 with (Z.opp 0) at 2. rewrite map_nth. reflexivity.
Qed.

(** Another row, from which the column is removed: it is multiplied by [m], and the pivot by [f] is added. *)
Definition added r p c m f :=
  Row (m * scale r) (m * number r + f * number p)
    (map (fun t => m * fst t + f * snd t) (List.combine (put (coefficients r) c 0) (coefficients p))).

Lemma dot_added m f l k x : length l = length x -> length k = length x ->
  dot (map (fun t => m * fst t + f * snd t) (List.combine l k)) x = m * dot l x + f * dot k x.
Proof.
  revert k x; induction l as [| a l IH]; intros [| b k] [| y x] L K; simpl in *; try lia.
  rewrite IH by lia. lia.
Qed.

Theorem added_true r p c m f owner x columns y :
  (c < length columns)%nat -> length (coefficients r) = length columns -> length (coefficients p) = length columns ->
  m * nth c (coefficients r) 0 = f * scale p ->
  x = nth c columns 0 -> true_of p x (put columns c y) ->
  true_of r owner columns -> true_of (added r p c m f) owner (put columns c y).
Proof.
  unfold true_of, added; simpl; intros C L K F -> P T.
  rewrite dot_added by (rewrite ?put_length; lia). rewrite dot_put by lia.
  assert (E : f * (scale p * nth c columns 0) = f * (number p + dot (coefficients p) (put columns c y))) by congruence.
  assert (G : m * (scale r * owner) = m * (number r + dot (coefficients r) columns)) by congruence.
  rewrite Z.mul_assoc, <- F in E. lia.
Qed.

(** A row is divided by a common divisor. *)
Definition times d r := Row (d * scale r) (d * number r) (map (Z.mul d) (coefficients r)).

Lemma dot_times d l x : dot (map (Z.mul d) l) x = d * dot l x.
Proof. revert x; induction l as [| a l IH]; intros [| b x]; simpl; try lia. rewrite IH; lia. Qed.

Lemma times_true d r owner columns : d <> 0 -> true_of (times d r) owner columns -> true_of r owner columns.
Proof. unfold true_of, times; simpl; intros D. rewrite dot_times. intros T. apply (Z.mul_reg_l _ _ d D). lia. Qed.

(** Another row after the exchange of [p] and [c]. *)
Definition changed p c r r' := exists m f d,
  d <> 0 /\ m * nth c (coefficients r) 0 = f * scale p /\ added r p c m f = times d r'.

Definition impossible r := 0 < scale r /\ number r < 0 /\ Forall (fun a => a <= 0) (coefficients r).

(** The tables that a sequence of exchanges refutes. *)
Inductive refuted : list row -> Prop :=
| at_once rows r : In r rows -> impossible r -> refuted rows
| after_exchange before p after c before' after' :
    (c < length (coefficients p))%nat ->
    Forall2 (changed (pivot p c) c) before before' -> Forall2 (changed (pivot p c) c) after after' ->
    refuted (before' ++ pivot p c :: after') -> refuted (before ++ p :: after).

Definition solution rows owners columns :=
  Forall (fun y => 0 <= y) owners /\ Forall (fun x => 0 <= x) columns /\
  Forall (fun r => length (coefficients r) = length columns) rows /\
  Forall2 (fun r y => true_of r y columns) rows owners.

Lemma dot_negative l x : Forall (fun a => a <= 0) l -> Forall (fun b => 0 <= b) x -> dot l x <= 0.
Proof.
  revert x; induction l as [| a l IH]; intros [| b x] L X; simpl; try lia.
  inversion L; inversion X; subst. specialize (IH x). assert (dot l x <= 0) by auto. nia.
Qed.

Lemma nth_natural c x : Forall (fun b => 0 <= b) x -> 0 <= nth c x 0.
Proof. intros F; revert c; induction F as [| b x B F IH]; intros [| c]; simpl; try lia; auto. Qed.

Lemma put_natural c y x : Forall (fun b => 0 <= b) x -> 0 <= y -> Forall (fun b => 0 <= b) (put x c y).
Proof. intros F Y; revert c; induction F as [| b x B F IH]; intros [| c]; simpl; constructor; auto. Qed.

Lemma changed_rows p c x columns y rows rows' owners :
  (c < length columns)%nat -> length (coefficients p) = length columns ->
  x = nth c columns 0 -> true_of p x (put columns c y) ->
  Forall2 (changed p c) rows rows' ->
  Forall (fun r => length (coefficients r) = length columns) rows ->
  Forall2 (fun r y => true_of r y columns) rows owners ->
  Forall (fun r => length (coefficients r) = length (put columns c y)) rows' /\
  Forall2 (fun r z => true_of r z (put columns c y)) rows' owners.
Proof.
  intros C L X P H; revert owners; induction H as [| r r' rows rows' (m & f & d & D & M & E) H IH]; intros owners W T.
  - inversion T; subst; split; constructor.
  - inversion W; inversion T; subst. destruct (IH l' H3 H8) as [A B].
    split; constructor; auto.
    + rewrite put_length. apply (f_equal coefficients), (f_equal (@length Z)) in E. simpl in E.
      rewrite !map_length, combine_length, put_length in E. lia.
    + apply (times_true d); [exact D |]. rewrite <- E. eapply added_true; eauto.
Qed.

Theorem refuted_no_solution rows : refuted rows -> forall owners columns, ~ solution rows owners columns.
Proof.
  induction 1 as [rows r I [S [N F]] | before p after c before' after' C B A R IH]; intros owners columns (Y & X & W & T).
  - apply in_split in I. destruct I as (b & a & ->). apply Forall2_app_inv_l in T.
    destruct T as (yb & ya & _ & T & ->). inversion T; subst. apply Forall_app in Y. destruct Y as [_ Y]. inversion Y; subst.
    unfold true_of in H1. pose proof (dot_negative _ _ F X). nia.
  - apply Forall2_app_inv_l in T. destruct T as (yb & ya & Tb & T & ->). inversion T as [| p' y rest ya' P Ta]; subst.
    apply Forall_app in Y. destruct Y as [Yb Y]. inversion Y as [| y' ya'' Y0 Ya]; subst.
    apply Forall_app in W. destruct W as [Wb W]. inversion W as [| p' rest Wp Wa]; subst.
    assert (C' : (c < length columns)%nat) by lia.
    pose proof (pivot_true p c y columns C' Wp P) as Q.
    assert (Lp : length (coefficients (pivot p c)) = length columns) by (simpl; rewrite put_length, map_length; exact Wp).
    destruct (changed_rows _ _ _ _ _ _ _ _ C' Lp eq_refl Q B Wb Tb) as [Wb' Tb'].
    destruct (changed_rows _ _ _ _ _ _ _ _ C' Lp eq_refl Q A Wa Ta) as [Wa' Ta'].
    apply (IH (yb ++ nth c columns 0 :: ya') (put columns c y)). repeat split.
    + apply Forall_app; split; [exact Yb | constructor; [apply nth_natural; exact X | exact Ya]].
    + apply put_natural; assumption.
    + apply Forall_app; split; [exact Wb' | constructor; [rewrite put_length; exact Lp | exact Wa']].
    + apply Forall2_app; [exact Tb' | constructor; assumption].
Qed.

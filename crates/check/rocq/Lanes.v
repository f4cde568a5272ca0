(** Lanes as XOR sums of moved parts: crates/check/src/terms.rs, and the split rounds of symbolic.rs. A byte is any group in
    which each element is its own inverse, and a lane is a function from places to bytes. *)

From Coq Require Import Arith List Lia Bool Permutation.
Import ListNotations.

Section Lanes.

Variable byte : Type.
Variable zero : byte.
Variable xor : byte -> byte -> byte.
Infix "^^" := xor (at level 40, left associativity).
Hypothesis xor_assoc : forall a b c, a ^^ (b ^^ c) = a ^^ b ^^ c.
Hypothesis xor_comm : forall a b, a ^^ b = b ^^ a.
Hypothesis xor_zero : forall a, a ^^ zero = a.
Hypothesis xor_self : forall a, a ^^ a = zero.

Lemma zero_xor a : zero ^^ a = a.
Proof. rewrite xor_comm; apply xor_zero. Qed.

Lemma xor_swap a b c d : a ^^ b ^^ (c ^^ d) = a ^^ c ^^ (b ^^ d).
Proof. rewrite !xor_assoc. f_equal. rewrite <- !xor_assoc. f_equal. apply xor_comm. Qed.

Definition lane := nat -> byte.
Definition same (a b : lane) := forall i, a i = b i.
Definition nothing : lane := fun _ => zero.
Definition plus (a b : lane) : lane := fun i => a i ^^ b i.

(** A shuffle: the place that each byte comes from; none gives zero. *)
Definition mask := nat -> option nat.
Definition move (m : mask) (a : lane) : lane := fun i => match m i with Some j => a j | None => zero end.
Definition keep : mask := fun i => Some i.
(** [Terms::shuffled]: two shuffles are one. *)
Definition behind (new old : mask) : mask := fun i => match new i with Some j => old j | None => None end.

Lemma move_behind new old a : same (move new (move old a)) (move (behind new old) a).
Proof. intros i; unfold move, behind; destruct (new i) as [j |]; reflexivity. Qed.

Lemma move_plus m a b : same (move m (plus a b)) (plus (move m a) (move m b)).
Proof. intros i; unfold move, plus; destruct (m i); [reflexivity | rewrite xor_zero; reflexivity]. Qed.

(** ** Functions of lanes *)

Definition proper (f : lane -> lane) := forall a b, same a b -> same (f a) (f b).
Definition additive (f : lane -> lane) := proper f /\ forall a b, same (f (plus a b)) (plus (f a) (f b)).

Lemma additive_nothing f : additive f -> same (f nothing) nothing.
Proof.
  intros [P A] i. pose proof (A nothing nothing i) as H.
  rewrite (P (plus nothing nothing) nothing) in H by (intro; apply xor_zero).
  unfold plus in H. rewrite xor_self in H. exact H.
Qed.

Definition sum (l : list lane) : lane := fun i => fold_right (fun a s => a i ^^ s) zero l.

(** A linear map is applied to each part of a sum. *)
Theorem additive_sum f l : additive f -> same (f (sum l)) (sum (map f l)).
Proof.
  intros A. induction l as [| a l IH].
  - exact (additive_nothing f A).
  - destruct A as [P A]. intros i. change (sum (a :: l)) with (plus a (sum l)).
    rewrite (A a (sum l) i). unfold plus. rewrite (IH i). reflexivity.
Qed.

(** ** Terms and their normal forms *)

(** Rounds by their numbers: functions of lanes, of which some are known to be linear. *)
Variable round : nat -> lane -> lane.
Variable linear : nat -> bool.
Hypothesis round_proper : forall r, proper (round r).
Hypothesis linear_additive : forall r, linear r = true -> additive (round r).

(** What the code computes. *)
Inductive expr :=
| Constant (c : lane)
| Unknown (n : nat)
| Xor (a b : expr)
| Move (m : mask) (a : expr)
| Round (r : nat) (a : expr).

(** Unknown lanes have values. *)
Variable v : nat -> lane.

Fixpoint eval e : lane :=
  match e with
  | Constant c => c
  | Unknown n => v n
  | Xor a b => plus (eval a) (eval b)
  | Move m a => move m (eval a)
  | Round r a => round r (eval a)
  end.

(** A part, and a normal form: a constant, and parts with their shuffles. *)
Inductive part :=
| PUnknown (n : nat)
| PRound (r : nat) (c : lane) (l : list (part * mask)).

Fixpoint part_value p : lane :=
  match p with
  | PUnknown n => v n
  | PRound r c l =>
    round r (plus c ((fix go l := match l with [] => nothing | (q, m) :: l => plus (move m (part_value q)) (go l) end) l))
  end.

Fixpoint parts_value (l : list (part * mask)) : lane :=
  match l with [] => nothing | (q, m) :: l => plus (move m (part_value q)) (parts_value l) end.

Definition normal := (lane * list (part * mask))%type.
Definition normal_value (n : normal) := plus (fst n) (parts_value (snd n)).

Lemma round_part r c l : part_value (PRound r c l) = round r (normal_value (c, l)).
Proof. reflexivity. Qed.

Lemma parts_app a b : same (parts_value (a ++ b)) (plus (parts_value a) (parts_value b)).
Proof.
  intros i; induction a as [| [q m] a IH]; simpl.
  - unfold plus, nothing. rewrite zero_xor; reflexivity.
  - unfold plus in *. rewrite IH. apply xor_assoc.
Qed.

(** Parts may stand in any order. *)
Theorem parts_any_order a b : Permutation a b -> same (parts_value a) (parts_value b).
Proof.
  intros P i; induction P as [| [q m] a b P IH | [q m] [q' m'] a | a b c P IH Q IH']; simpl.
  - reflexivity.
  - unfold plus; rewrite IH; reflexivity.
  - unfold plus; rewrite !xor_assoc. f_equal. apply xor_comm.
  - congruence.
Qed.

Definition moved (m : mask) (l : list (part * mask)) := map (fun p => (fst p, behind m (snd p))) l.

Lemma moved_value m l : same (parts_value (moved m l)) (move m (parts_value l)).
Proof.
  intros i; induction l as [| [q old] l IH]; simpl.
  - unfold move, nothing; destruct (m i); reflexivity.
  - rewrite (move_plus m _ _ i). unfold plus. rewrite IH, (move_behind m old _ i). reflexivity.
Qed.

(** [Terms::xor], [Terms::shuffled] and [Terms::round]. A linear round is applied to the constant and to each part, with its
    shuffle. *)
Fixpoint norm e : normal :=
  match e with
  | Constant c => (c, [])
  | Unknown n => (nothing, [(PUnknown n, keep)])
  | Xor a b => (plus (fst (norm a)) (fst (norm b)), snd (norm a) ++ snd (norm b))
  | Move m a => (move m (fst (norm a)), moved m (snd (norm a)))
  | Round r a =>
    if linear r
    then (round r (fst (norm a)), map (fun p => (PRound r nothing [p], keep)) (snd (norm a)))
    else (nothing, [(PRound r (fst (norm a)) (snd (norm a)), keep)])
  end.

Lemma linear_parts r l : additive (round r) ->
  same (parts_value (map (fun p => (PRound r nothing [p], keep)) l)) (round r (parts_value l)).
Proof.
  intros A. induction l as [| [q m] l IH]; intros i.
  - symmetry; exact (additive_nothing _ A i).
  - cbn [map parts_value]. destruct A as [P A]. rewrite (A _ _ i). unfold plus. rewrite (IH i). f_equal.
    unfold move at 1, keep. rewrite round_part. apply P. intros j.
    unfold normal_value, plus, nothing; simpl. unfold plus, nothing. rewrite xor_zero. apply zero_xor.
Qed.

(** The value of the normal form is that of the expression. *)
Theorem norm_value e : same (normal_value (norm e)) (eval e).
Proof.
  induction e as [c | n | a IHa b IHb | m a IHa | r a IHa]; intros i.
  - unfold normal_value, plus; simpl. apply xor_zero.
  - unfold normal_value, plus, nothing; simpl. unfold plus, move, keep, nothing. rewrite zero_xor. apply xor_zero.
  - unfold normal_value in *; simpl. unfold plus at 1. rewrite (parts_app _ _ i). unfold plus in *.
    rewrite xor_swap, IHa, IHb. reflexivity.
  - unfold normal_value in *; simpl. unfold plus at 1. rewrite (moved_value m _ i).
    unfold move; destruct (m i) as [j |]; [exact (IHa j) | apply xor_zero].
  - cbn [norm eval]. destruct (linear r) eqn:L.
    + pose proof (linear_additive r L) as A. unfold normal_value; cbn [fst snd]. unfold plus.
      rewrite (linear_parts r _ A i). destruct A as [P A].
      rewrite <- (P _ _ IHa i). symmetry; exact (A _ _ i).
    + unfold normal_value at 1, plus, nothing; cbn [fst snd parts_value]. unfold plus, move, keep, nothing.
      rewrite zero_xor, xor_zero, round_part. exact (round_proper r _ _ IHa i).
Qed.

(** Two expressions with one normal form have one value. *)
Corollary equal_normal_forms a b : norm a = norm b -> same (eval a) (eval b).
Proof. intros E i. rewrite <- (norm_value a i), <- (norm_value b i), E. reflexivity. Qed.

(** ** The same part with several shuffles

    [Terms::normal] collects, for each byte of the result, the bytes of a part that occur an odd number of times, and makes
    the shuffles again from these sets. *)

Definition from (a : lane) (l : list nat) := fold_right (fun j s => a j ^^ s) zero l.

Definition sources (i : nat) (l : list mask) := flat_map (fun m => match m i with Some j => [j] | None => [] end) l.

Definition all (a : lane) (l : list mask) : lane := fun i => fold_right (fun m s => move m a i ^^ s) zero l.

Lemma all_sources a l i : all a l i = from a (sources i l).
Proof.
  induction l as [| m l IH]; simpl; [reflexivity |]. unfold all in *; simpl. rewrite IH.
  unfold sources, from, move; simpl. destruct (m i); simpl; [reflexivity | apply zero_xor].
Qed.

Definition width := 16.
(** The bytes that occur an odd number of times, in order. *)
Definition odd (l : list nat) := filter (fun j => Nat.odd (count_occ Nat.eq_dec l j)) (seq 0 width).

Definition taken (a : lane) (p : nat -> bool) (l : list nat) := fold_right (fun j s => (if p j then a j else zero) ^^ s) zero l.

Lemma from_filter a p l : from a (filter p l) = taken a p l.
Proof.
  induction l as [| j l IH]; simpl; [reflexivity |].
  destruct (p j); simpl; rewrite <- IH; [reflexivity | symmetry; apply zero_xor].
Qed.

Lemma taken_flip a p k l : NoDup l -> In k l ->
  taken a (fun j => if Nat.eq_dec j k then negb (p j) else p j) l = a k ^^ taken a p l.
Proof.
  induction l as [| j l IH]; simpl; [tauto |]. intros D [-> | I]; inversion D; subst.
  - destruct (Nat.eq_dec k k) as [_ | N]; [| congruence].
    assert (E : taken a (fun j => if Nat.eq_dec j k then negb (p j) else p j) l = taken a p l).
    { clear IH D. induction l as [| x l IHl]; simpl; [reflexivity |]. simpl in *.
      inversion H2; subst. rewrite IHl by tauto. destruct (Nat.eq_dec x k); [subst; tauto | reflexivity]. }
    rewrite E, xor_assoc. f_equal. destruct (p k); simpl; [rewrite xor_self; reflexivity | symmetry; apply xor_zero].
  - rewrite IH by assumption. destruct (Nat.eq_dec j k) as [-> | _]; [tauto |].
    rewrite !xor_assoc. f_equal. apply xor_comm.
Qed.

Lemma taken_same a p q l : (forall j, p j = q j) -> taken a p l = taken a q l.
Proof. intros E; induction l as [| j l IH]; simpl; [reflexivity | rewrite IH, E; reflexivity]. Qed.

Lemma taken_none a l : taken a (fun _ => false) l = zero.
Proof. induction l as [| j l IH]; simpl; [reflexivity | rewrite IH; apply xor_zero]. Qed.

(** Bytes that occur twice vanish. *)
Theorem from_odd a l : (forall j, In j l -> j < width) -> from a (odd l) = from a l.
Proof.
  unfold odd. rewrite from_filter. induction l as [| k l IH]; intros B.
  - simpl count_occ. rewrite (taken_same a _ (fun _ => false)) by reflexivity. apply taken_none.
  - change (from a (k :: l)) with (a k ^^ from a l).
    rewrite <- IH by (intros j J; apply B; right; exact J).
    rewrite <- (taken_flip a (fun j => Nat.odd (count_occ Nat.eq_dec l j)) k).
    + apply taken_same. intros j. simpl. destruct (Nat.eq_dec k j) as [-> | N].
      * destruct (Nat.eq_dec j j) as [_ | N]; [| congruence]. rewrite Nat.odd_succ. symmetry; apply Nat.negb_odd.
      * destruct (Nat.eq_dec j k) as [-> | _]; [congruence | reflexivity].
    + apply seq_NoDup.
    + apply in_seq. assert (k < width) by (apply B; left; reflexivity). lia.
Qed.

(** The shuffles made again: the first takes the first byte of each set, and so on. *)
Definition again (sets : nat -> list nat) n : list mask := map (fun k i => nth_error (sets i) k) (seq 0 n).

Lemma nth_errors (s : list nat) n k : length s <= k + n ->
  flat_map (fun k => match nth_error s k with Some j => [j] | None => [] end) (seq k n) = skipn k s.
Proof.
  revert k; induction n as [| n IH]; intros k L; simpl.
  - rewrite skipn_all2 by lia. reflexivity.
  - rewrite IH by lia. destruct (nth_error s k) as [j |] eqn:E.
    + apply nth_error_split in E. destruct E as (x & y & -> & <-). clear.
      induction x as [| a x IH]; simpl; [reflexivity | exact IH].
    + apply nth_error_None in E. rewrite !skipn_all2 by lia. reflexivity.
Qed.

Lemma all_again a sets n i : length (sets i) <= n -> all a (again sets n) i = from a (sets i).
Proof.
  intros L. rewrite all_sources. f_equal. unfold again, sources.
  rewrite flat_map_concat_map, map_map, <- flat_map_concat_map. exact (nth_errors (sets i) n 0 L).
Qed.

Lemma odd_short l : length (odd l) <= width.
Proof.
  unfold odd. rewrite <- (seq_length width 0) at 2. generalize (seq 0 width) as x.
  induction x as [| j x IH]; simpl; [lia |]. destruct (Nat.odd _); simpl; lia.
Qed.

Theorem made_again a l : (forall m i j, In m l -> m i = Some j -> j < width) ->
  same (all a l) (all a (again (fun i => odd (sources i l)) width)).
Proof.
  intros B i. rewrite all_again by apply odd_short. rewrite from_odd, all_sources; [reflexivity |].
  intros j J. apply in_flat_map in J. destruct J as (m & Hm & J).
  destruct (m i) as [k |] eqn:E; [| destruct J]. destruct J as [<- | []]. exact (B m i k Hm E).
Qed.

(** ** Rounds of bytes

    SubBytes is a function of each byte, and ShiftRows with MixColumns is linear. *)
Variable sbox : byte -> byte.
Variable mix : lane -> lane.
Hypothesis mix_additive : additive mix.

Definition encrypt (a : lane) := mix (fun i => sbox (a i)).
Definition only (k : nat -> bool) (a : lane) : lane := fun i => if k i then a i else zero.

(** [Symbolic::round_of]: a round is the sum of those of two sets of bytes, and a constant. *)
Theorem split_round k a :
  same (encrypt a) (plus (plus (encrypt (only k a)) (encrypt (only (fun i => negb (k i)) a))) (encrypt nothing)).
Proof.
  destruct mix_additive as [P A]. intros i. unfold encrypt, plus at 1. unfold plus at 1.
  set (x := fun i => sbox (only k a i)). set (y := fun i => sbox (only (fun i => negb (k i)) a i)).
  set (z := fun i => sbox (nothing i)).
  transitivity (mix (plus (plus x y) z) i).
  - apply P. intros j. unfold x, y, z, only, plus, nothing.
    destruct (k j); simpl; [| rewrite (xor_comm (sbox zero))]; rewrite <- xor_assoc, xor_self, xor_zero; reflexivity.
  - rewrite (A _ _ i). unfold plus at 1. rewrite (A _ _ i). reflexivity.
Qed.

Definition single k z : lane := fun i => if i =? k then z else zero.
(** The share of one byte, a row of the counter table: [last_byte] in spec.rs. *)
Definition share k z := mix (single k (sbox z)).

(** [Symbolic::table]: a share by the round of a lane with one byte. *)
Theorem share_of_round k z : same (share k z) (plus (encrypt (single k z)) (plus (encrypt nothing) (share k zero))).
Proof.
  destruct mix_additive as [P A]. intros i. unfold share, encrypt. unfold plus at 1 2.
  set (x := fun i => sbox (single k z i)). set (y := fun i => sbox (nothing i)).
  transitivity (mix (plus x (plus y (single k (sbox zero)))) i).
  - apply P. intros j. unfold x, y, single, nothing, plus.
    destruct (j =? k); [rewrite xor_self; symmetry; apply xor_zero | rewrite xor_zero, xor_self; reflexivity].
  - rewrite (A _ _ i). unfold plus at 1. rewrite (A _ _ i). reflexivity.
Qed.

(** The lowest byte of a moved word from one word, and all others from another one. *)
Theorem word_of_two m (w low up : lane) :
  low 0 = w 0 -> (forall j, j <> 0 -> up j = w j) ->
  same (move m w)
    (plus (move (fun i => match m i with Some 0 => Some 0 | _ => None end) low)
      (move (fun i => match m i with Some 0 => None | o => o end) up)).
Proof.
  intros L U i. unfold plus, move. destruct (m i) as [[| j] |].
  - rewrite L, xor_zero; reflexivity.
  - rewrite U by lia. symmetry; apply zero_xor.
  - symmetry; apply xor_zero.
Qed.

(** [Symbolic::add_to_word]: another word with the same upper bytes changes one byte of a lane, if its lowest byte is in that
    place alone. *)
Theorem one_byte_changes m (w new : lane) at_ rest :
  m at_ = Some 0 -> (forall i, m i = Some 0 -> i = at_) -> (forall j, j <> 0 -> new j = w j) ->
  same (plus rest (move m new)) (fun i => if i =? at_ then rest i ^^ new 0 else plus rest (move m w) i).
Proof.
  intros At One U i. unfold plus, move. destruct (Nat.eqb_spec i at_) as [-> | N].
  - rewrite At; reflexivity.
  - destruct (m i) as [[| j] |] eqn:E; [exfalso; exact (N (One i E)) | rewrite U by lia; reflexivity | reflexivity].
Qed.

End Lanes.

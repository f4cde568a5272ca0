(** Words of 64 bits as linear forms over unknown integers: crates/check/src/linear.rs, and the rules of symbolic.rs for
    shifts, low bits, alignments and sums in a byte. *)

From Coq Require Import ZArith List Lia Bool.
Import ListNotations.
Open Scope Z_scope.

Definition M := 2 ^ 64.

(** ** Forms *)

Definition atom := nat.
(** A constant, and atoms with their coefficients. *)
Record form := Form { constant : Z; terms : list (atom * Z) }.

Definition total (v : atom -> Z) (l : list (atom * Z)) := fold_right (fun t s => snd t * v (fst t) + s) 0 l.
Definition value (v : atom -> Z) f := constant f + total v (terms f).

(** Both forms have their atoms in order. A step takes the lesser atom, or both. *)
Fixpoint merged (l : list (atom * Z)) : list (atom * Z) -> list (atom * Z * Z) :=
  match l with
  | [] => map (fun t => (fst t, 0, snd t))
  | (a, c) :: l' =>
    fix inner r :=
      match r with
      | [] => map (fun t => (fst t, snd t, 0)) l
      | (b, d) :: r' =>
        match Nat.compare a b with
        | Lt => (a, c, 0) :: merged l' r
        | Gt => (b, 0, d) :: inner r'
        | Eq => (a, c, d) :: merged l' r'
        end
      end
  end.

(** The sum of two forms with a function of each pair of coefficients; zero coefficients are left out. *)
Definition joined (g : Z -> Z -> Z) f h :=
  Form (g (constant f) (constant h))
    (filter (fun t => negb (snd t =? 0)) (map (fun t => (fst (fst t), g (snd (fst t)) (snd t))) (merged (terms f) (terms h)))).

Definition both (v : atom -> Z) (g : Z -> Z -> Z) (l : list (atom * Z * Z)) :=
  fold_right (fun t s => g (snd (fst t)) (snd t) * v (fst (fst t)) + s) 0 l.

Lemma total_left_out v l : total v (filter (fun t => negb (snd t =? 0)) l) = total v l.
Proof.
  induction l as [| [a c] l IH]; simpl; [reflexivity |].
  destruct (Z.eqb_spec c 0); simpl; rewrite IH; [subst; lia | reflexivity].
Qed.

Lemma joined_total v g l : total v (map (fun t => (fst (fst t), g (snd (fst t)) (snd t))) l) = both v g l.
Proof. induction l as [| t l IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma merged_value v k l r :
  both v (fun a b => a + k * b) (merged l r) = total v l + k * total v r.
Proof.
  revert r; induction l as [| [a c] l IHl]; intros r.
  - simpl. induction r as [| [b d] r IHr]; simpl in *; [lia |]. rewrite IHr; simpl; lia.
  - induction r as [| [b d] r IHr].
    + simpl. enough (E : both v (fun a b => a + k * b) (map (fun t => (fst t, snd t, 0)) l) = total v l) by (rewrite E; lia).
      clear. induction l as [| t l IH]; simpl; [reflexivity | rewrite IH; lia].
    + cbn [merged]. destruct (Nat.compare_spec a b) as [-> | |]; cbn [both fold_right fst snd].
      * change (fold_right _ 0 (merged l r)) with (both v (fun a b => a + k * b) (merged l r)).
        rewrite IHl; cbn [total fold_right fst snd]. fold (total v l) (total v r). lia.
      * change (fold_right _ 0 (merged l ((b, d) :: r))) with (both v (fun a b => a + k * b) (merged l ((b, d) :: r))).
        rewrite IHl; cbn [total fold_right fst snd]. fold (total v l) (total v r). lia.
      * match goal with |- context [fold_right ?f 0 ?x] =>
          change (fold_right f 0 x) with (both v (fun a b => a + k * b) (merged ((a, c) :: l) r)) end.
        rewrite IHr; cbn [total fold_right fst snd]. fold (total v l) (total v r). lia.
Qed.

(** [Linear::checked]: sums of integers. *)
Definition checked f h k := joined (fun a b => a + k * b) f h.

Theorem checked_value v f h k : value v (checked f h k) = value v f + k * value v h.
Proof. unfold value, checked, joined; cbn [constant terms].
  rewrite total_left_out, (joined_total v (fun a b => a + k * b)), merged_value. lia. Qed.

(** ** Words *)

(** The signed number of 64 bits that an integer is modulo 2^64. *)
Definition reduce c := (c + 2 ^ 63) mod M - 2 ^ 63.
(** [Linear::combine]: sums modulo 2^64, each coefficient reduced. *)
Definition combine f h k := joined (fun a b => reduce (a + k * b)) f h.
(** [Linear::word]. *)
Definition word f := combine f (Form 0 []) 0.

Definition same_word a b := (a - b) mod M = 0.

Lemma same_word_mod a b : same_word a b <-> a mod M = b mod M.
Proof.
  unfold same_word; split; intros H.
  - apply Z.mod_divide in H; [| discriminate]. destruct H as [q H].
    replace a with (b + q * M) by lia. apply Z.mod_add; discriminate.
  - rewrite Zminus_mod, H, Z.sub_diag; reflexivity.
Qed.

Lemma reduce_same c : exists q, reduce c = c + q * M.
Proof.
  unfold reduce. exists (- ((c + 2 ^ 63) / M)).
  rewrite Z.mod_eq by discriminate. lia.
Qed.

Lemma both_reduced v k l : exists q,
  both v (fun a b => reduce (a + k * b)) l = both v (fun a b => a + k * b) l + q * M.
Proof.
  induction l as [| [[a c] d] l [q IH]]; [exists 0; reflexivity |].
  destruct (reduce_same (c + k * d)) as [p E]. exists (p * v a + q).
  unfold both in *; cbn [fold_right fst snd]. rewrite IH, E. lia.
Qed.

Theorem combine_value v f h k : same_word (value v (combine f h k)) (value v f + k * value v h).
Proof.
  unfold same_word, value, combine, joined; cbn [constant terms].
  rewrite total_left_out, (joined_total v (fun a b => reduce (a + k * b))).
  destruct (both_reduced v k (merged (terms f) (terms h))) as [q E].
  destruct (reduce_same (constant f + k * constant h)) as [p P].
  rewrite E, P, merged_value.
  match goal with |- ?x mod _ = 0 => replace x with ((p + q) * M) by lia end.
  apply Z.mod_mul; discriminate.
Qed.

Theorem word_value v f : same_word (value v (word f)) (value v f).
Proof.
  pose proof (combine_value v f (Form 0 []) 0) as H. unfold word.
  rewrite Z.mul_0_l, Z.add_0_r in H. exact H.
Qed.

(** Equal reduced forms are equal words, whatever the atoms are. *)
Theorem equal_forms v f h : word f = word h -> value v f mod M = value v h mod M.
Proof.
  intros E. pose proof (word_value v f) as F; pose proof (word_value v h) as H.
  rewrite same_word_mod in F, H. rewrite <- F, <- H, E; reflexivity.
Qed.

(** [Symbolic::unsigned]: an integer between 0 and 2^64 - 1 that is the word, with or without a multiple of 2^64. *)
Theorem unsigned_value w n carry : same_word w n -> 0 <= n - carry * M < M -> w mod M = n - carry * M.
Proof.
  rewrite same_word_mod; intros E R. rewrite E.
  replace n with ((n - carry * M) + carry * M) at 1 by lia.
  rewrite Z.mod_add by discriminate. apply Z.mod_small; exact R.
Qed.

(** An access to a distance that is within an object as an integer is there as an address, if the object does not wrap. *)
Theorem address_value base distance bytes size address :
  same_word address (base + distance) -> 0 <= distance -> distance + bytes <= size -> 0 < bytes ->
  0 <= base -> base + size <= M -> address mod M = base + distance.
Proof. rewrite same_word_mod; intros E ? ? ? ? ?. rewrite E. apply Z.mod_small; lia. Qed.

(** ** Shifts and low bits *)

(** [Symbolic::define]. *)
Theorem shifted_bounds w k : 0 <= k -> 0 <= w - 2 ^ k * (w / 2 ^ k) <= 2 ^ k - 1.
Proof.
  intros K. assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
  rewrite <- Z.mod_eq by lia. pose proof (Z.mod_pos_bound w (2 ^ k)). lia.
Qed.

(** [bitwise] with a mask of low ones. *)
Theorem low_bits w k : 0 <= k -> Z.land w (2 ^ k - 1) = w - 2 ^ k * (w / 2 ^ k).
Proof.
  intros K. assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
  replace (2 ^ k - 1) with (Z.ones k) by (rewrite Z.ones_equiv; lia).
  rewrite Z.land_ones by lia. apply Z.mod_eq; lia.
Qed.

(** [Symbolic::disjoint]: only the bits below a power of two above the mask matter. *)
Theorem disjoint_modulus w mask k :
  0 <= k -> 0 <= mask < 2 ^ k -> Z.land (w mod 2 ^ k) mask = Z.land w mask.
Proof.
  intros K Mk. rewrite <- Z.land_ones by lia. rewrite <- Z.land_assoc.
  f_equal. rewrite Z.land_comm, Z.land_ones by lia. apply Z.mod_small; lia.
Qed.

(** ** The lowest byte *)

Lemma upper_of w n : 0 <= n -> w mod 256 + n < 256 -> (w + n) / 256 = w / 256.
Proof.
  intros N H. pose proof (Z.mod_pos_bound w 256).
  rewrite (Z.div_mod w 256) at 1 by lia.
  replace (256 * (w / 256) + w mod 256 + n) with ((w mod 256 + n) + (w / 256) * 256) by lia.
  rewrite Z.div_add by lia. rewrite Z.div_small by lia. lia.
Qed.

Lemma lower_of w n : 0 <= n -> w mod 256 + n < 256 -> (w + n) mod 256 = w mod 256 + n.
Proof.
  intros N H. pose proof (Z.mod_pos_bound w 256).
  rewrite (Z.div_mod w 256) at 1 by lia.
  replace (256 * (w / 256) + w mod 256 + n) with ((w mod 256 + n) + (w / 256) * 256) by lia.
  rewrite Z.mod_add by lia. apply Z.mod_small; lia.
Qed.

(** [Symbolic::add_to_byte]: the word is a multiple of a step, and less than a step. None of the multiples of the step that
    the sum passes is one of 256. *)
Theorem sum_in_byte base rest number step count :
  0 < step -> 256 = step * count -> base mod step = 0 -> 0 <= rest < step -> 0 <= number ->
  (forall j, 1 <= j <= (rest + number) / step -> (base + j * step) mod 256 <> 0) ->
  (base + rest) mod 256 + number < 256.
Proof.
  intros S C B R N None.
  destruct (Z.lt_ge_cases ((base + rest) mod 256 + number) 256) as [H | H]; [exact H | exfalso].
  apply Z.mod_divide in B; [| lia]. destruct B as [b B].
  pose proof (Z.mod_pos_bound (base + rest) 256). set (q := (base + rest) / 256).
  assert (E : base + rest = 256 * q + (base + rest) mod 256) by (apply Z.div_mod; lia).
  (* The next multiple of 256 is a multiple of the step that is passed. *)
  set (j := count * (q + 1) - b).
  assert (J : base + j * step = 256 * (q + 1)) by (unfold j; rewrite B, C; ring).
  assert (0 < j * step) by lia.
  apply (None j).
  - split; [nia |]. apply Z.div_le_lower_bound; [lia |]. rewrite Z.mul_comm. lia.
  - rewrite J, Z.mul_comm. apply Z.mod_mul; lia.
Qed.

(** [Symbolic::absorbed]: XOR with a number below the step. *)
Theorem xor_below_step base rest number k :
  0 <= k -> base mod 2 ^ k = 0 -> 0 <= rest < 2 ^ k -> 0 <= number < 2 ^ k ->
  Z.lxor (base + rest) number = base + Z.lxor rest number.
Proof.
  intros K B R N. assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
  apply Z.mod_divide in B; [| lia]. destruct B as [b ->].
  assert (Low : forall x, 0 <= x < 2 ^ k -> forall i, k <= i -> Z.testbit x i = false).
  { intros x X i I. destruct (Z.eq_dec x 0) as [-> | Nz]; [apply Z.bits_0 |].
    apply Z.bits_above_log2; [lia |]. enough (Z.log2 x < k) by lia. apply Z.log2_lt_pow2; lia. }
  assert (Sum : forall x, 0 <= x < 2 ^ k -> b * 2 ^ k + x = Z.lxor (Z.shiftl b k) x).
  { intros x X. rewrite <- Z.shiftl_mul_pow2 by lia. apply Z.add_nocarry_lxor.
    apply Z.bits_inj_0; intros i. rewrite Z.land_spec.
    destruct (Z.lt_ge_cases i k) as [I | I].
    - rewrite Z.shiftl_spec_low by lia; reflexivity.
    - rewrite (Low x X i I). apply andb_false_r. }
  assert (L : 0 <= Z.lxor rest number < 2 ^ k).
  { assert (0 <= Z.lxor rest number) by (apply Z.lxor_nonneg; lia). split; [lia |].
    destruct (Z.eq_dec (Z.lxor rest number) 0) as [-> | Nz]; [lia |].
    apply Z.log2_lt_pow2; [lia |]. apply Z.lt_nge; intros G.
    assert (T : Z.testbit (Z.lxor rest number) (Z.log2 (Z.lxor rest number)) = true) by (apply Z.bit_log2; lia).
    rewrite Z.lxor_spec, !Low in T by (try assumption; lia). discriminate. }
  rewrite !Sum by assumption. apply Z.lxor_assoc.
Qed.

(** [Symbolic::lowest]: the word before one whose lowest byte is not zero has the same upper bytes. *)
Theorem lowest_shares_upper_bytes w : w mod 256 <> 0 -> (w - 1) / 256 = w / 256.
Proof.
  intros H. pose proof (Z.mod_pos_bound w 256).
  assert (E : (w - 1) mod 256 + 1 < 256).
  { pose proof (Z.mod_pos_bound (w - 1) 256).
    destruct (Z.eq_dec ((w - 1) mod 256) 255) as [F |]; [| lia].
    exfalso; apply H. replace w with ((w - 1) + 1) by lia.
    rewrite Zplus_mod, F. reflexivity. }
  replace w with ((w - 1) + 1) at 2 by lia. symmetry; apply upper_of; lia.
Qed.

(** [Symbolic::ends]: a multiple of 2^k at a distance that is not such a multiple. *)
Theorem other_alignment w other k :
  0 <= k <= 8 -> other mod 2 ^ k = 0 -> (w - other) mod 2 ^ k <> 0 -> w mod 256 <> 0.
Proof.
  intros K O D W. apply D.
  assert (0 < 2 ^ k) by (apply Z.pow_pos_nonneg; lia).
  rewrite Zminus_mod, O, Z.sub_0_r, Z.mod_mod by lia.
  apply Z.mod_divide in W; [| lia]. destruct W as [q ->].
  replace 256 with (2 ^ (8 - k) * 2 ^ k) by (rewrite <- Z.pow_add_r by lia; replace (8 - k + k) with 8 by lia; reflexivity).
  rewrite Z.mul_assoc. apply Z.mod_mul; lia.
Qed.

Lemma stays w n : 0 <= n -> (forall j, 1 <= j <= n -> (w + j) mod 256 <> 0) -> w mod 256 + n < 256.
Proof.
  intros N H. replace w with (w + 0) by lia. apply (sum_in_byte w 0 n 1 256); try lia.
  - apply Z.mod_1_r.
  - intros j J. rewrite Z.mul_1_r. apply H. rewrite Z.div_1_r in J. lia.
Qed.

(** [Symbolic::table]: a block of the counter table, and the lowest byte of the word that it is of. *)
Theorem table_place w n :
  0 <= n -> (forall j, 1 <= j <= n -> (w + j) mod 256 <> 0) ->
  16 * w - 4096 * (w / 256) + 16 * n = 16 * ((w + n) mod 256) /\ 0 <= (w + n) mod 256 < 256.
Proof.
  intros N H. pose proof (stays w n N H) as S. pose proof (Z.mod_pos_bound (w + n) 256).
  rewrite lower_of by assumption. rewrite (Z.mod_eq w 256) by lia. split; [lia |].
  rewrite <- Z.mod_eq by lia. pose proof (Z.mod_pos_bound w 256); lia.
Qed.

(** The counter of a block of 128 bits from its halves, with the carry that is verified. *)
Theorem counter_halves low high n carry :
  0 <= low + n - carry * M < M ->
  (high * M + low + n) mod (M * M) = ((high + carry) mod M) * M + (low + n) mod M.
Proof.
  intros R.
  assert (L : (low + n) mod M = low + n - carry * M).
  { apply (unsigned_value (low + n) (low + n) carry); [| exact R].
    unfold same_word; rewrite Z.sub_diag; reflexivity. }
  rewrite L.
  replace (high * M + low + n) with ((high + carry) * M + (low + n - carry * M)) by lia.
  rewrite (Z.div_mod (high + carry) M) at 1 by discriminate.
  pose proof (Z.mod_pos_bound (high + carry) M eq_refl).
  replace ((M * ((high + carry) / M) + (high + carry) mod M) * M + (low + n - carry * M))
    with ((((high + carry) mod M) * M + (low + n - carry * M)) + ((high + carry) / M) * (M * M)) by ring.
  rewrite Z.mod_add by discriminate. apply Z.mod_small. nia.
Qed.

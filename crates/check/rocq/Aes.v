(** The rounds of crates/check/src/spec.rs, written down again, are those that Lanes.v speaks of: SubBytes is a function of
    each byte, and ShiftRows, MixColumns and InvMixColumns are linear. *)

From Coq Require Import Arith NArith List Bool Lia.
From Aesmith Require Import Lanes.
Import ListNotations.
Open Scope N_scope.

Definition double a := N.lxor (N.land (N.shiftl a 1) 255) (if N.testbit a 7 then 27 else 0).

(** [product] of spec.rs: a loop over the bits of the second factor. *)
Fixpoint product_loop n a b sum :=
  match n with
  | O => sum
  | S n => product_loop n (double a) (N.div2 b) (if N.odd b then N.lxor sum a else sum)
  end.
Definition product a b := product_loop 8 a b 0.

(** The product by a fixed factor, a sum of doubles. *)
Fixpoint multiple n c x := match n with O => 0 | S n => N.lxor (if N.odd c then x else 0) (multiple n (N.div2 c) (double x)) end.
Definition times c x := multiple 8 c x.

Definition bytes := map N.of_nat (seq 0 256).

Lemma in_bytes a : a < 256 -> In a bytes.
Proof. intros A. apply in_map_iff. exists (N.to_nat a). rewrite in_seq. lia. Qed.

(** Of bytes both are the same. *)
Theorem products_agree a b : a < 256 -> b < 256 -> product a b = times a b.
Proof.
  assert (E : forallb (fun a => forallb (fun b => product a b =? times a b) bytes) bytes = true) by (vm_compute; reflexivity).
  intros A B. rewrite forallb_forall in E. specialize (E a (in_bytes a A)).
  rewrite forallb_forall in E. apply N.eqb_eq, E, in_bytes, B.
Qed.

Lemma double_plus a b : double (N.lxor a b) = N.lxor (double a) (double b).
Proof.
  unfold double. apply N.bits_inj; intros i.
  rewrite N.shiftl_lxor, N.lxor_spec.
  rewrite !N.lxor_spec, !N.land_spec, !N.lxor_spec.
  generalize (N.testbit 255 i) (N.testbit (N.shiftl a 1) i) (N.testbit (N.shiftl b 1) i); intros x y z.
  destruct (N.testbit a 7), (N.testbit b 7); cbn [xorb]; rewrite ?N.bits_0; generalize (N.testbit 27 i); intros w;
    destruct w, x, y, z; reflexivity.
Qed.

Lemma lxor_swap a b c d : N.lxor (N.lxor a b) (N.lxor c d) = N.lxor (N.lxor a c) (N.lxor b d).
Proof. rewrite !N.lxor_assoc. f_equal. rewrite <- !N.lxor_assoc. f_equal. apply N.lxor_comm. Qed.

Lemma multiple_plus n : forall c a b, multiple n c (N.lxor a b) = N.lxor (multiple n c a) (multiple n c b).
Proof.
  induction n as [| n IH]; intros c a b; simpl; [reflexivity |].
  rewrite double_plus, IH. destruct (N.odd c); [apply lxor_swap |].
  rewrite !N.lxor_0_l. reflexivity.
Qed.

Lemma times_plus c a b : times c (N.lxor a b) = N.lxor (times c a) (times c b).
Proof. apply multiple_plus. Qed.

(** A circulant matrix by its first row; byte [r + 4 c] is in row [r] and column [c]. *)
Definition mix (row : list N) (a : nat -> N) : nat -> N := fun i =>
  fold_right (fun k s => N.lxor (times (nth ((k + 4 - i mod 4) mod 4) row 0) (a (i / 4 * 4 + k)%nat)) s) 0 (seq 0 4).

(** Row [r] moves left by [r * step] columns. *)
Definition shift step (a : nat -> N) : nat -> N := fun i => a (i mod 4 + 4 * ((i / 4 + i mod 4 * step) mod 4))%nat.

Lemma mix_additive row : additive N N.lxor (mix row).
Proof.
  split; intros a b.
  - intros E i. unfold mix. cbn [seq fold_right]. rewrite !E. reflexivity.
  - intros i. unfold mix, plus. cbn [seq fold_right]. rewrite !times_plus.
    repeat match goal with |- context [times ?x ?y] => generalize (times x y); intros ? end.
    apply N.bits_inj; intros j. rewrite !N.lxor_spec, !N.bits_0.
    repeat match goal with |- context [N.testbit ?x j] => destruct (N.testbit x j) end; reflexivity.
Qed.

Lemma mix_shift_additive row step : additive N N.lxor (fun a => mix row (shift step a)).
Proof.
  destruct (mix_additive row) as [P A]. split; intros a b.
  - intros E. apply P. intros i; apply E.
  - intros i. rewrite <- (A _ _ i). apply P. intros j; reflexivity.
Qed.

(** The S-box: the power 254, and an affine map. *)
Fixpoint power n a := match n with O => 1 | S n => product (power n a) a end.
Definition rotated a k := N.lor (N.land (N.shiftl a k) 255) (N.shiftr a (8 - k)).
Definition sbox_of a := let p := power 254 a in fold_right (fun k s => N.lxor (rotated p k) s) 99 [0; 1; 2; 3; 4].
Definition table := Eval vm_compute in map sbox_of bytes.
Definition sbox a := nth (N.to_nat a) table 0.

(** [Round::Encrypt]. *)
Definition encrypt := Lanes.encrypt N sbox (fun a => mix [2; 3; 1; 1] (shift 1 a)).

(** The rule for split rounds, of the rounds of AES. *)
Theorem aes_split_round k a :
  same N (encrypt a)
    (plus N N.lxor (plus N N.lxor (encrypt (only N 0 k a)) (encrypt (only N 0 (fun i => negb (k i)) a))) (encrypt (nothing N 0))).
Proof.
  apply split_round; [| | | | apply mix_shift_additive].
  - intros; symmetry; apply N.lxor_assoc.
  - apply N.lxor_comm.
  - apply N.lxor_0_r.
  - apply N.lxor_nilpotent.
Qed.

(** The rule for InvMixColumns. *)
Theorem aes_inverse_mix_additive : additive N N.lxor (mix [14; 11; 13; 9]).
Proof. apply mix_additive. Qed.

(** The example of FIPS-197, appendix B: the state at the start of round 1, and that before its key is added. *)
Definition of_list (l : list N) : nat -> N := fun i => nth i l 0.
Definition to_list (a : nat -> N) := map a (seq 0 16).

Example first_round :
  to_list (encrypt (of_list [0x19; 0x3d; 0xe3; 0xbe; 0xa0; 0xf4; 0xe2; 0x2b; 0x9a; 0xc6; 0x8d; 0x2a; 0xe9; 0xf8; 0x48; 0x08]))
  = [0x04; 0x66; 0x81; 0xe5; 0xe0; 0xcb; 0x19; 0x9a; 0x48; 0xf8; 0xd3; 0x7a; 0x28; 0x06; 0x26; 0x4c].
Proof. vm_compute; reflexivity. Qed.

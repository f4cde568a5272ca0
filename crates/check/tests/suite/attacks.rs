//! Rules whose premises are verified: each attack is refused, and a control beside it is accepted.

use aesmith_check::contract::Contract;
use aesmith_check::decode::{Op, Shift, decode};
use aesmith_check::execute::{Domain, step};
use aesmith_check::linear::Linear;
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{Atom, Terms, ZERO};
use aesmith_check::{Accepted, Certificate, check};
use std::path::Path;

/// The domain at the entry of a function without code.
fn domain() -> Symbolic<'static> {
    Symbolic::entry(Terms::default(), Contract::named("aes128-ctr").expect("a contract"), &[], 0..0).0
}

/// A word whose lowest bit is known to be zero: the low half of the counter on such a path.
fn even(d: &mut Symbolic) -> Linear {
    let word = d.terms.word(Atom::Counter(0));
    let bit = d.disjoint(&word, 1);
    d.assume(&bit, true);
    word
}

/// A shuffle with some bytes, and zeros behind them.
fn shuffle(bytes: &[u8]) -> [u8; 16] {
    core::array::from_fn(|k| bytes.get(k).copied().unwrap_or(ZERO))
}

/// XOR of a constant with one of two copies of a word's lowest byte is no other word.
#[test]
fn a_constant_changes_one_copy_of_a_byte() {
    for (copies, is_sum) in [(&[0, 1][..], true), (&[0, 0], false), (&[1, 2, 0, 0], false)] {
        let mut d = domain();
        let word = even(&mut d);
        let (zero, one) =
            (Linear::default(), d.lane(1 << (8 * copies.iter().position(|&k| k == 0).expect("a copy"))));
        let (lane, sum) = (d.words(&word, &zero), d.words(&word.offset(1), &zero));
        let (lane, sum) = (d.shuffled(&lane, &shuffle(copies)), d.shuffled(&sum, &shuffle(copies)));
        assert_eq!(d.xor(&lane, &one) == sum, is_sum, "{copies:?}");
    }
}

/// A sum with one of two copies of a word's lowest byte is no other word.
#[test]
fn a_sum_changes_one_copy_of_a_byte() {
    for (copies, is_sum) in [(&[1, 2, 3, 0][..], true), (&[0, 1, 2, 0], false)] {
        let mut d = domain();
        let word = even(&mut d);
        let (zero, one) = (Linear::default(), d.lane(1 << 24));
        let lane = d.words(&word, &zero);
        let lane = d.shuffled(&lane, &shuffle(copies));
        // Nothing is carried, since the word is even.
        let odd = d.words(&word.offset(1), &zero);
        let odd = d.shuffled(&odd, &shuffle(copies));
        let bit = d.disjoint(&word.offset(1), 255);
        d.assume(&bit, false);
        assert_eq!(d.add_doubles(&lane, &one).is_ok_and(|sum| sum == odd), is_sum, "{copies:?}");
    }
}

/// A mask of 63 ones has the largest power of two above it.
#[test]
fn all_masks_of_low_ones_are_supported() {
    for ones in 1..64 {
        let mut d = domain();
        let word = d.terms.word(Atom::Counter(0));
        let low = d.bitwise(Op::And, &word, &Linear::number((1 << ones) - 1)).expect("a value");
        let quotient = d.shifted(&word, Shift::Right, ones);
        assert_eq!(low, word.minus(&quotient.combine(&quotient, (1_i64 << ones).wrapping_sub(1))), "{ones}");
    }
}

/// A shift by more than one place may leave the overflow flag, which is undefined, as it was, and `bzhi` the parity flag.
#[test]
fn undefined_flags_stay_secret() {
    // shr rax, 1; shr rax, 5; shl rax, 1; shl rax, 5; test rax, rax; bzhi rcx, rdx, rax.
    for (bytes, is_secret) in [
        (&[0x48, 0xd1, 0xe8][..], false),
        (&[0x48, 0xc1, 0xe8, 5], true),
        (&[0x48, 0xc1, 0xe0, 1], false),
        (&[0x48, 0xc1, 0xe0, 5], true),
        (&[0x48, 0x85, 0xc0], false),
        (&[0xc4, 0xe2, 0xf8, 0xf5, 0xca], true),
    ] {
        let contract = Contract::named("aes128-ctr").expect("a contract");
        let (mut d, mut registers) = Symbolic::entry(Terms::default(), contract, &[], 0..0);
        registers.general[0] = Linear::number(5);
        registers.general[2] = Linear::number(-1);
        registers.flags.is_secret = true;
        step(&mut d, &mut registers, &decode(bytes).expect("an instruction"), 0).expect("it is executed");
        assert_eq!(registers.flags.is_secret, is_secret, "{bytes:?}");
    }
}

/// The verdict on a file.
fn verdict(name: &str) -> Result<Accepted, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/attacks/{name}.proof"));
    check(&Certificate::read(&std::fs::read_to_string(file).expect("a file")).expect("a certificate"))
}

/// That attack as a whole kernel, which would write behind the output.
#[test]
fn a_length_with_two_copies_of_a_byte_is_another() {
    let reason = verdict("two-copies").expect_err("it is refused");
    assert!(reason.contains("another number of blocks"), "{reason}");
}

/// The value of a variable is public at the head, so it must be public where a path ends.
#[test]
fn a_variable_carries_no_secret() {
    verdict("public-variable").expect("it is accepted");
    let reason = verdict("secret-variable").expect_err("it is refused");
    assert!(reason.contains("a value for s that depends on a secret"), "{reason}");
}

//! Rules whose premises are verified: each attack is refused, and a control beside it is accepted.

use aesmith_check::contract::Contract;
use aesmith_check::decode::{Op, decode};
use aesmith_check::execute::{Domain, step};
use aesmith_check::linear::Linear;
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{Atom, ZERO};
use aesmith_check::{Certificate, check};

/// The domain at the entry of a function without code.
fn domain() -> Symbolic<'static> {
    Symbolic::entry(Contract::named("aes128-ctr").expect("a contract"), &[], 0..0).0
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
        let low = d.bitwise(Op::And, &word, &Linear::number((1 << ones) - 1)).ok().expect("a value");
        let quotient = d.shifted(&word, ones);
        assert_eq!(low, word.minus(&quotient.combine(&quotient, (1_i64 << ones).wrapping_sub(1))), "{ones}");
    }
}

/// A shift by more than one place may leave the overflow flag, which is undefined, as it was.
#[test]
fn undefined_flags_stay_secret() {
    // shr rax, 1; shr rax, 5; shl rax, 1; shl rax, 5; test rax, rax.
    for (bytes, is_secret) in [
        (&[0x48, 0xd1, 0xe8][..], false),
        (&[0x48, 0xc1, 0xe8, 5], true),
        (&[0x48, 0xc1, 0xe0, 1], false),
        (&[0x48, 0xc1, 0xe0, 5], true),
        (&[0x48, 0x85, 0xc0], false),
    ] {
        let contract = Contract::named("aes128-ctr").expect("a contract");
        let (mut d, mut registers) = Symbolic::entry(contract, &[], 0..0);
        registers.general[0] = d.terms.word(Atom::Length);
        registers.flags.is_secret = true;
        step(&mut d, &mut registers, &decode(bytes).expect("an instruction"), 0)
            .ok()
            .expect("it is executed");
        assert_eq!(registers.flags.is_secret, is_secret, "{bytes:?}");
    }
}

/// A kernel that tests a word of `SOURCE` before each block, where a head names it by a variable.
const LEAK: &str = "
aesmith certificate with proof, version 2
contract aes128-ecb
CODE
to tail p = 0
to test p = 0, s = VALUE
lines all
rsp = stack
rbx = old.rbx
rbp = old.rbp
r12 = old.r12
r13 = old.r13
r14 = old.r14
r15 = old.r15
done = 16*p
head test TEST
variable p
variable s
with all
rax = s
rdi = key
rsi = in + 16*p
rdx = out + 16*p
rcx = len - 16*p
fact len - 16*p - 16 >= 0
to tail p = p + 1
to test p = p + 1, s = VALUE
to tail p = p + 1
to test p = p + 1, s = VALUE
head tail TAIL
variable p
with all
fact len - 16*p >= 0
fact 15 - len + 16*p >= 0
to exit p
";

/// The value of a variable is public at the head, so it must be public where a path ends.
#[test]
fn a_variable_carries_no_secret() {
    // cmp rcx, 16; jb tail; loop: mov rax, SOURCE; test: test rax, rax; je next; next: one block as in aes128-ecb.proof.
    let head = "4883f9100f82";
    let block = "4885c07400c5fa6f0ec5f1ef0fc4e271dc4f10c4e271dc4f20c4e271dc4f30c4e271dc4f40c4e271dc4f50c4e271dc4f60\
                 c4e271dc4f70c4e271dc8f80000000c4e271dc8f90000000c4e271dd8fa0000000c5fa7f0a4883c6104883c2104883e9104883f910";
    for (source, first, next, refused) in [
        // The length that is left, and the first word of the text.
        ("4889c8", "len", "len - 16*p - 16", None),
        ("488b06", "low(x[0])", "low(x[p + 1])", Some("secret")),
    ] {
        let body = format!("{source}{block}");
        let length = body.len() / 2;
        let code = format!("{head}{:02x}000000{body}73{:02x}c3", length + 2, 256 - (length + 2));
        let (test, tail) = (10 + source.len() / 2, 10 + length + 2);
        let text = LEAK.trim().replace("CODE", &format!("code {code}"));
        let text = text.replacen("VALUE", first, 1).replace("VALUE", next);
        let text = text.replace("TEST", &test.to_string()).replace("TAIL", &tail.to_string());
        let verdict = check(&Certificate::read(&text).expect("a certificate"));
        match refused {
            None => assert!(verdict.is_ok(), "{verdict:?}"),
            Some(reason) => assert!(verdict.as_ref().is_err_and(|e| e.contains(reason)), "{verdict:?}"),
        }
    }
}

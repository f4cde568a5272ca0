//! Rules of AVR.

use crate::plus;
use aesmith_check::avr::Avr;
use aesmith_check::bytes::memory::Path;
use aesmith_check::bytes::run::Run;
use aesmith_check::bytes::terms::Terms;
use aesmith_check::bytes::{Proof, TITLE, check};
use aesmith_check::linear::Linear;

/// A proof about AVR with some code and lines.
fn on_avr(contract: &str, code: &str, lines: &str) -> Proof {
    Proof::read(&format!("{TITLE}avr\ncontract {contract}\ncode {code}\n{lines}")).expect("it is read")
}

#[test]
fn what_a_head_of_avr_does_not_state_is_unknown() {
    let proof = on_avr("aes128-cbc", "0895", "head h 0\n");
    let mut run = Run::new(Avr, &proof).expect("a run");
    let start = run.start().clone();
    let state = run.stated(0).expect("a state");
    let terms = &run.memory.terms;
    for (own, old) in state.registers.general.iter().zip(start.registers.general) {
        assert!(terms.is_secret(*own) && *own != old);
    }
    // The last flag is that of interrupts, which is as at entry.
    for flag in &state.registers.flags[..7] {
        assert!(terms.is_secret(*flag));
    }
    assert_eq!(state.registers.flags[7], start.registers.flags[7]);
    for (own, old) in state.path.iv.iter().zip(start.path.iv) {
        assert!(terms.is_secret(*own) && *own != old);
    }
    assert!(state.path.cells.is_empty() && state.path.stored.is_empty());
}

/// A number of blocks is compared with 5, and its bytes with 0: each side of the branch knows what was decided, and no more.
#[test]
fn branches_on_words_of_avr_decide_their_bounds() {
    // cpi r16, 5; cpc r17, r1; brcs or brcc .+2. or r0, r16 with r17; breq .+2.
    for (code, bound) in [("0530110508f00000", 5), ("0530110508f40000", 5), ("0115110509f00000", 1)] {
        let proof = on_avr("aes128-ctr", code, "");
        let mut run = Run::new(Avr, &proof).expect("a run");
        let (state, mut waiting) = (run.start().clone(), Vec::new());
        let end = run.follow(state, &mut waiting);
        assert!(end.is_err(), "the code ends there");
        let other = waiting.pop().expect("another side");
        assert!(waiting.is_empty());
        let blocks = run.memory.blocks();
        let least = |path: &Path, number: i128| path.facts.imply(&blocks.offset(-number), &|_| Some(65535));
        let most = |path: &Path, number: i128| {
            path.facts.imply(&plus(&Linear::number(number), &blocks, -1), &|_| Some(65535))
        };
        let is_high = least(&other.path, bound);
        assert_ne!(is_high, most(&other.path, bound - 1), "{code}");
        assert!(!least(&other.path, bound + 1) && (is_high || !most(&other.path, bound - 2)), "{code}");
        assert!(!is_high || !most(&other.path, 65534), "{code}");
    }
}

/// AND of two bytes is as secret as both, and nothing is known of it but bits that are zero in one.
#[test]
fn a_bitwise_and_of_bytes_is_unknown() {
    let mut t = Terms::new(2);
    let (secret, public) = (t.unknown(true), t.unknown(false));
    let low = t.constant(0x0f);
    let half = t.and(public, low);
    for (a, b, bits) in
        [(secret, public, 0xff), (public, secret, 0xff), (secret, half, 0x0f), (half, secret, 0x0f)]
    {
        let both = t.and(a, b);
        assert!(t.is_secret(both));
        for bit in 0..8 {
            let mask = t.constant(1 << bit);
            let one = t.and(both, mask);
            assert_eq!(t.as_constant(one).is_none(), bits >> bit & 1 == 1, "bit {bit}");
        }
    }
    let other = t.unknown(false);
    let both = t.and(public, other);
    assert!(!t.is_secret(both));
}

/// Carries out of four bits, of complements, and of the high byte of a word with the carry of another.
#[test]
fn carries_are_those_of_their_sums() {
    let mut t = Terms::new(2);
    let (zero, one, ones) = (t.constant(0), t.constant(1), t.constant(255));
    let words = [0, 3].map(Linear::atom);
    let [key, out] = words.map(|word| [0, 1].map(|half| t.half(&word, half)));
    let number = t.constant(200);
    let carries = [key, out].map(|[low, _]| t.carry(low, number, zero, 8));
    assert_ne!(carries[0], carries[1]);
    let high = t.sum(key[1], zero, carries[0]);
    assert_eq!(high, t.half(&Linear::atom(0).offset(200), 1));
    assert_ne!(t.sum(key[1], zero, carries[1]), high);
    // Half a carry is another bit.
    assert_ne!(t.carry(key[0], number, zero, 4), carries[0]);
    // x + ~x + c carries if c is 1.
    let byte = t.unknown(true);
    let inverse = t.xor(byte, ones);
    for bits in [4, 8] {
        assert_eq!(t.carry(byte, inverse, zero, bits), zero);
        assert_eq!(t.carry(byte, inverse, one, bits), one);
    }
}

/// Loads into a pointer that moves, and stores of it, have no meaning; those of other registers have one.
#[test]
fn a_pointer_that_moves_is_not_loaded_or_stored() {
    for (base, low) in [(26, [0xd, 0xe]), (28, [0x9, 0xa]), (30, [0x1, 0x2])] {
        for step in low {
            for (kind, register) in (0..2).flat_map(|kind| (0..32).map(move |register| (kind, register))) {
                let word: u16 = 0x9000 | kind << 9 | register << 4 | step;
                let proof = on_avr("aes128-ecb", &format!("{:04x}", word.swap_bytes()), "");
                let error = check(&proof).expect_err("it is no cipher");
                let is_none = error.starts_with("0x0: it executes bytes that are no instruction");
                assert_eq!(is_none, register / 2 == base / 2, "{word:04x}: {error}");
            }
        }
    }
}

/// A head states bytes that are in use on the function's own stack.
#[test]
fn a_head_of_avr_states_bytes_in_use() {
    for (pointer, at, is_allowed) in [
        (0, 0, false),
        (0, 1, false),
        (0, 2, false),
        (-1, 0, true),
        (-1, -1, false),
        (-2, -1, true),
        (-2, 1, false),
        (-2, 2, false),
        (-2, -2, false),
    ] {
        let proof =
            on_avr("aes128-cbc", "0895", &format!("head h 0\npointer = {pointer}\nstack[{at}] = 5\n"));
        let mut run = Run::new(Avr, &proof).expect("a run");
        assert_eq!(run.stated(0).is_ok(), is_allowed, "{pointer}, {at}");
    }
}

/// A call puts both bytes of its address on the stack of the function.
#[test]
fn a_call_on_avr_has_room_for_its_address() {
    for (low, is_allowed) in [(0xfe, true), (0xff, false)] {
        // in r28, SPL; in r29, SPH; subi r28, low; sbci r29, 3; cli; out SPH, r29; out SPL, r28; rcall .+0; ret.
        let subi: u16 = 0x50c0 | (low & 0xf0) << 4 | low & 15;
        let words = [0xb7cd, 0xb7de, subi, 0x40d3, 0x94f8, 0xbfde, 0xbfcd, 0xd000, 0x9508];
        let code: String = words.iter().map(|word: &u16| format!("{:04x}", word.swap_bytes())).collect();
        let proof = on_avr("aes128-ecb", &code, "to exit\n");
        let error = check(&proof).expect_err("it is no cipher");
        assert_eq!(!error.starts_with("0xe: the stack pointer"), is_allowed, "{low:#x}: {error}");
    }
}

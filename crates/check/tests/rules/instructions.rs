//! Meanings of instructions, and their encodings.

use crate::{State, at, bits, domain, entry, is_refused, known, plus};
use aesmith_check::decode::decode;
use aesmith_check::execute::{AND, Domain, step};
use aesmith_check::linear::Linear;
use aesmith_check::symbolic::{Bit, Stop};
use aesmith_check::terms::{Atom, Part, Region, ZERO};

/// Executes an instruction of 64 bits, or with VEX.
fn execute((d, registers): &mut State, bytes: &[u8]) -> Result<(), Stop> {
    step(d, registers, &decode(bytes).expect("an instruction"), 0).map(drop)
}

#[test]
fn bitwise_operations_are_what_they_are() {
    let mut d = domain("aes128-ctr");
    let (text, mask) = (d.terms.part(Part::Text(Linear::default())), d.terms.constant(0xff00));
    let second = d.terms.shuffled(text, &std::array::from_fn(|k| if k == 1 { 1 } else { ZERO }));
    assert_eq!(d.logic(AND, [&text, &text, &mask]).ok(), Some(second));
    // ANDN, OR, and masks with other bits.
    for table in [0x22, 0xee, 0x3c, 0x99] {
        assert!(d.logic(table, [&text, &text, &mask]).is_err(), "{table:#x}");
    }
    for mask in [0x80, 0xf0, 0xfe00, 0xff01] {
        let mask = d.terms.constant(mask);
        assert!(d.logic(AND, [&text, &text, &mask]).is_err());
        assert!(d.logic(AND, [&text, &mask, &text]).is_err());
    }
    // Sums are with whole bytes.
    let (number, low) = (d.terms.word(Atom::Counter(0)), Linear::default());
    let lane = d.terms.words(&low, &number);
    for numbers in [0x0001, 0x0100, 0x01_0000] {
        let numbers = d.terms.constant(numbers);
        assert!(d.add_doubles(&lane, &numbers).is_err());
    }
}

/// Opmasks are public words, or signs of bytes: an instruction takes what was written last, and all of it.
#[test]
fn opmasks_are_what_was_written_last() {
    // vpmovb2m k1, xmm1 and ymm1; vpmovm2b xmm2, k1 and ymm2; kmovq k1, rax.
    let (signs, of_ymm) = ([0x62, 0xf2, 0x7e, 0x08, 0x29, 0xc9], [0x62, 0xf2, 0x7e, 0x28, 0x29, 0xc9]);
    let (bytes, to_ymm) = ([0x62, 0xf2, 0x7e, 0x08, 0x28, 0xd1], [0x62, 0xf2, 0x7e, 0x28, 0x28, 0xd1]);
    let word = [0xc4, 0xe1, 0xfb, 0x92, 0xc8];
    let new = || {
        let mut state = bits("aes128-ctr");
        state.1.general[0] = Linear::number(5);
        state
    };
    for (first, second, is_allowed) in
        [(signs, bytes, true), (of_ymm, to_ymm, true), (signs, to_ymm, false), (of_ymm, bytes, false)]
    {
        let mut state = new();
        assert!(execute(&mut state, &bytes).is_err(), "it holds no signs");
        execute(&mut state, &first).expect("signs");
        assert_eq!(execute(&mut state, &second).is_ok(), is_allowed);
        execute(&mut state, &word).expect("a public word");
        assert!(execute(&mut state, &second).is_err(), "it holds no signs any more");
    }
    let mut state = new();
    state.1.general[0] = state.0.terms.unknown();
    assert!(execute(&mut state, &word).is_err(), "a secret");
    // vpblendmb xmm2 {k1}, xmm3, xmm1 and ymm2.
    let (blend, of_two) = ([0x62, 0xf2, 0x65, 0x09, 0x66, 0xd1], [0x62, 0xf2, 0x65, 0x29, 0x66, 0xd1]);
    for (first, second, is_allowed) in
        [(signs, blend, true), (of_ymm, of_two, true), (signs, of_two, false), (of_ymm, blend, false)]
    {
        let mut state = new();
        // Lanes that a choice has: the same twice.
        state.1.vectors[3] = state.1.vectors[1];
        execute(&mut state, &first).expect("signs");
        assert_eq!(execute(&mut state, &second).is_ok(), is_allowed);
    }
    // vmovdqu8 xmm2 {k1}{z}, [rdx]: the rest of the text, by a mask that is no more.
    let load = [0x62, 0xf1, 0x7f, 0x89, 0x6f, 0x12];
    for is_lost in [false, true] {
        let mut state = new();
        let length = state.0.terms.word(Atom::Length);
        known(&mut state.0, &plus(&Linear::number(16), &length, -1));
        state.1.masks[1] = state.0.low_bits(&Linear::number(-1), &length).expect("ones");
        if is_lost {
            execute(&mut state, &signs).expect("signs");
        }
        assert_eq!(execute(&mut state, &load).is_err(), is_lost);
    }
}

/// An opmask is cleared by a XOR with itself; of two it is refused.
#[test]
fn an_opmask_is_cleared_by_itself() {
    // vpmovb2m k2, xmm1; kxorq k2, k2, k2; vpmovm2b xmm2, k2.
    let signs = [0x62, 0xf2, 0x7e, 0x08, 0x29, 0xd1];
    let (clear, bytes) = ([0xc4, 0xe1, 0xec, 0x47, 0xd2], [0x62, 0xf2, 0x7e, 0x08, 0x28, 0xd2]);
    let mut state = bits("aes128-ecb");
    execute(&mut state, &signs).expect("signs");
    // Signs of another opmask, or XORed to another one.
    for other in
        [[0xc4, 0xe1, 0xec, 0x47, 0xd1], [0xc4, 0xe1, 0xf4, 0x47, 0xd2], [0xc4, 0xe1, 0xec, 0x47, 0xca]]
    {
        assert!(execute(&mut state, &other).is_err(), "{other:x?}");
        assert!(execute(&mut state, &bytes).is_ok(), "it still holds signs");
    }
    execute(&mut state, &clear).expect("zero");
    assert!(state.1.signs[2].is_empty() && state.1.masks[2] == Linear::default());
    assert!(execute(&mut state, &bytes).is_err(), "it holds no signs any more");
    // The length that opmasks have, and no other prefix or width.
    for wrong in [
        [0xc4, 0xe1, 0xe8, 0x47, 0xd2],
        [0xc4, 0xe1, 0xed, 0x47, 0xd2],
        [0xc4, 0xe1, 0x6c, 0x47, 0xd2],
        [0xc4, 0xe1, 0xac, 0x47, 0xd2],
    ] {
        assert!(decode(&[&wrong[..], &[0x90; 8]].concat()).is_none(), "{wrong:x?}");
    }
}

/// A byte is doubled by a sum with its own value, in whichever register that is.
#[test]
fn a_byte_is_doubled_by_its_own_value() {
    // paddb xmm0, xmm1; vpaddb xmm0, xmm1, xmm1; vpaddb xmm0, xmm1, xmm2.
    let (legacy, same, two) = ([0x66, 0x0f, 0xfc, 0xc1], [0xc5, 0xf1, 0xfc, 0xc1], [0xc5, 0xf1, 0xfc, 0xc2]);
    for (bytes, registers, is_allowed) in [
        (legacy, [1, 1, 2], true),
        (legacy, [0, 1, 1], false),
        (same, [0, 1, 2], true),
        (two, [0, 1, 1], true),
        (two, [1, 1, 2], false),
    ] {
        let mut state = bits("aes128-ecb");
        let texts = [0, 1, 2].map(|k| state.0.terms.part(Part::Text(Linear::number(k))));
        for (register, text) in registers.into_iter().enumerate() {
            state.1.vectors[register] = [texts[text]; 4];
        }
        assert_eq!(execute(&mut state, &bytes).is_ok(), is_allowed, "{bytes:x?}, {registers:?}");
        let from: [u8; 128] = std::array::from_fn(|at| if at % 8 == 0 { 128 } else { at as u8 - 1 });
        let doubled = state.0.terms.moved_to(texts[1], &from).expect("bits");
        assert!(!is_allowed || state.1.vectors[0][0] == doubled, "{bytes:x?}");
    }
}

/// Flags depend on all operands, and on what they were before if they stay.
#[test]
fn flags_are_as_secret_as_what_they_come_from() {
    // inc rax; dec rax; add rax, rcx; add rcx, rax; cmp; xor; test.
    for (bytes, secret, before, is_secret) in [
        (&[0x48, 0xff, 0xc0][..], None, true, true),
        (&[0x48, 0xff, 0xc8], None, true, true),
        (&[0x48, 0xff, 0xc0], None, false, false),
        (&[0x48, 0xff, 0xc0], Some(0), false, true),
        (&[0x48, 0x01, 0xc8], Some(1), false, true),
        (&[0x48, 0x01, 0xc8], Some(0), false, true),
        (&[0x48, 0x01, 0xc8], None, true, false),
        (&[0x48, 0x39, 0xc8], Some(1), false, true),
        (&[0x48, 0x31, 0xc8], Some(1), false, true),
        (&[0x48, 0x85, 0xc8], Some(1), false, true),
        (&[0x48, 0x85, 0xc8], Some(0), false, true),
        (&[0x48, 0x85, 0xc8], None, true, false),
        (&[0x31, 0xc0], Some(0), true, false),
    ] {
        let mut state = entry("aes128-ctr");
        (state.1.general[0], state.1.general[1]) = (Linear::number(5), Linear::number(6));
        if let Some(register) = secret {
            let text = state.0.terms.part(Part::Text(Linear::default()));
            state.1.general[register] = state.0.terms.half(text, 0);
        }
        state.1.flags.is_secret = before;
        execute(&mut state, bytes).expect("it is executed");
        assert_eq!(state.1.flags.is_secret, is_secret, "{bytes:x?}, {secret:?}, {before}");
    }
}

/// Loads and stores that must be aligned, and stores past the caches.
#[test]
fn operands_are_aligned_where_they_must_be() {
    // movdqa xmm0, [rdi]; movdqa [rdx], xmm0; pxor xmm0, [rdi]; aesenc xmm0, [rdi]; vmovntdq [rdx], xmm0; movdqu xmm0, [rdi].
    let cases: [(&[u8], bool); 7] = [
        (&[0x66, 0x0f, 0x6f, 0x07], true),
        (&[0x66, 0x0f, 0x7f, 0x02], true),
        (&[0x66, 0x0f, 0xef, 0x07], true),
        (&[0x66, 0x0f, 0x38, 0xdc, 0x07], true),
        (&[0xc5, 0xf9, 0xe7, 0x02], true),
        (&[0xf3, 0x0f, 0x6f, 0x07], false),
        (&[0xc5, 0xf9, 0xef, 0x07], false),
    ];
    for (bytes, must) in cases {
        let mut state = entry("aes128-ecb");
        let verdict = execute(&mut state, bytes);
        assert_eq!(is_refused(&verdict, "must be a multiple"), must, "{bytes:x?}: {verdict:?}");
    }
    for (bytes, streams) in
        [(&[0xc5, 0xf9, 0xe7, 0x04, 0x24], true), (&[0xc5, 0xf9, 0x7f, 0x04, 0x24], false)]
    {
        let mut state = entry("aes128-ecb");
        let pointer = at(&mut state.0, Region::Stack, -24);
        state.0.stack(&pointer).expect("a place on the stack");
        state.1.general[4] = pointer;
        execute(&mut state, bytes).expect("it is aligned");
        assert_eq!(state.0.path.streams, streams, "{bytes:x?}");
    }
}

/// Bytes that no processor takes, or that mean something else, beside others that differ in little.
#[test]
fn encodings_are_those_of_the_table() {
    let cases: [(&str, &[u8], &[u8]); 11] = [
        (
            "a masked store without an opmask",
            &[0x62, 0xf1, 0x7f, 0x09, 0x7f, 0x09],
            &[0x62, 0xf1, 0x7f, 0x08, 0x7f, 0x09],
        ),
        (
            "a masked store with zeros",
            &[0x62, 0xf1, 0x7f, 0x09, 0x7f, 0x09],
            &[0x62, 0xf1, 0x7f, 0x89, 0x7f, 0x09],
        ),
        (
            "a masked load without zeros",
            &[0x62, 0xf1, 0x7f, 0x89, 0x6f, 0x12],
            &[0x62, 0xf1, 0x7f, 0x09, 0x6f, 0x12],
        ),
        // vpxorq xmm0, xmm0, [rdi] and vaesenc; vmovdqu64 xmm0, [rdi]: one element in all places.
        (
            "rounds of one element",
            &[0x62, 0xf2, 0x7d, 0x08, 0xdc, 0x07],
            &[0x62, 0xf2, 0x7d, 0x18, 0xdc, 0x07],
        ),
        (
            "a move of one element",
            &[0x62, 0xf1, 0xfd, 0x18, 0xef, 0x07],
            &[0x62, 0xf1, 0xfe, 0x18, 0x6f, 0x07],
        ),
        (
            "one element of a register",
            &[0x62, 0xf1, 0xfd, 0x18, 0xef, 0x07],
            &[0x62, 0xf1, 0xfd, 0x18, 0xef, 0xc7],
        ),
        // mov eax, [rbp + 2*rcx + 0]; mov eax, [2*rcx + 0].
        ("no base", &[0x8b, 0x44, 0x4d, 0x00], &[0x8b, 0x04, 0x4d, 0, 0, 0, 0]),
        ("a prefix of sfence", &[0x0f, 0xae, 0xf8], &[0x66, 0x0f, 0xae, 0xf8]),
        ("a prefix of vzeroupper", &[0xc5, 0xf8, 0x77], &[0x66, 0xc5, 0xf8, 0x77]),
        ("vaesimc of 256 bits", &[0xc4, 0xe2, 0x79, 0xdb, 0xc0], &[0xc4, 0xe2, 0x7d, 0xdb, 0xc0]),
        (
            "vaeskeygenassist of 256 bits",
            &[0xc4, 0xe3, 0x79, 0xdf, 0xc0, 1],
            &[0xc4, 0xe3, 0x7d, 0xdf, 0xc0, 1],
        ),
    ];
    for (what, right, wrong) in cases {
        // What stands behind an instruction is no part of it.
        let behind = |bytes: &[u8]| decode(&[bytes, &[0x90; 8]].concat()).map(|found| found.length);
        assert_eq!(behind(right), Some(right.len()), "{what}");
        assert_eq!(behind(wrong), None, "{what}");
    }
}

/// A sum is with a byte that is the lowest of a word, and nothing else: of parts, and of bits.
#[test]
fn a_sum_is_with_the_lowest_byte_alone() {
    for (mut d, _) in [entry("aes128-ctr"), bits("aes128-ctr")] {
        let (word, zero) = (d.terms.word(Atom::Counter(0)), Linear::default());
        // The next word does not end with zero, so that nothing is carried.
        let bit = d.disjoint(&word.offset(1), 255);
        d.assume(&bit, false);
        let place = |from: u8| std::array::from_fn(|k| if k == 3 { from } else { ZERO });
        let (own, text) = (d.words(&word, &zero), d.terms.part(Part::Text(zero.clone())));
        let (lane, other, upper) =
            (d.shuffled(&own, &place(0)), d.shuffled(&text, &place(5)), d.shuffled(&own, &place(1)));
        let (one, constant) = (d.lane(1 << 24), d.lane(6 << 24));
        let next = d.words(&word.offset(1), &zero);
        assert_eq!(d.add_doubles(&lane, &one).ok(), Some(d.shuffled(&next, &place(0))));
        for more in [constant, other, upper] {
            let sum = d.xor(&lane, &more);
            assert!(d.add_doubles(&sum, &one).is_err());
        }
        assert!(d.add_doubles(&upper, &one).is_err() && d.add_doubles(&other, &one).is_err());
        let two = d.lane(2 << 24);
        assert!(d.add_doubles(&lane, &two).is_err(), "the word behind the next one may end with zero");
        // A copy of the lowest byte is that of the old word. Of the upper bytes all are those of the next one, too.
        for (copy, is_allowed) in [(0, false), (7, true)] {
            let mask = std::array::from_fn(|k| [copy, 2, 7, 0, 5, 1].get(k).copied().unwrap_or(ZERO));
            let sum = d.shuffled(&own, &mask);
            let sum = d.add_doubles(&sum, &one);
            assert_eq!(sum.is_ok(), is_allowed, "{copy}");
            assert!(sum.is_err() || sum.ok() == Some(d.shuffled(&next, &mask)));
        }
    }
}

/// A XOR with a number is a sum where the bits of the number are known to be zero.
#[test]
fn a_xor_of_low_bits_is_a_sum() {
    for (mut d, _) in [entry("aes128-ctr"), bits("aes128-ctr")] {
        let (word, zero) = (d.terms.word(Atom::Counter(0)), Linear::default());
        let bit = d.disjoint(&word, 3);
        d.assume(&bit, true);
        let lane = d.words(&word, &zero);
        for (number, sum, is_sum) in
            [(2, 2, true), (3, 3, true), (4, 4, false), (7, 7, false), (0x102, 0x102, false)]
        {
            let constant = d.lane(number);
            let (found, expected) = (d.xor(&lane, &constant), d.words(&word.offset(sum), &zero));
            assert_eq!(found == expected, is_sum, "{number}");
        }
        // 1 is in the word already.
        let (one, two) = (d.lane(1), d.words(&word.offset(1), &zero));
        assert_eq!(d.xor(&two, &one), lane);
        // The lowest byte is in two places, or in a sum with another.
        let mask = std::array::from_fn(|k| if k < 2 { 0 } else { ZERO });
        let (twice, next) = (d.shuffled(&lane, &mask), d.words(&word.offset(2), &zero));
        let (constant, next) = (d.lane(0x202), d.shuffled(&next, &mask));
        assert_ne!(d.xor(&twice, &constant), next);
    }
}

/// Meanings that the comparison with the CPU finds where it has all instructions.
#[test]
fn carries_and_shifts_are_of_their_width() {
    let with = |a: i128, b: i128| {
        let mut state = entry("aes128-ctr");
        (state.1.general[0], state.1.general[1]) = (Linear::number(a), Linear::number(b));
        (state.1.flags.carry, state.1.flags.zero) = (Bit::Known(true), Bit::Known(false));
        state
    };
    // add eax, ecx; add rax, rcx.
    for (bytes, is_carry) in [(&[0x01, 0xc8][..], true), (&[0x48, 0x01, 0xc8], false)] {
        let mut state = with(0xffff_ffff, 1);
        execute(&mut state, bytes).expect("a sum");
        let carry = state.1.flags.carry.clone();
        assert_eq!(state.0.decide(&carry).ok(), Some(is_carry), "{bytes:x?}");
    }
    // sbb rax, 0, and sub rax, 0: the borrow of a difference with a borrow is not known.
    for (bytes, is_known) in [(&[0x48, 0x83, 0xd8, 0][..], false), (&[0x48, 0x83, 0xe8, 0], true)] {
        let mut state = with(0, 1);
        execute(&mut state, bytes).expect("a difference");
        let carry = state.1.flags.carry.clone();
        assert_eq!(state.0.decide(&carry).is_ok(), is_known, "{bytes:x?}");
    }
    // shl eax, 31, 32 and 40; shl rax, 40.
    for (bytes, is_allowed) in [
        (&[0xc1, 0xe0, 31][..], true),
        (&[0xc1, 0xe0, 32], false),
        (&[0xc1, 0xe0, 40], false),
        (&[0x48, 0xc1, 0xe0, 40], true),
    ] {
        assert_eq!(execute(&mut with(1, 1), bytes).is_ok(), is_allowed, "{bytes:x?}");
    }
    // vaeskeygenassist xmm0, xmm1, 1 of zero.
    let mut state = with(0, 0);
    state.1.vectors[1] = [state.0.lane(0); 4];
    execute(&mut state, &[0xc4, 0xe3, 0x79, 0xdf, 0xc1, 1]).expect("words");
    let found = state.0.terms.as_constant(state.1.vectors[0][0]);
    assert_eq!(found, Some(0x6363_6362_6363_6363_6363_6362_6363_6363));
}

/// A processor takes the lower bits of a number of places: of as many as there are, and of more, it is another one.
#[test]
fn shifts_are_by_less_than_there_are() {
    for (bits, most) in [(32, 31), (64, 62)] {
        for modrm in [0xe0, 0xe8, 0xc8] {
            for places in [0, 1, 8, 31, 32, 62, 63, 64, 255] {
                // shl, shr or ror of rax or eax.
                let bytes = [&[0x48][usize::from(bits == 32)..], &[0xc1, modrm, places]].concat();
                let mut state = bits_of_number();
                let is_allowed = (1..=most).contains(&places);
                assert_eq!(execute(&mut state, &bytes).is_ok(), is_allowed, "{bytes:x?}");
            }
        }
    }
}

/// The state at an entry, with terms of bits and a number in rax.
fn bits_of_number() -> State {
    let mut state = bits("aes128-ecb");
    state.1.general[0] = Linear::number(0x1234_5678);
    state
}

/// A byte that is written leaves all others, second bytes are those of the first registers, and rotations keep the zero flag.
#[test]
fn bytes_of_registers_are_apart() {
    // mov al, cl; movzx eax, ch; movzx eax, bpl.
    for (bytes, value) in
        [(&[0x88, 0xc8][..], 0x1234_56d4), (&[0x0f, 0xb6, 0xc5], 0xc3), (&[0x40, 0x0f, 0xb6, 0xc5], 0x55)]
    {
        let mut state = bits_of_number();
        (state.1.general[1], state.1.general[5]) = (Linear::number(0xc3d4), Linear::number(0x6655));
        execute(&mut state, bytes).expect("it is executed");
        assert_eq!(state.1.general[0], Linear::number(value), "{bytes:x?}");
    }
    // ror eax, 8.
    for is_zero in [false, true] {
        let mut state = bits_of_number();
        state.1.flags.zero = Bit::Known(is_zero);
        execute(&mut state, &[0xc1, 0xc8, 8]).expect("it is executed");
        assert_eq!(state.1.general[0], Linear::number(0x7812_3456));
        assert_eq!(state.1.flags.zero, Bit::Known(is_zero));
    }
}

//! Inequalities, alignments, conditions, low bits and masks.

use crate::{at, domain, is_refused, known, plus};
use aesmith_check::decode::{Op, Shift};
use aesmith_check::execute::Domain;
use aesmith_check::linear::{Facts, Linear};
use aesmith_check::symbolic::{Bit, Symbolic};
use aesmith_check::terms::{Atom, Region};

/// A condition that was tried in vain is no more true when it is asked again, and numbers that become too large imply nothing.
#[test]
fn what_does_not_follow_never_does() {
    let form = |constant: i128, terms: &[(u32, i128)]| Linear { constant, terms: terms.to_vec() };
    let mut facts = Facts::default();
    facts.add(form(-64, &[(0, 1), (1, -64)]));
    for _ in 0..3 {
        for (constant, is_true) in [(-64, true), (-65, false), (-66, false), (-63, true)] {
            assert_eq!(facts.imply(&form(constant, &[(0, 1)]), &|_| None), is_true, "{constant}");
        }
    }
    // Atom 2 is 2, the others are 0.
    let mut facts = Facts::default();
    facts.add(form(-(1 << 64), &[(0, -(1 << 96)), (1, 3), (2, 1 << 63)]));
    facts.add(form(-3, &[(1, -(1 << 31)), (2, 3)]));
    for goal in [form(-1, &[]), form(-1, &[(0, 1)]), form(-1, &[(1, 1)]), form(1, &[(2, -1)])] {
        assert!(!facts.imply(&goal, &|_| None), "{goal:?}");
    }
}

#[test]
fn alignments_are_those_that_are_assumed() {
    let mut d = domain("aes128-ctr");
    d.frame = Some((-8, 64));
    let least = |d: &mut Symbolic, region: Region, distance: i128, mask: u64| {
        let word = at(d, region, distance);
        d.disjoint(&word, mask)
    };
    assert_eq!(least(&mut d, Region::Code, 0, 63), Bit::Known(true));
    assert!(matches!(least(&mut d, Region::Code, 0, 127), Bit::Disjoint(..)));
    assert_eq!(least(&mut d, Region::Stack, 8, 15), Bit::Known(true));
    assert_eq!(least(&mut d, Region::Stack, 0, 15), Bit::Known(false));
    for distance in [-8, 8, 24] {
        assert!(matches!(least(&mut d, Region::Stack, distance, 31), Bit::Disjoint(..)));
    }
    assert_eq!(least(&mut d, Region::Frame, 0, 63), Bit::Known(true));
    assert!(matches!(least(&mut d, Region::Frame, 0, 127), Bit::Disjoint(..)));
    for region in [Region::Key, Region::Iv, Region::Input, Region::Output] {
        assert!(matches!(least(&mut d, region, 0, 1), Bit::Disjoint(..)), "{region:?}");
    }
    // Only multiples of a power of two above the mask are left out.
    let p = d.terms.word(Atom::Variable(0));
    for (factor, mask, is_known) in [(4, 3, true), (3, 3, false), (2, 3, false), (8, 5, true), (5, 5, false)]
    {
        let word = Linear::default().combine(&p, factor);
        assert_eq!(matches!(d.disjoint(&word, mask), Bit::Known(true)), is_known, "{factor}, {mask}");
    }
    // An operand of 32 bytes at a multiple of 16.
    let place = at(&mut d, Region::Stack, 8);
    assert!(d.aligned(&place, 16).is_ok());
    for bytes in [32, 64] {
        assert!(is_refused(&d.aligned(&place, bytes), "may be none"));
    }
    let place = at(&mut d, Region::Stack, 16);
    assert!(is_refused(&d.aligned(&place, 16), "may be none"));
}

#[test]
fn a_condition_says_what_it_says_and_no_more() {
    let length = |d: &mut Symbolic| d.terms.word(Atom::Length);
    let reach = |d: &Symbolic, form: &Linear, number: i128| d.is_natural(&form.offset(number));
    // 16 < length, and not.
    for (value, least) in [(true, -17), (false, 16)] {
        let mut d = domain("aes128-ecb");
        let length = length(&mut d);
        let form = if value { length.clone() } else { plus(&Linear::default(), &length, -1) };
        let bit = d.is_below(&Linear::number(16), &length);
        d.assume(&bit, value);
        assert!(reach(&d, &form, least) && !reach(&d, &form, least - 1), "{value}");
        assert_eq!(d.decide(&bit).ok(), Some(value));
    }
    // length - 16 may be negative, and p may be 2^64: then they are not the words.
    for is_length in [true, false] {
        for value in [true, false] {
            let mut d = domain("aes128-ecb");
            let (length, p) = (length(&mut d), d.terms.word(Atom::Variable(0)));
            let bit = Bit::Zero(if is_length { length.offset(-16) } else { p.clone() });
            d.assume(&bit, value);
            assert!(!reach(&d, &length, -16) && !reach(&d, &plus(&Linear::default(), &length, -1), 15));
            assert!(!reach(&d, &plus(&Linear::default(), &p, -1), 0) && !reach(&d, &p, -1));
        }
    }
    // Of sums, the carry in counts.
    for carry in [false, true] {
        let mut d = domain("aes128-ecb");
        let length = d.terms.word(Atom::Length);
        let bit = d.carries(&length, &Linear::number(-16), carry);
        d.assume(&bit, true);
        let least = if carry { -15 } else { -16 };
        assert!(reach(&d, &length, least) && !reach(&d, &length, least - 1), "{carry}");
    }
}

#[test]
fn low_bits_are_those_of_their_word() {
    let mut d = domain("aes128-ctr");
    let (length, low) = (d.terms.word(Atom::Length), d.terms.word(Atom::Counter(0)));
    let quotient = d.shifted(&length, Shift::Right, 6);
    assert_eq!(d.is_zero(&length.combine(&quotient, -64)), d.disjoint(&length, 63));
    let other = low.combine(&quotient, -64);
    assert_eq!(d.is_zero(&other), Bit::Zero(other));
    // The rest of a quotient is at most 63.
    let rest = plus(&length, &quotient, -64);
    let room = |number: i128| plus(&Linear::number(number), &rest, -1);
    assert!(d.is_natural(&room(63)) && !d.is_natural(&room(62)));
    // Masks: ones at the end, ones at the beginning, and others.
    for (mask, is_known) in [(63, true), (-64, true), (64, false), (0x5f, false), (0x10_0000_003f, false)] {
        assert_eq!(d.bitwise(Op::And, &length, &Linear::number(mask)).is_ok(), is_known);
    }
    // A word that may be one more than the mask is not the word.
    let mut d = domain("aes128-ctr");
    let length = d.terms.word(Atom::Length);
    known(&mut d, &plus(&Linear::number(64), &length, -1));
    let word = d.bitwise(Op::And, &length, &Linear::number(63)).expect("a word");
    assert_ne!(word, length);
    known(&mut d, &plus(&Linear::number(63), &length, -1));
    let word = d.bitwise(Op::And, &length, &Linear::number(63)).expect("a word");
    assert_eq!(word, length);
}

/// A mask is of ones, as many as a number that is at most 64.
#[test]
fn masks_are_of_ones() {
    let mut d = domain("aes128-ctr");
    let (length, ones) = (d.terms.word(Atom::Length), Linear::number(-1));
    known(&mut d, &plus(&Linear::number(65), &length, -1));
    assert!(d.low_bits(&ones, &length).is_err(), "65 is too much");
    known(&mut d, &plus(&Linear::number(64), &length, -1));
    assert!(d.low_bits(&ones, &length).is_ok());
    for other in [0, 1, -2, 0xffff_ffff] {
        assert!(d.low_bits(&Linear::number(other), &length).is_err(), "{other}");
    }
}

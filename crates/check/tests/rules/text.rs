//! Text and output.

use crate::{at, domain, known, plus};
use aesmith_check::claim;
use aesmith_check::execute::Domain;
use aesmith_check::linear::Linear;
use aesmith_check::spec::Mode;
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{Atom, LaneId, Region, ZERO};

/// Text and output of two blocks, in counter mode of 24 bytes.
fn messages(contract: &str, bytes: i128) -> Symbolic<'static> {
    let mut d = domain(contract);
    let length = d.terms.word(Atom::Length);
    known(&mut d, &length.offset(-bytes));
    known(&mut d, &plus(&Linear::number(bytes), &length, -1));
    d
}

fn load(d: &mut Symbolic, distance: i128, bytes: u16) -> bool {
    let place = at(d, Region::Input, distance);
    if bytes == 16 { d.load_lane(&place).is_ok() } else { d.load(&place, bytes).is_ok() }
}

#[test]
fn text_is_read_in_its_blocks() {
    for (contract, length, cases) in [
        (
            "aes128-ecb",
            40,
            &[(0, 16, true), (16, 16, true), (32, 8, false), (32, 16, false), (-16, 16, false)][..],
        ),
        ("aes128-ecb", 40, &[(8, 8, true), (8, 16, false), (12, 8, false), (-8, 8, false), (15, 1, true)]),
        (
            "aes128-ctr",
            24,
            &[(0, 16, true), (16, 8, true), (16, 16, false), (20, 8, false), (23, 1, true), (24, 1, false)],
        ),
        ("aes192-key", 0, &[(0, 16, true), (16, 8, true), (16, 16, false), (24, 8, false), (24, 1, false)]),
    ] {
        let mut d = messages(contract, length);
        for &(distance, bytes, is_allowed) in cases {
            assert_eq!(load(&mut d, distance, bytes), is_allowed, "{contract}: {distance}, {bytes}");
        }
    }
}

/// A lane of output as it is specified.
fn specified(d: &mut Symbolic, block: i128) -> LaneId {
    let carry = Linear::default();
    claim::output_with(d, &Linear::number(block), &carry).expect("a block")
}

/// The counter does not carry, so that each block has one specification.
fn counting(bytes: i128) -> Symbolic<'static> {
    let mut d = messages("aes128-ctr", bytes);
    assert_eq!(d.contract.mode, Mode::Ctr);
    let low = d.terms.word(Atom::Counter(0));
    known(&mut d, &plus(&Linear::number(1 << 32), &low, -1));
    d
}

#[test]
fn text_is_not_read_where_output_is_stored() {
    let mut d = counting(72);
    let output = specified(&mut d, 1);
    let place = at(&mut d, Region::Output, 16);
    // The high half of the second block.
    let (high, upper) = (d.terms.half(output, 1), at(&mut d, Region::Output, 24));
    d.store(&upper, 8, &high).expect("as specified");
    assert!(load(&mut d, 16, 8) && load(&mut d, 16, 1) && load(&mut d, 0, 16) && load(&mut d, 32, 16));
    for (distance, bytes) in [(24, 8), (31, 1), (16, 16), (20, 4 + 2)] {
        assert!(!load(&mut d, distance, bytes), "{distance}, {bytes}");
    }
    assert!(d.store_lane(&place, &output).is_err(), "a part is stored twice");
    // Blocks that are done are behind.
    let mut d = counting(72);
    d.path.texts[0].done = Linear::number(32);
    assert!(!load(&mut d, 16, 16) && load(&mut d, 32, 16));
    // A block at no known distance must be behind all that is stored.
    let mut d = counting(1 << 20);
    let p = d.terms.word(Atom::Variable(0));
    known(&mut d, &plus(&Linear::number(1 << 10), &p, -1));
    let place = at(&mut d, Region::Input, 0).combine(&p, 16);
    assert!(d.load_lane(&place).is_ok(), "nothing is stored");
    let (first, output) = (at(&mut d, Region::Output, 16), specified(&mut d, 1));
    d.store_lane(&first, &output).expect("as specified");
    known(&mut d, &p.offset(-1));
    assert!(d.load_lane(&place).is_err(), "it may be the block that is stored");
    known(&mut d, &p.offset(-2));
    assert!(d.load_lane(&place).is_ok());
}

#[test]
fn each_byte_of_output_is_compared() {
    for (distance, bytes) in [(0, 1), (7, 1), (0, 8), (8, 8), (16, 2)] {
        let mut d = counting(72);
        let output = specified(&mut d, distance / 16);
        let wrong = d.terms.constant(1 << (8 * (distance % 16)));
        let wrong = d.terms.xor(output, wrong);
        let down = |k: usize| if k < usize::from(bytes) { (k as i128 + distance % 16) as u8 } else { ZERO };
        for (lane, is_right) in [(wrong, false), (output, true)] {
            let lane = d.terms.shuffled(lane, &std::array::from_fn(down));
            let value = d.terms.half(lane, 0);
            let place = at(&mut d, Region::Output, distance);
            let mut other = counting(72);
            std::mem::swap(&mut other.path, &mut d.path);
            d.path = other.path.clone();
            assert_eq!(d.store(&place, bytes, &value).is_ok(), is_right, "{distance}, {bytes}");
            d.path = other.path;
        }
    }
}

/// The rest of a text of some bytes, by a mask with as many ones.
#[test]
fn masked_accesses_are_to_the_rest() {
    let rest = |d: &mut Symbolic, from: i128, less: i128| {
        let count = d.terms.word(Atom::Length).offset(-from - less);
        d.low_bits(&Linear::number(-1), &count)
    };
    let (input, output) = (Region::Input, Region::Output);
    let mut d = counting(40);
    let mask = rest(&mut d, 16, 0).expect("24 ones");
    let (place, first) = (at(&mut d, input, 16), at(&mut d, input, 0));
    assert!(d.load_masked(&place, &mask, 2).is_ok());
    assert!(d.load_masked(&first, &mask, 2).is_err(), "another place");
    assert!(d.load_masked(&place, &mask, 1).is_err(), "more than 16 bytes");
    for less in [-1, 1] {
        let other = rest(&mut d, 16, less).expect("ones");
        assert!(d.load_masked(&place, &other, 2).is_err(), "{less} less");
    }
    let constant = at(&mut d, Region::Key, 16);
    assert!(d.load_masked(&constant, &mask, 2).is_err());
    // Both lanes are compared.
    let (right, wrong) = ([1, 2].map(|block| specified(&mut d, block)), d.terms.constant(0));
    let place = at(&mut d, output, 16);
    for lanes in [[wrong, right[1]], [right[0], wrong], [right[1], right[0]]] {
        let path = d.path.clone();
        assert!(d.store_masked(&place, &mask, &lanes).is_err());
        d.path = path;
    }
    let facts = d.path.facts.all().len();
    d.store_masked(&place, &mask, &right).expect("as specified");
    assert_eq!(d.path.facts.all().len(), facts, "what is assumed of a lane is known of it only");
    assert_eq!(d.path.rest, Some(16));
    // Nothing is read or stored behind it.
    assert!(!load(&mut d, 0, 16) && !load(&mut d, 32, 8));
    let (place, mask) = (at(&mut d, input, 32), rest(&mut d, 32, 0).expect("8 ones"));
    assert!(d.load_masked(&place, &mask, 1).is_err());
    // Where a part of it is stored there is no rest.
    for (from, is_allowed) in [(0, true), (16, false), (32, false)] {
        let mut d = counting(40);
        let (stored, block) = (at(&mut d, output, from), specified(&mut d, from / 16));
        let half = d.terms.half(block, 0);
        d.store(&stored, 8, &half).expect("as specified");
        let (place, mask) = (at(&mut d, input, 16), rest(&mut d, 16, 0).expect("24 ones"));
        assert_eq!(d.load_masked(&place, &mask, 2).is_ok(), is_allowed, "{from}");
    }
    // Other modes have none.
    let mut d = messages("aes128-ecb", 40);
    let (place, mask) = (at(&mut d, input, 16), rest(&mut d, 16, 0).expect("24 ones"));
    assert!(d.load_masked(&place, &mask, 2).is_err());
}

/// The bytes that are stored are those before a place, or they have gaps.
#[test]
fn what_is_stored_has_no_gaps() {
    for (stores, bytes) in [
        (&[(0, 8), (8, 8)][..], Some(16)),
        (&[(8, 8), (0, 8)], Some(16)),
        (&[(0, 8), (8, 2)], Some(10)),
        (&[(0, 8), (8, 8), (16, 1)], Some(17)),
        (&[(8, 8)], None),
        (&[(0, 1), (2, 1)], None),
        (&[(0, 8), (16, 8)], None),
        (&[(16, 8), (24, 8)], None),
        (&[], Some(0)),
    ] {
        let mut d = counting(72);
        for &(distance, count) in stores {
            let output = specified(&mut d, distance / 16);
            let down =
                |k: usize| if k < usize::from(count) { (k as i128 + distance % 16) as u8 } else { ZERO };
            let lane = d.terms.shuffled(output, &std::array::from_fn(down));
            let (value, place) = (d.terms.half(lane, 0), at(&mut d, Region::Output, distance));
            d.store(&place, count, &value).expect("as specified");
        }
        assert_eq!(d.stored(0), bytes, "{stores:?}");
    }
}

//! Rounds of counter blocks as sums, and tables of 256 blocks on the stack.

use crate::{at, domain, is_refused, known, plus};
use aesmith_check::certificate::{Evaluator, Known};
use aesmith_check::contract::STACK_BYTES;
use aesmith_check::counters::{TABLE_BYTES, Table};
use aesmith_check::decode::{Op, Shift};
use aesmith_check::execute::Domain;
use aesmith_check::linear::Linear;
use aesmith_check::spec::Round;
use aesmith_check::symbolic::{Bit, Symbolic};
use aesmith_check::terms::{Atom, LaneId, Part, Region};
use aesmith_check::{Certificate, check};
use std::collections::BTreeMap;

/// The domain with two split rounds, in which bits from 40 on of the counter and of the next 300 are known to be the same,
/// or not.
fn split(is_known: bool) -> (Symbolic<'static>, Linear) {
    let mut d = domain("aes128-ctr");
    d.splits = 2;
    let counter = d.terms.word(Atom::Counter(0));
    if is_known {
        let top = d.shifted(&counter, Shift::Right, 40);
        let rest = plus(&counter, &top, -(1 << 40));
        known(&mut d, &plus(&Linear::number((1 << 40) - 301), &rest, -1));
    }
    (d, counter)
}

/// Two rounds of the counter block whose low half is a word.
fn two_rounds(d: &mut Symbolic, low: &Linear) -> LaneId {
    let high = d.terms.word(Atom::Counter(1));
    let (first, second) = (d.swapped(&high), d.swapped(low));
    let mut state = d.words(&first, &second);
    for key in 0..2 {
        let key = d.round_key(key);
        state = d.xor(&state, &key);
        state = d.round(Round::Encrypt, &state);
    }
    state
}

/// Counters that differ in the lowest byte, and in others, for two values of each.
fn differences(d: &mut Symbolic, counter: &Linear) -> [LaneId; 2] {
    let upper = d.shifted(counter, Shift::Right, 8);
    [3, 7].map(|byte| {
        let near = Linear::default().combine(&upper, 256).offset(byte);
        // A counter with other upper bytes, of which a known one is the next that ends with zero.
        let far = counter.offset(256);
        let far = d.shifted(&far, Shift::Right, 8);
        let far = Linear::default().combine(&far, 256).offset(byte);
        let (near, far) = (two_rounds(d, &near), two_rounds(d, &far));
        d.xor(&near, &far)
    })
}

#[test]
fn rounds_are_apart_where_the_top_of_the_counter_is_known() {
    // Of constants the second round is no sum of its bytes alone: what is left is the same for all of them.
    for (is_known, is_same) in [(true, true), (false, false)] {
        let (mut d, counter) = split(is_known);
        let [one, other] = differences(&mut d, &counter);
        assert_eq!(one == other, is_same, "{is_known}");
    }
    // The bound of 2^40 is sharp.
    for (last, is_split) in [(300, true), (301, false)] {
        let (mut d, counter) = split(true);
        let round = two_rounds(&mut d, &counter.offset(last));
        assert_eq!(d.terms.get_lane(round).parts.len() == 2, is_split, "{last}");
    }
}

#[test]
fn a_round_made_again_is_by_what_is_known_now() {
    let (mut d, counter) = split(false);
    let before = two_rounds(&mut d, &counter);
    assert_eq!(d.again(before), before);
    let top = d.shifted(&counter, Shift::Right, 40);
    known(&mut d, &plus(&Linear::number((1 << 40) - 1), &plus(&counter, &top, -(1 << 40)), -1));
    let now = two_rounds(&mut d, &counter);
    assert_ne!(now, before);
    assert_eq!(d.again(before), now);
}

#[test]
fn equal_quotients_bound_both_words() {
    for (by, is_zero, is_known) in [(40, true, true), (40, false, false), (39, true, true)] {
        let mut d = domain("aes128-ctr");
        let counter = d.terms.word(Atom::Counter(0));
        let length = d.terms.word(Atom::Length);
        known(&mut d, &plus(&plus(&Linear::number((1 << 64) - 1), &counter, -1), &length, -1));
        let end = counter.plus(&length);
        let sum = d.bitwise(Op::Xor, &end, &counter).expect("a sum of two words");
        let quotient = d.shifted(&sum, Shift::Right, by);
        let bit = d.is_zero(&quotient);
        assert!(matches!(bit, Bit::Zero(_)));
        d.assume(&bit, is_zero);
        let top = d.shifted(&counter, Shift::Right, by);
        let rest = plus(&end, &top, -(1 << by));
        assert_eq!(d.is_within(&rest, (1 << by) - 1), is_known, "{by} {is_zero}");
        assert!(!d.is_within(&rest, (1 << by) - 2), "{by} {is_zero}");
    }
}

/// The place of the table, and the expression of its blocks.
const AT: i128 = -TABLE_BYTES - 32;
const ENTRY: &str = "enc(k0 ^ shuffle(words(z, 0), #80808080808080808080808080808000))";

/// A domain with such a table on the stack, whose blocks have a lane in common.
fn with_table() -> (Symbolic<'static>, LaneId) {
    let (mut d, _) = split(true);
    let pointer = at(&mut d, Region::Stack, AT - 16);
    d.stack(&pointer).expect("a place on the stack");
    let rest = d.terms.part(Part::Key(9));
    for number in 0..256_u128 {
        let byte = d.lane(number << 120);
        let key = d.round_key(0);
        let sum = d.xor(&byte, &key);
        let block = d.round(Round::Encrypt, &sum);
        let block = d.xor(&block, &rest);
        let place = at(&mut d, Region::Stack, AT + 16 * number as i128);
        d.store_lane(&place, &block).expect("it is on the stack");
    }
    (d, rest)
}

fn hold(d: &mut Symbolic) {
    let place = (Region::Stack, AT);
    let rest = d.rest_of(place, ENTRY).expect("a table");
    d.path.table = Some(Table { at: place, entry: ENTRY.into(), rest });
}

#[test]
fn each_block_of_a_table_is_compared() {
    let (mut d, rest) = with_table();
    assert_eq!(d.rest_of((Region::Stack, AT), ENTRY).ok(), Some(rest));
    for (place, entry) in [
        ((Region::Stack, AT - 16), ENTRY),
        ((Region::Stack, AT + 16), ENTRY),
        ((Region::Frame, AT), ENTRY),
        ((Region::Stack, AT), "enc(k1 ^ shuffle(words(z, 0), #80808080808080808080808080808000))"),
        ((Region::Stack, AT), "enc(k0 ^ shuffle(words(z, 0), #80808080808080808080808080800080))"),
        ((Region::Stack, AT), "enc(k0 ^ shuffle(words(p, 0), #80808080808080808080808080808000))"),
        ((Region::Stack, AT), "rest"),
    ] {
        assert!(d.rest_of(place, entry).is_err(), "{place:?} {entry}");
        let (mut d, _) = with_table();
        hold(&mut d);
        assert!(d.rest_of(place, entry).is_err(), "{place:?} {entry}, with a table");
    }
    for number in [0, 1, 128, 255] {
        for half in [0, 8] {
            let (mut d, _) = with_table();
            let place = at(&mut d, Region::Stack, AT + 16 * number + half);
            let old = d.load(&place, 8).expect("a word");
            let old = d.words(&old, &Linear::default());
            let changed = d.lane(1);
            let changed = d.xor(&old, &changed);
            let changed = d.half(&changed, 0);
            d.store(&place, 8, &changed).expect("it is on the stack");
            let found = d.rest_of((Region::Stack, AT), ENTRY);
            assert!(is_refused(&found, "a block of a table"), "{number} {half}");
        }
    }
}

#[test]
fn a_table_is_read_at_the_lowest_byte_of_a_word() {
    let (mut d, rest) = with_table();
    hold(&mut d);
    let counter = d.terms.word(Atom::Counter(0));
    let even = d.disjoint(&counter, 7);
    d.assume(&even, true);
    let upper = d.shifted(&counter, Shift::Right, 8);
    let base = at(&mut d, Region::Stack, AT);
    for (factor, minus, distance, is_allowed) in [
        (16, 4096, 0, true),
        (16, 4096, 16, true),
        (16, 4096, 112, true),
        (16, 4096, 128, false),
        (16, 4096, 8, false),
        (16, 4096, -16, false),
        (16, 2048, 0, false),
        (8, 4096, 0, false),
        (32, 4096, 0, false),
        (16, 0, 0, false),
    ] {
        let place = base.combine(&counter, factor).combine(&upper, -minus).offset(distance);
        let block = d.load_lane(&place);
        assert_eq!(block.is_ok(), is_allowed, "{factor} {minus} {distance}");
        let Ok(block) = block else { continue };
        let word = counter.offset(distance / 16);
        let mut low = [0x80; 16];
        low[15] = 0;
        let byte = d.words(&word, &Linear::default());
        let byte = d.shuffled(&byte, &low);
        let key = d.round_key(0);
        let sum = d.xor(&byte, &key);
        let round = d.round(Round::Encrypt, &sum);
        assert_eq!(block, d.xor(&round, &rest), "{distance}");
    }
    // Words, and other regions.
    let place = base.combine(&counter, 16).combine(&upper, -4096);
    assert!(d.load(&place, 8).is_err());
    let other = at(&mut d, Region::Iv, AT).combine(&counter, 16).combine(&upper, -4096);
    assert!(d.load_lane(&other).is_err());
    let other = at(&mut d, Region::Frame, AT).combine(&counter, 16).combine(&upper, -4096);
    assert!(d.load_lane(&other).is_err());
    d.path.table = None;
    assert!(d.load_lane(&place).is_err());
}

#[test]
fn what_blocks_have_in_common_is_not_the_same_everywhere() {
    let (mut d, rest) = with_table();
    let mut known = Known::new();
    let variables = BTreeMap::new();
    assert!(Evaluator { s: &mut d, variables: &variables }.lane_of("rest", &mut known).is_err());
    hold(&mut d);
    let lane = Evaluator { s: &mut d, variables: &variables }.lane_of("rest", &mut known);
    assert_eq!(lane.ok(), Some(rest));
    let other = d.terms.part(Part::Key(8));
    d.path.table = d.path.table.take().map(|table| Table { rest: other, ..table });
    let lane = Evaluator { s: &mut d, variables: &variables }.lane_of("rest", &mut known);
    assert_eq!(lane.ok(), Some(other));
}

#[test]
fn a_table_is_lost_where_it_is_written_or_below_the_stack_pointer() {
    for (written, is_kept) in [(AT - 8, true), (AT, false), (AT + 4088, false), (AT + 4096, true)] {
        let (mut d, _) = with_table();
        hold(&mut d);
        let place = at(&mut d, Region::Stack, written);
        d.store(&place, 8, &Linear::number(0)).expect("it is on the stack");
        assert_eq!(d.path.table.is_some(), is_kept, "{written}");
    }
    for (pointer, is_kept) in [(AT - 8, true), (AT, true), (AT + 8, false), (0, false), (-STACK_BYTES, true)]
    {
        let (mut d, _) = with_table();
        hold(&mut d);
        let pointer = at(&mut d, Region::Stack, pointer);
        d.stack(&pointer).expect("a place on the stack");
        assert_eq!(d.path.table.is_some(), is_kept, "{pointer:?}");
    }
}

/// Changes of a proof that is accepted, and the words of the reason for which each is refused.
#[test]
fn what_a_proof_states_about_its_table_is_verified() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/proofs/ctr-two-rounds.proof");
    let text = std::fs::read_to_string(file).expect("a proof");
    let verdict = |text: &str| Certificate::read(text).and_then(|certificate| check(&certificate));
    verdict(&text).expect("it is accepted");
    for (from, to, reason) in [
        ("split 2\n", "split\n", "not as stated"),
        ("split 2\n", "", "not as stated"),
        ("table frame[-4096]", "table frame[-4080]", "not"),
        ("table frame[-4096]", "table frame[-4112]", "outside of its object"),
        ("table frame[-4096]", "table frame[-4096] = k0\ntable frame[-4096]", "not as stated"),
        ("table frame[-4096]", "fact", "is not understood"),
        ("(k1, ", "(k2, ", "not as stated"),
        ("words(z, 0)", "words(y, 0)", "is not understood"),
        ("words(z, 0)", "words(p, 0)", "is not understood"),
        ("secret frame -4096 512", "secret frame -4096 511", "a secret on the stack"),
        ("secret frame -4096 512", "secret frame -4088 511", "a secret on the stack"),
        ("secret frame -4096 512", "secret frame -4096", "a secret on the stack"),
        ("secret frame -4096 512", "secret frame -4096 0", "is not understood"),
        ("secret frame -4096 512", "secret frame -4096 8193", "is not understood"),
        ("version 2", "version 1", "is not of version 1"),
        ("rest ^ enc", "k3 ^ enc", "is not as"),
    ] {
        assert!(text.contains(from), "{from}");
        let changed = verdict(&text.replace(from, to)).expect_err(from);
        assert!(changed.contains(reason), "{from} -> {to}: {changed}");
    }
    let line = text.lines().find(|line| line.starts_with("table")).expect("a table");
    let twice = verdict(&text.replace(line, &format!("{line}\n{line}"))).expect_err("two tables");
    assert!(twice.contains("two tables"), "{twice}");
}

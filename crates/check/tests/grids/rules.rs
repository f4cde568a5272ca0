//! Rules by themselves, at their bounds.

use crate::text;
use aesmith_check::grid::Proof;
use aesmith_check::grid::memory::at_turn;
use aesmith_check::grid::rows::{Domain, Space};
use aesmith_check::grid::run::Run;
use aesmith_check::grid::setup::{Base, Thread};
use aesmith_check::grid::symbols::{BLOCKS, CTAID, LOW, NCTAID, Stop, Symbols, TABLES, TURN, Value, thread};
use aesmith_check::linear::{AtomId, Linear};

fn form(constant: i128, terms: &[(AtomId, i128)]) -> Linear {
    Linear { constant, terms: terms.to_vec() }
}

/// The values at the entry of a kernel.
fn with(name: &str, test: impl FnOnce(&mut Symbols<'_>)) {
    let proof = Proof::read(&text(name)).expect("a proof");
    let mut run = Run::new(&proof).expect("a run");
    run.start().expect("a start");
    test(&mut run.symbols);
}

fn is_refused<T>(result: &Result<T, Stop>, words: &str) -> bool {
    matches!(result, Err(Stop::Refused(reason)) if reason.contains(words))
}

#[test]
fn launches_have_their_bounds() {
    with("ecb", |s| {
        let own = thread(128);
        assert!(s.is_within(&own, 127) && !s.is_within(&own, 126));
        assert!(s.is_natural(&form(-1, &[(CTAID, -1), (NCTAID, 1)])), "a block is one of the grid");
        assert!(!s.is_natural(&form(-2, &[(CTAID, -1), (NCTAID, 1)])));
        assert!(
            s.is_within(&form(0, &[(BLOCKS, 1)]), (1 << 38) - 1)
                && !s.is_within(&form(0, &[(BLOCKS, 1)]), (1 << 38) - 2)
        );
        assert!(!s.is_within(&form(0, &[(TURN, 1)]), 1 << 90), "turns have no bound of their own");
    });
}

#[test]
fn threads_of_no_power_of_two_are_fewer_than_their_bits_say() {
    let text = text("ecb").replace(".reqntid 128,", ".reqntid 100,").replace("\n    bar.sync 0;", "");
    let proof = Proof::read(&text).expect("a proof");
    let mut run = Run::new(&proof).expect("a run");
    run.start().expect("a start");
    assert!(run.symbols.is_within(&thread(100), 99) && !run.symbols.is_within(&thread(100), 98));
}

#[test]
fn integers_are_known_below_two_to_their_bits() {
    with("ecb", |s| {
        let value = |constant, factor| Value::Form(form(constant, &[(CTAID, factor)]));
        // ctaid is below 2^31.
        assert!(s.integer(&value(0, 2), 32).is_ok_and(|found| found == form(0, &[(CTAID, 2)])));
        assert!(s.integer(&value(1, 2), 32).is_ok());
        assert!(matches!(s.integer(&value(4, 2), 32), Err(Stop::Split(_))), "it may be 2^32 and more");
        assert!(s.integer(&value(-(1 << 32), 1), 32).is_ok_and(|found| found == form(0, &[(CTAID, 1)])));
        assert!(matches!(s.integer(&value(-1, 1), 32), Err(Stop::Split(_))), "it may be negative");
        assert_eq!(s.resized(&value(0, 2), 32, 64).ok(), Some(value(0, 2)));
        assert!(matches!(s.resized(&value(4, 2), 32, 64), Ok(Value::Bytes(_))), "the upper half is zero");
        let secret = Value::Bytes(s.key[..4].to_vec());
        assert!(is_refused(&s.integer(&secret, 32), "depends on a secret"));
    });
}

#[test]
fn small_parts_of_a_form_change_its_lowest_byte_only() {
    with("ecb", |s| {
        let whole = form(0, &[(LOW, 256)]);
        let (own, far) = (form(0, &[(16, 255), (LOW, 256)]), form(0, &[(16, 256), (17, 1), (LOW, 256)]));
        for k in 1..8 {
            assert_eq!(s.half(&whole, k), s.half(&own, k), "byte {k}");
            assert_ne!(s.half(&whole, k), s.half(&far, k), "byte {k}");
        }
        assert_ne!(s.half(&whole, 0), s.half(&own, 0));
        let over = form(1, &[(16, 255), (LOW, 256)]);
        assert_ne!(s.half(&whole, 1), s.half(&over, 1), "1 + 255 is 256");
        assert_eq!(s.carry_of(&form(0, &[(16, 255), (LOW, 256)])), s.carry_of(&whole));
        assert_ne!(s.carry_of(&over), s.carry_of(&whole));
        // A sum that stays below 2^64 has no carry.
        assert_eq!(s.carry_of(&form(0, &[(BLOCKS, 1 << 26)])), Linear::default());
        assert_ne!(s.carry_of(&form(1 << 26, &[(BLOCKS, 1 << 26)])), Linear::default());
    });
}

#[test]
fn bits_at_different_places_are_their_xor() {
    with("ecb", |s| {
        let own = s.half(&form(4, &[(16, 1), (17, 2)]), 0);
        let other = s.half(&form(5, &[(16, 1), (17, 2)]), 0);
        assert!(s.terms.get(own).parts.len() == 2 && s.terms.get(own).constant == 4);
        assert_eq!(s.terms.get(other).parts.len(), 1, "1 and the lowest bit may carry");
        let twice = s.half(&form(0, &[(16, 1), (17, 1)]), 0);
        assert_eq!(s.terms.get(twice).parts.len(), 1, "two bits at one place may carry");
        // 1 less a bit is its opposite.
        let opposite = s.half(&form(1, &[(16, -1)]), 0);
        assert_eq!((s.terms.get(opposite).constant, s.terms.get(opposite).parts.len()), (1, 1));
        let back = s.form(&Value::Bytes(vec![opposite]));
        assert_eq!(back, Some(form(1, &[(16, -1)])));
    });
}

#[test]
fn quotients_are_between_their_bounds() {
    with("ecb", |s| {
        let low = form(0, &[(LOW, 1)]);
        let quotient = s.quotient(&low, 8).expect("a quotient");
        let rest = low.checked(&quotient, -256).expect("small numbers");
        assert!(
            s.is_within(&rest, 255)
                && !s.is_within(&rest, 254)
                && !s.is_natural(&rest.offset_checked(-1).expect("small"))
        );
        // Of what is a multiple and a small part it is known.
        assert_eq!(s.quotient(&form(7, &[(CTAID, 8)]), 3), Some(form(0, &[(CTAID, 1)])));
        assert_ne!(s.quotient(&form(8, &[(16, 7), (CTAID, 8)]), 3), Some(form(0, &[(CTAID, 1)])));
    });
}

#[test]
fn look_ups_are_in_shared_memory_and_do_not_depend_on_the_thread() {
    with("ecb", |s| {
        s.path.is_behind = true;
        let zero = s.terms.constant(0);
        let lane = s.half(&form(0, &[(16, 4), (17, 8), (18, 16), (19, 32), (20, 64)]), 0);
        let few = s.half(&form(0, &[(16, 4), (17, 8), (18, 16), (19, 32)]), 0);
        let (key, other) = (s.key[0], s.key[1]);
        let mut load = |constant: i128, index: &[u32], bytes: u32| {
            let address = Value::Indexed(form(constant, &[(TABLES, 1)]), index.to_vec());
            s.load(Space::Shared, &address, &[bytes * 8]).map(drop)
        };
        let index = [lane, key, zero, zero];
        assert!(load(0, &index, 4).is_ok() && load(128, &index, 4).is_ok());
        assert!(is_refused(&load(64, &index, 4), ""), "a lane's words are of two tables");
        assert!(is_refused(&load(2, &index, 4), "not aligned"));
        assert!(load(65_536, &index, 4).is_ok());
        assert!(is_refused(&load(65_536 + 256, &index, 4), "not within"));
        assert!(is_refused(&load(-4, &index, 4), "not within"));
        assert!(is_refused(&load(0, &[few, key, zero, zero], 4), "share a bank"));
        assert!(is_refused(&load(0, &[lane, key, other, zero], 4), "more than a byte"));
        assert!(is_refused(&load(0, &[zero, key, zero, zero], 4), "share a bank"));
        // A number in the index counts as one in the address.
        let ones = s.terms.constant(128);
        let second = s.terms.xor(lane, ones);
        let [a, b] = [(128, lane), (0, second)].map(|(constant, low)| {
            let address = Value::Indexed(form(constant, &[(TABLES, 1)]), vec![low, key, zero, zero]);
            s.load(Space::Shared, &address, &[32]).expect("a look-up")
        });
        assert_eq!(a, b);
        s.path.is_behind = false;
        let address = Value::Indexed(form(0, &[(TABLES, 1)]), index.to_vec());
        assert!(is_refused(&s.load(Space::Shared, &address, &[32]), "before the barrier"));
        s.path.is_behind = true;
        let address = Value::Indexed(form(0, &[(TABLES, 2)]), index.to_vec());
        assert!(is_refused(&s.load(Space::Shared, &address, &[32]), "not in shared memory"));
    });
}

#[test]
fn blocks_before_and_behind_the_text_are_outside() {
    with("cbc-dec", |s| {
        let block = |constant| form(constant, &[(BLOCKS, 1)]);
        assert!(s.is_outside(&block(0), true) && !s.is_outside(&block(-1), true));
        assert!(
            s.is_outside(&form(-1, &[]), false)
                && !s.is_outside(&form(-1, &[]), true)
                && !s.is_outside(&form(0, &[]), false)
        );
        let own = form(0, &[(TURN, 1)]);
        assert!(is_refused(&s.specified(&own), "whether a block is the first"));
        assert_eq!(
            at_turn(&form(3, &[(BLOCKS, 2), (TURN, 5)]), &form(1, &[(CTAID, 1)])),
            Some(form(8, &[(BLOCKS, 2), (CTAID, 5)]))
        );
    });
}

#[test]
fn addresses_are_no_numbers_before_the_barrier() {
    let proof = Proof::read(&text("ecb")).expect("a proof");
    let mut thread = Thread { module: &proof.module, number: 5, shared: vec![None; 64] };
    let [low, high] = [4, 8].map(|at| Some((Base::Shared, at)));
    let number = |value| Some((Base::Zero, value));
    assert_eq!(thread.difference(&high, &low, 32), None);
    assert_eq!(thread.difference(&high, &number(4), 32), low);
    assert_eq!(thread.xor(&high, &low, 32), None);
    assert!(
        thread.is_less(&low, &high, 32).is_err() && thread.is_less(&number(4), &number(8), 32) == Ok(true)
    );
    let load = |thread: &mut Thread<'_>, at| thread.load(Space::Const, &Some((Base::Constants, at)), &[32]);
    assert!(load(&mut thread, 4).is_ok() && load(&mut thread, 1020).is_ok());
    assert!(load(&mut thread, 2).is_err() && load(&mut thread, 1024).is_err());
    let store =
        |thread: &mut Thread<'_>, at| thread.store(Space::Shared, &Some((Base::Shared, at)), &[number(1)]);
    assert!(store(&mut thread, 60).is_ok());
    assert!(store(&mut thread, 60).is_err_and(|why| why.contains("twice")));
    assert!(store(&mut thread, 64).is_err() && store(&mut thread, 2).is_err());
}

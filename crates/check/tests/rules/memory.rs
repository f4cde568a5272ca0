//! Bounds of objects, and the stack.

use crate::{NOT_PUBLIC, at, bits, domain, is_refused};
use aesmith_check::execute::Domain;
use aesmith_check::linear::Linear;
use aesmith_check::symbolic::Symbolic;
use aesmith_check::terms::{Atom, Part, Region, ZERO};

/// Accesses at the bounds of objects: loads of lanes, loads of words, stores of lanes, stores of words.
#[test]
fn accesses_lie_in_their_objects() {
    use Region::{Code, Iv, Key, Stack};
    let lane = |d: &mut Symbolic, region, distance| {
        let place = at(d, region, distance);
        d.load_lane(&place).is_ok()
    };
    let mut d = domain("aes128-ctr");
    for (region, distance, is_allowed) in [
        (Key, 0, true),
        (Key, 160, true),
        (Key, 176, false),
        (Key, 161, false),
        (Key, 8, false),
        (Key, -16, false),
        (Iv, 0, true),
        (Iv, 8, false),
        (Iv, -8, false),
        (Code, 32, true),
        (Code, 48, true),
        (Code, 31, false),
        (Code, 49, false),
        (Code, 0, false),
        (Region::Output, 0, false),
    ] {
        assert_eq!(lane(&mut d, region, distance), is_allowed, "{region:?} {distance}");
    }
    let value = d.terms.constant(7);
    for (region, distance, is_allowed) in [
        (Iv, 0, true),
        (Iv, 8, false),
        (Key, 0, false),
        (Code, 32, false),
        (Code, 0, false),
        (Region::Input, 0, false),
        (Stack, 0, false),
        (Stack, -8, false),
        (Stack, -16, false),
    ] {
        let place = at(&mut d, region, distance);
        assert_eq!(d.store_lane(&place, &value).is_ok(), is_allowed, "{region:?} {distance}");
    }
    // Parts of the IV, of round keys, and of words of the stack.
    let pointer = at(&mut d, Stack, -32);
    d.stack(&pointer).expect("a place on the stack");
    let word = Linear::number(5);
    for (region, distance, bytes, is_stored, is_loaded) in [
        (Iv, 0, 8, true, true),
        (Iv, 8, 8, true, true),
        (Iv, 4, 8, true, true),
        (Iv, 12, 8, false, false),
        (Iv, 16, 8, false, false),
        (Iv, 0, 4, true, true),
        (Iv, 15, 1, true, true),
        (Iv, 15, 2, false, false),
        (Iv, -1, 1, false, false),
        (Key, 0, 8, false, true),
        (Key, 4, 8, false, true),
        (Key, 12, 8, false, false),
        (Key, 175, 1, false, true),
        (Key, 176, 1, false, false),
        (Key, -1, 1, false, false),
        (Stack, -32, 8, true, true),
        (Stack, -8, 8, true, true),
        (Stack, -12, 8, false, false),
        (Stack, -40, 8, false, false),
        (Stack, 0, 8, false, false),
        (Stack, 8, 8, false, false),
        (Stack, 0, 1, false, false),
        (Stack, -8, 4, true, true),
        (Stack, -8, 1, true, true),
        (Stack, -4, 4, true, true),
        (Stack, -2, 4, false, false),
        (Stack, -16, 1, true, true),
        (Stack, -33, 1, false, false),
        (Region::Frame, -8, 8, false, false),
    ] {
        let place = at(&mut d, region, distance);
        assert_eq!(d.store(&place, bytes, &word).is_ok(), is_stored, "{region:?} {distance}, {bytes}");
        assert_eq!(d.load(&place, bytes).is_ok(), is_loaded, "{region:?} {distance}, {bytes}");
    }
    let place = at(&mut d, Stack, -24);
    assert!(is_refused(&d.load(&place, 8), "nothing is known of"), "it was not written");
    // What was stored there last is there: of the words from 0, 8 and 4 on, of 4 bytes, and of byte 15.
    let place = at(&mut d, Iv, 0);
    assert!(d.store(&place, 8, &Linear::number(9)).is_ok());
    let (whole, low) = (d.load_lane(&place).expect("the IV"), d.terms.constant(5 << 120 | 9));
    assert_eq!(whole, low);
}

/// An address is one pointer and a distance that is public.
#[test]
fn addresses_are_of_one_object() {
    let mut d = domain("aes128-ctr");
    let key = at(&mut d, Region::Key, 0);
    let input = at(&mut d, Region::Input, 0);
    let iv = at(&mut d, Region::Iv, 0);
    let secret = d.terms.word(Atom::Entry(9));
    assert!(d.load_lane(&key).is_ok());
    let number = Linear::number(4096);
    for address in
        [key.plus(&key), key.plus(&iv), key.plus(&input), key.plus(&secret), secret.clone(), number]
    {
        assert!(d.load_lane(&address).is_err(), "{address:?}");
        assert!(d.load(&address, 8).is_err(), "{address:?}");
        assert!(d.store(&address, 8, &Linear::default()).is_err(), "{address:?}");
    }
    assert!(d.prefetch(&input.plus(&key)).is_ok());
    for address in [secret.clone(), key.plus(&secret)] {
        assert!(is_refused(&d.prefetch(&address), NOT_PUBLIC));
    }
}

#[test]
fn arrays_have_as_many_elements_as_streams() {
    let mut d = domain("aes128-cbc-x2");
    for kind in 0..5 {
        for (distance, bytes, is_allowed) in
            [(0, 8, true), (8, 8, true), (16, 8, false), (4, 8, false), (-8, 8, false), (0, 4, false)]
        {
            let place = at(&mut d, Region::Array(kind), distance);
            assert_eq!(d.load(&place, bytes).is_ok(), is_allowed, "{kind}: {distance}, {bytes}");
            assert!(d.store(&place, bytes, &Linear::default()).is_err());
            assert!(d.load_lane(&place).is_err());
        }
    }
}

#[test]
fn the_stack_pointer_stays_on_the_stack() {
    let mut d = domain("aes128-ecb");
    d.frame = Some((-8, 4096));
    for (region, distance, is_allowed) in [
        (Region::Stack, 0, true),
        (Region::Stack, -8, true),
        (Region::Stack, 8, false),
        (Region::Stack, -65536, true),
        (Region::Stack, -65544, false),
        // The frame may be 4,096 bytes below the place.
        (Region::Frame, 0, true),
        (Region::Frame, 8, false),
        (Region::Frame, 4096 + 8 - 65536, true),
        (Region::Frame, 4096 - 65536, false),
        (Region::Key, 0, false),
    ] {
        let place = at(&mut d, region, distance);
        assert_eq!(d.stack(&place).is_ok(), is_allowed, "{region:?} {distance}");
        assert_eq!(
            d.returns(&place).is_ok(),
            (region, distance) == (Region::Stack, 0),
            "{region:?} {distance}"
        );
    }
}

/// Words below the stack pointer are lost, those of the frame when the pointer is above it, and those between.
#[test]
fn words_that_are_left_are_lost() {
    let mut d = domain("aes128-ecb");
    d.frame = Some((-16, 64));
    let move_to = |d: &mut Symbolic, region, distance| {
        let place = at(d, region, distance);
        d.stack(&place).expect("a place on the stack");
    };
    let store = |d: &mut Symbolic, region, distance| {
        let place = at(d, region, distance);
        d.store(&place, 8, &Linear::number(1)).is_ok()
    };
    let is_there = |d: &mut Symbolic, region, distance| {
        let place = at(d, region, distance);
        d.load(&place, 8).is_ok()
    };
    move_to(&mut d, Region::Stack, -32);
    assert!([-8, -16, -24, -32].iter().all(|&at| store(&mut d, Region::Stack, at)));
    move_to(&mut d, Region::Stack, -24);
    move_to(&mut d, Region::Stack, -32);
    assert!(is_there(&mut d, Region::Stack, -24) && !is_there(&mut d, Region::Stack, -32));
    // Below the place that is aligned nothing is left of the stack.
    move_to(&mut d, Region::Frame, -64);
    assert!(is_there(&mut d, Region::Stack, -16) && !is_there(&mut d, Region::Stack, -24));
    assert!(!store(&mut d, Region::Stack, -24) && !store(&mut d, Region::Frame, 0));
    assert!(
        store(&mut d, Region::Frame, -8)
            && store(&mut d, Region::Frame, -64)
            && !store(&mut d, Region::Frame, -72)
    );
    move_to(&mut d, Region::Stack, -32);
    assert!(!is_there(&mut d, Region::Stack, -24) && !store(&mut d, Region::Frame, -8));
    move_to(&mut d, Region::Frame, -64);
    assert!(!is_there(&mut d, Region::Frame, -8));
}

/// A secret stays one where it was stored, until that place is written again.
#[test]
fn secrets_on_the_stack_are_remembered() {
    let mut d = domain("aes128-ecb");
    d.frame = Some((-8, 64));
    let text = d.terms.part(Part::Text(Linear::default()));
    let (secret, own) = (d.terms.half(text, 0), d.terms.word(Atom::Entry(3)));
    let unknown = d.terms.unknown();
    for (region, pointer) in [(Region::Stack, -64), (Region::Frame, -64)] {
        for (value, is_secret) in [
            (&secret, true),
            (&unknown, true),
            (&own, false),
            (&own.offset(1), true),
            (&Linear::number(0), false),
        ] {
            let lower = at(&mut d, region, pointer);
            d.stack(&lower).expect("a place on the stack");
            let place = at(&mut d, region, -16);
            d.store(&place, 8, value).expect("a word");
            let top = at(&mut d, Region::Stack, 0);
            d.stack(&top).expect("the entry");
            assert_eq!(!d.path.secret_cells.is_empty(), is_secret, "{region:?}: {value:?}");
        }
    }
}

/// A half of a word that was not written is unknown, with terms of bits.
#[test]
fn the_other_half_of_a_word_is_unknown() {
    let (mut d, _) = bits("aes128-ecb");
    let pointer = at(&mut d, Region::Stack, -16);
    d.stack(&pointer).expect("a place on the stack");
    for (distance, is_allowed) in
        [(-16, true), (-12, true), (-14, true), (-10, false), (-20, false), (-2, false)]
    {
        let place = at(&mut d, Region::Stack, distance);
        assert_eq!(d.store(&place, 4, &Linear::number(7)).is_ok(), is_allowed, "{distance}");
    }
    let place = at(&mut d, Region::Stack, -8);
    d.store(&place, 4, &Linear::number(7)).expect("a half");
    let word = d.load(&place, 8).expect("a word");
    assert_eq!(word.as_number(), None);
    assert!(d.terms.is_secret(&word));
    assert_eq!(d.load(&place, 4).ok(), Some(Linear::number(7)));
}

/// Round keys that a schedule stored are read again where all of their bytes are stored.
#[test]
fn round_keys_are_read_where_they_are_stored() {
    let mut d = domain("aes128-key");
    let text = d.terms.part(Part::Text(Linear::default()));
    let low = d.terms.shuffled(text, &std::array::from_fn(|k| if k < 4 { k as u8 } else { ZERO }));
    let low = d.terms.half(low, 0);
    let place = at(&mut d, Region::Output, 0);
    assert!(is_refused(&d.load(&place, 4), "that is not stored"));
    d.store(&place, 4, &low).expect("the first word of the first round key");
    assert_eq!(d.load(&place, 4).ok(), Some(low));
    for (distance, bytes) in [(0, 8), (2, 4), (4, 4), (16, 4)] {
        let place = at(&mut d, Region::Output, distance);
        assert!(is_refused(&d.load(&place, bytes), "that is not stored"), "{distance}, {bytes}");
    }
}

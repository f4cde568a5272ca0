//! Tests of the shared computation for counters that differ in one byte, against whole rounds.

use aesmith_dataflow::technique::{Counter, counter, multiple, sliced};
use aesmith_dataflow::{Choices, Technique};

fn bytes(x: u128) -> [u8; 16] {
    x.to_le_bytes()
}

/// A lane with these bytes cleared.
fn without(x: u128, places: &[usize]) -> u128 {
    let mut all = bytes(x);
    places.iter().for_each(|&at| all[at] = 0);
    u128::from_le_bytes(all)
}

/// The state after two rounds, combined from the part that 256 counters share and the part of this one.
fn together(of: &Counter, whitened: u128, keys: [u128; 2]) -> u128 {
    let substituted = |state: u128| -> [[u8; 16]; 3] {
        let both = of.substitute.run(&of.enter.run(&[state]));
        [both[0], both[1], both[0] ^ both[1]].map(bytes)
    };
    let mixed = |k: usize, state: u128, places: &[usize]| {
        let both = of.substitute.run(&of.enter.run(&[state]));
        of.mix[k].run(&[without(both[0], places), without(both[1], places), keys[k]])[0]
    };
    // Neither part depends on the counter's last byte.
    let shared = mixed(0, without(whitened, &[15]), &[of.place]);
    let mut first = bytes(shared);
    let own = substituted(whitened);
    for (row, &at) in of.first.iter().enumerate() {
        first[at] ^= own[usize::from(multiple(row, 3)) - 1][of.place];
    }
    let mut second = bytes(mixed(1, shared, &of.before));
    let own = substituted(u128::from_le_bytes(first));
    for (at, &row) in of.second.iter().enumerate() {
        second[at] ^= own[usize::from(multiple(at % 4, row)) - 1][of.before[row]];
    }
    u128::from_le_bytes(second)
}

#[test]
fn two_rounds_are_the_sum_of_their_parts() {
    let mut found = 0;
    for technique in Technique::ALL {
        for fixsliced in [false, true] {
            let choices = Choices { fixsliced, early_key: true, ..Choices::default() };
            let Some(of) = counter(technique, choices) else { continue };
            let form = sliced(technique, choices, 10, false).expect("has whole blocks");
            let raw = |k: u128| 0x0123_4567_89ab_cdef_0011_2233_4455_6677_u128.wrapping_mul(2 * k + 3);
            let keys: Vec<u128> = (0..3).map(|k| form.keys[k].run(&[raw(k as u128)])[0]).collect();
            for last in 0..=255u8 {
                let mut text = bytes(raw(40));
                text[15] = last;
                let packed = form.pack.run(&[u128::from_le_bytes(text)])[0];
                let whitened = form.whiten.run(&[packed, keys[0]])[0];
                let whole = (1..3).fold(whitened, |state, k| form.rounds[k - 1].run(&[state, keys[k]])[0]);
                assert_eq!(together(&of, whitened, [keys[1], keys[2]]), whole, "{technique} {fixsliced}");
                found += 1;
            }
        }
    }
    assert!(found > 0);
}

//! Overlapped iterations compute the same values as whole ones, and no iteration is shorter than the lower bound.

use std::sync::OnceLock;

use aesmith_isa::assemble::Item;
use aesmith_isa::timing::{Issue, Overtaking, class};
use aesmith_isa::{Insn, Isa, row};
use proptest::prelude::*;

use super::*;
use crate::toy::ABOUT;

/// The base of memory, and two registers that pass values between iterations.
const BASE: i32 = 7;
const CARRIED: [i32; 2] = [5, 6];
/// The number of iterations that are run.
const TURNS: usize = 4;
/// A region that is written and read.
const WRITTEN: u16 = 1;

/// A machine with eight registers and no flags.
fn toy() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| {
        let rows = [
            row("add", "add {d}, {a}, {a2}", "0000 d[2:0] a[2:0] a2[2:0] 000", "d = a + a2", "alu"),
            row("xor", "xor {d}, {a}, {a2}", "0001 d[2:0] a[2:0] a2[2:0] 000", "d = a ^ a2", "alu"),
            row("ld", "ld {d}, {a}, {i}", "0101 d[2:0] a[2:0] i[5:0]", "d = m32[a + i]", "load"),
            row("st", "st {d}, {a}, {i}", "0110 d[2:0] a[2:0] i[5:0]", "m32[a + i] = d", "store"),
        ];
        Isa::new(ABOUT, &rows).expect("the table is right")
    })
}

/// A timing with two instructions a cycle and a latency of three cycles.
static SLOW: Timing = Timing {
    source: "made up",
    classes: &[class("alu", 1, 3, "late"), class("load", 1, 3, "late")],
    overtaking: Overtaking::Waits,
    issue: Issue { width: 2, together: &[] },
    ..Timing::SCALAR
};

fn constraints() -> Constraints<'static> {
    Constraints { free: &[0, 1, 2, 3, 4], unmarked_is_constant: true, ..Constraints::default() }
}

fn op(name: &str, d: i32, a: i32, b: i32) -> Insn {
    toy().insn(name, &[("d", d), ("a", a), ("a2", b)])
}

fn memory(name: &str, d: i32, i: i32) -> Insn {
    toy().insn(name, &[("d", d), ("a", BASE), ("i", i)])
}

/// Runs items; returns memory and the carried registers.
fn run(items: Vec<Item>) -> (Vec<u8>, [u128; 2]) {
    let (memory, registers) = crate::toy::run(toy(), items, 64);
    (memory, CARRIED.map(|r| registers[r as usize]))
}

/// An iteration over defined values. Eight words of its memory are only read, and eight are also written.
fn turn(choices: &[(u8, u8, u8, u8)]) -> Block {
    let mut block = Block::default();
    let mut alive: Vec<i32> = CARRIED.to_vec();
    for (k, &(what, x, y, n)) in choices.iter().enumerate() {
        let pick = |n: u8| alive[usize::from(n) % alive.len()];
        let (a, b, i) = (pick(x), pick(y), i32::from(n % 8) * 4);
        // Carried registers change towards the end.
        let late = 2 * k > choices.len();
        match what % 7 {
            0 if late => block.push(op("add", CARRIED[usize::from(n) % 2], a, b)),
            1 if late => block.push_in(memory("st", a, 32 + i), WRITTEN),
            2 => {
                let new = block.fresh();
                block.push_in(memory("ld", new, 32 + i), WRITTEN);
                alive.push(new);
            }
            3 => {
                let new = block.fresh();
                block.push(memory("ld", new, i));
                alive.push(new);
            }
            what => {
                let new = block.fresh();
                block.push(op(if what == 4 { "add" } else { "xor" }, new, a, b));
                alive.push(new);
            }
        }
        if alive.len() > 4 {
            alive.remove(2);
        }
    }
    let last = alive[alive.len() - 1];
    block.push(op("xor", CARRIED[0], last, CARRIED[0]));
    block
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn turns_that_begin_the_next_compute_the_same(
        choices in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 6..40),
        part in 1usize..9,
        moves in prop::sample::select(vec![0u32, 200]),
    ) {
        let block = turn(&choices);
        let search = Search { seed: 1, moves };
        let whole = turns(toy(), &block, None, &constraints(), &SLOW, search);
        let cut = Cut { before: block.pieces.len() * part / 8, regions: &[] };
        let split = turns(toy(), &block, Some(cut), &constraints(), &SLOW, search);
        if let (Ok(whole), Ok(split)) = (whole, split) {
            let plain: Vec<Item> = (0..TURNS).flat_map(|_| whole.turn.items.clone()).collect();
            let (ahead, rest) = (split.ahead.expect("a cut"), split.rest.expect("a cut"));
            let mut items = ahead.items;
            (1..TURNS).for_each(|_| items.extend(split.turn.items.clone()));
            items.extend(rest.items);
            prop_assert_eq!(run(items), run(plain));
            let bound = bounds::recurrence(toy(), &block, &constraints(), &SLOW).expect("a block");
            prop_assert!(split.interval as f64 >= bound, "{} and {bound}", split.interval);
            prop_assert!(whole.interval as f64 >= bound, "{} and {bound}", whole.interval);
        }
    }
}

/// Sums of loads in a chain of eight: with half of it executed ahead, an iteration is half as long.
#[test]
fn what_is_done_ahead_shortens_a_turn() {
    let mut block = Block::default();
    let mut sum = block.fresh();
    block.push(memory("ld", sum, 0));
    for k in 1..8 {
        let next = block.fresh();
        block.push(op("add", next, sum, BASE));
        if k == 4 {
            block.cut();
        }
        sum = next;
    }
    block.push(op("xor", CARRIED[0], sum, CARRIED[0]));
    let interval = |cut: Option<usize>| {
        let cut = cut.map(|before| Cut { before, regions: &[] });
        turns(toy(), &block, cut, &constraints(), &SLOW, Search::default()).expect("fits").interval
    };
    let (whole, half) = (interval(None), interval(Some(block.cuts[0])));
    assert!(whole >= 24 && half <= 15, "{whole} and {half}");
    // Only the sum is carried between iterations.
    assert_eq!(bounds::recurrence(toy(), &block, &constraints(), &SLOW), Ok(3.0));
}

/// Two registers that depend on each other: the cyclic chain takes two iterations.
#[test]
fn recurrences_go_over_several_turns() {
    let mut block = Block::default();
    let [a, b] = [(); 2].map(|()| block.fresh());
    block.push(op("add", a, CARRIED[0], BASE));
    block.push(op("add", b, a, BASE));
    block.push(op("xor", CARRIED[0], CARRIED[1], BASE));
    block.push(op("xor", CARRIED[1], b, BASE));
    // The chain has three instructions in one iteration and one in the next.
    assert_eq!(bounds::recurrence(toy(), &block, &constraints(), &SLOW), Ok(6.0));
}

#[test]
fn what_a_turn_writes_is_not_read_ahead_of_it() {
    let mut block = Block::default();
    let v = block.fresh();
    block.push_in(memory("ld", v, 32), WRITTEN);
    block.push(op("xor", CARRIED[0], v, CARRIED[0]));
    block.push_in(memory("st", CARRIED[0], 32), WRITTEN);
    let with = |regions: &'static [u16]| {
        let cut = Cut { before: 1, regions };
        turns(toy(), &block, Some(cut), &constraints(), &SLOW, Search::default())
    };
    assert_eq!(with(&[]).unwrap_err(), "nothing of a turn can be done in the one before");
    assert!(with(&[WRITTEN]).is_ok(), "the caller says that it is other memory");
}

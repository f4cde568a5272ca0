//! Arranged code computes the same values as the original order.

use std::sync::OnceLock;

use aesmith_isa::assemble::Item;
use aesmith_isa::timing::{Issue, Overtaking, Pair, Use, class};
use aesmith_isa::{Description, Insn, Isa, row};
use proptest::prelude::*;

use super::*;
use crate::toy::{ABOUT, byte, number};

/// A machine with eight registers, four of which some instructions are limited to, and a flag that most instructions
/// write.
fn toy() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| {
        let about = Description {
            registers: &[
                ("r0", 32),
                ("r1", 32),
                ("r2", 32),
                ("r3", 32),
                ("r4", 32),
                ("r5", 32),
                ("r6", 32),
                ("r7", 32),
                ("c", 1),
            ],
            ..ABOUT
        };
        let rows = [
            row(
                "add",
                "add {d}, {a}, {a2}",
                "0000 d[2:0] a[2:0] a2[2:0] 000",
                "c = a <u a2; d = a + a2",
                "alu",
            ),
            row("xors", "xor {d}, {a}", "0001 d[2:0] a[2:0] 000000", "d = d ^ a; c = d[0]", "alu"),
            row(
                "low",
                "low {d}, {a}, {i}",
                "001 d[1:0] a[1:0] i[8:0]",
                "if i != 0 { c = a[31] } d = (a << 3) + i",
                "alu",
            ),
            row("carry", "carry {d}, {a}", "0100 d[2:0] a[2:0] 000000", "d = a + zx(c, 32)", "alu"),
            row("ld", "ld {d}, {a}, {i}", "0101 d[2:0] a[2:0] i[5:0]", "d = m32[a + i]", "load"),
            row("st", "st {d}, {a}, {i}", "0110 d[2:0] a[2:0] i[5:0]", "m32[a + i] = d", "store"),
        ];
        Isa::new(about, &rows).expect("the table is right")
    })
}

/// A timing in which loads have a latency of two cycles.
static SINGLE: Timing =
    Timing { source: "made up", classes: &[class("load", 1, 2, "one late")], ..Timing::SCALAR };

/// A timing with two instructions a cycle, one of which may access memory.
static DUAL: Timing = Timing {
    source: "made up",
    units: &["alu0", "alu1", "memory"],
    classes: &[
        class("alu", 1, 1, "two units").on(&[Use { any_of: &["alu0", "alu1"], cycles: 1 }]),
        class("load", 1, 2, "one a cycle").on(&[Use { any_of: &["memory"], cycles: 1 }]),
        class("store", 1, 1, "one a cycle").on(&[Use { any_of: &["memory"], cycles: 1 }]),
    ],
    overtaking: Overtaking::Waits,
    issue: Issue { width: 2, together: &[] },
    ..Timing::SCALAR
};

/// A timing with two instructions a cycle: one that computes, followed by one that accesses memory.
static PAIRED: Timing = Timing {
    source: "made up",
    classes: &[class("load", 1, 2, "one late")],
    overtaking: Overtaking::Waits,
    issue: Issue { width: 2, together: &[Pair { first: &["alu"], second: &["load", "store"] }] },
    ..Timing::SCALAR
};

fn load(slot: usize, r: i32) -> Insn {
    toy().insn("ld", &[("d", r), ("a", 7), ("i", 32 + 4 * slot as i32)])
}

fn store(slot: usize, r: i32) -> Insn {
    toy().insn("st", &[("d", r), ("a", 7), ("i", 32 + 4 * slot as i32)])
}

fn constraints(spill: bool) -> Constraints<'static> {
    Constraints {
        free: &[4, 5, 6, 0, 1, 2, 3],
        flags: &[8],
        spill: spill.then_some(Spill { store: &store, load: &load, slots: 8 }),
        ..Constraints::default()
    }
}

/// Runs items; returns the first eight words of memory, registers 5 and 6, and the flag.
fn run(items: Vec<Item>) -> (Vec<u8>, [u128; 3]) {
    let (memory, registers) = crate::toy::run(toy(), items, 32);
    (memory, [5, 6, 8].map(|r| registers[r]))
}

/// A random block over defined values; `wide` keeps more of them live than there are registers.
fn block(choices: &[(u8, u8, u8, u8)], wide: bool) -> Block {
    let isa = toy();
    let mut block = Block::default();
    let mut alive: Vec<i32> = (0..3).map(|r| block.enter(r)).collect();
    for &(what, x, y, n) in choices {
        let pick = |n: u8| alive[usize::from(n) % alive.len()];
        let (a, b, i) = (pick(x), pick(y), i32::from(n % 8) * 4);
        let most = if wide { 9 } else { 4 };
        let new = block.fresh();
        match what % 6 {
            0 => block.push(isa.insn("add", &[("d", new), ("a", a), ("a2", b)])),
            1 => block.push(isa.insn("xors", &[("d", a), ("a", b)])),
            2 => block.push(isa.insn("low", &[("d", new), ("a", a), ("i", i32::from(n))])),
            3 => block.push(isa.insn("carry", &[("d", new), ("a", a)])),
            4 => block.push_in(isa.insn("ld", &[("d", new), ("a", 7), ("i", i)]), u16::from(n % 8)),
            _ => block.push_in(isa.insn("st", &[("d", a), ("a", 7), ("i", i)]), u16::from(n % 8)),
        }
        if !matches!(what % 6, 1 | 5) {
            alive.push(new);
            if alive.len() > most {
                alive.remove(usize::from(x ^ y) % most);
            }
        }
    }
    // The results are fresh values, which no narrow instruction names.
    for (k, r) in [(1, 5), (2, 6)] {
        let out = block.fresh();
        block.push(isa.insn("carry", &[("d", out), ("a", alive[alive.len() - k])]));
        block.leave(out, Some(r));
    }
    block
}

/// The result of the original order, computed without a scheduler: each instruction runs on virtual registers in
/// memory.
fn expected(block: &Block) -> (Vec<u8>, [u128; 3]) {
    let isa = toy();
    // A map holds the values, as on a machine with a register for each.
    let mut values: std::collections::HashMap<i32, u128> =
        block.enters.iter().map(|&(v, r)| (v, number(u128::from(r)))).collect();
    let mut memory: Vec<u8> = (0..32).map(byte).collect();
    let mut c = 1u128;
    for piece in &block.pieces {
        let Some(insn) = super::block::insn(&piece.item) else { continue };
        let f = insn.fields;
        let get = |v: i32, values: &std::collections::HashMap<i32, u128>| values[&v];
        let at = f[2] as usize;
        match isa.of(insn).name.as_str() {
            "add" => {
                let (a, b) = (get(f[1], &values), get(f[2], &values));
                values.insert(f[0], (a + b) & 0xffff_ffff);
                c = u128::from(a < b);
            }
            "xors" => {
                let d = get(f[0], &values) ^ get(f[1], &values);
                values.insert(f[0], d);
                c = d & 1;
            }
            "low" => {
                let a = get(f[1], &values);
                values.insert(f[0], ((a << 3) + f[2] as u128) & 0xffff_ffff);
                if f[2] != 0 {
                    c = a >> 31;
                }
            }
            "carry" => {
                values.insert(f[0], (get(f[1], &values) + c) & 0xffff_ffff);
            }
            "ld" => {
                let word = u32::from_le_bytes(memory[at..at + 4].try_into().expect("4 bytes"));
                values.insert(f[0], u128::from(word));
            }
            _ => memory[at..at + 4].copy_from_slice(&(get(f[0], &values) as u32).to_le_bytes()),
        }
    }
    let out = |n: usize| values[&block.leaves[n].0];
    (memory, [out(0), out(1), c])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn arranged_code_computes_the_same(
        choices in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 4..60),
        seed in 0u32..1000,
        wide in any::<bool>(),
        dual in any::<bool>(),
    ) {
        let timing = if dual { &DUAL } else { &SINGLE };
        let block = block(&choices, wide);
        let search = Search { seed, moves: 400 };
        let found = arrange(toy(), &block, &constraints(wide), timing, search);
        let short = Constraints { bytes: Some(&bytes), ..constraints(wide) };
        if let Ok(arranged) = arrange(toy(), &block, &short, timing, search) {
            prop_assert_eq!(run(arranged.items), expected(&block));
        }
        // Without slots, narrow instructions may still lack a register; the error is expected.
        if let Ok(arranged) = &found {
            prop_assert_eq!(run(arranged.items.clone()), expected(&block));
            prop_assert_eq!(found.clone(), arrange(toy(), &block, &constraints(wide), timing, search));
        } else {
            prop_assert!(found.unwrap_err().contains("registers do not suffice"));
        }
    }
}

/// The size of an instruction of this machine depends on the highest of its registers.
fn bytes(insn: &Insn) -> usize {
    toy().of(insn).fields.iter().zip(insn.fields).filter(|(f, _)| f.name != "i").map(|(_, r)| 1 << r).sum()
}

#[test]
fn registers_are_chosen_for_few_bytes() {
    let block = chains();
    let size = |a: &Arranged| a.items.iter().filter_map(super::block::insn).map(bytes).sum::<usize>();
    let any = constraints(false);
    let short = Constraints { bytes: Some(&bytes), ..constraints(false) };
    let search = Search { seed: 1, moves: 400 };
    let long = arrange(toy(), &block, &any, &SINGLE, search).expect("fits");
    let short = arrange(toy(), &block, &short, &SINGLE, search).expect("fits");
    assert_eq!(run(short.items.clone()), expected(&block));
    assert_eq!(short.cycles, long.cycles, "the order is the same");
    assert!(size(&short) < size(&long), "{} and {} bytes", size(&short), size(&long));
}

/// A block of sixteen loads, each used at once: every wait can be filled.
fn chains() -> Block {
    let isa = toy();
    let mut block = Block::default();
    let mut sums: Vec<i32> = (0..2).map(|r| block.enter(r)).collect();
    for k in 0..16 {
        let v = block.fresh();
        block.push_in(isa.insn("ld", &[("d", v), ("a", 7), ("i", 4 * (k % 8))]), 0);
        let sum = block.fresh();
        block.push(isa.insn("add", &[("d", sum), ("a", sums[k as usize % 2]), ("a2", v)]));
        sums[k as usize % 2] = sum;
    }
    block.leave(sums[0], Some(5));
    block.leave(sums[1], Some(6));
    block
}

#[test]
fn waits_are_filled() {
    let block = chains();
    let source: Vec<&Insn> = block.pieces.iter().filter_map(|p| super::block::insn(&p.item)).collect();
    assert_eq!(price::straight(toy(), source.into_iter(), &mut *SINGLE.model()), 48);
    let arranged = arrange(toy(), &block, &constraints(false), &SINGLE, Search::default()).expect("fits");
    assert_eq!((arranged.cycles, arranged.slots), (32, 0));
    assert_eq!(run(arranged.items), expected(&block));
}

/// Sixteen loads take sixteen cycles at one load a cycle, and every addition but the last two issues beside a load.
#[test]
fn instructions_are_paired_where_two_issue_in_a_cycle() {
    let block = chains();
    for timing in [&DUAL, &PAIRED] {
        let cost = |items: &[Item]| {
            price::straight(toy(), items.iter().filter_map(super::block::insn), &mut *timing.model())
        };
        let deaf = arrange(toy(), &block, &constraints(false), &SINGLE, Search::default()).expect("fits");
        assert!(cost(&deaf.items) > 18, "{} cycles in an order for one at a time", cost(&deaf.items));
        for moves in [0, 5000] {
            let search = Search { seed: 1, moves };
            let arranged = arrange(toy(), &block, &constraints(false), timing, search).expect("fits");
            assert_eq!((arranged.cycles, cost(&arranged.items)), (18, 18), "{} moves", moves);
            assert_eq!(run(arranged.items), expected(&block));
        }
    }
}

/// The incremental prices during a search equal those computed from the start: moved instructions and those after them
/// are priced again as far as they may change.
#[test]
fn prices_along_a_search_are_those_of_its_orders() {
    let block = chains();
    let limits = constraints(false);
    let graph = Graph::new(toy(), &block, &limits).expect("a straight line");
    let pressure = Pressure::new(toy(), &block, &graph, &limits).expect("registers");
    for timing in [&SINGLE, &DUAL, &PAIRED] {
        for seed in 0..20 {
            let mut price = Price::new(toy(), &block, timing.model());
            let search = Search { seed, moves: 300 };
            assert!(search::is_consistent((0..32).collect(), &graph, &pressure, &mut price, search));
        }
    }
}

#[test]
fn search_mends_a_bad_order() {
    let block = chains();
    let isa = toy();
    let limits = constraints(false);
    let graph = Graph::new(isa, &block, &limits).expect("a straight line");
    let pressure = Pressure::new(isa, &block, &graph, &limits).expect("registers");
    let mut price = Price::new(isa, &block, SINGLE.model());
    let source: Vec<u16> = (0..32).collect();
    let better = search::improve(source, &graph, &pressure, &mut price, Search { seed: 3, moves: 20_000 });
    assert_eq!(list::cost(&better, &pressure, &mut price), (0, 32));
}

#[test]
fn jumps_and_values_from_nowhere_are_refused() {
    let isa = toy();
    let mut block = Block::default();
    let (a, b) = (block.fresh(), block.fresh());
    block.push(isa.insn("xors", &[("d", a), ("a", b)]));
    let why = arrange(isa, &block, &constraints(false), &SINGLE, Search::default()).unwrap_err();
    assert_eq!(why, "v0 is read by instruction 0 before it is written");
}

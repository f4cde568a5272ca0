//! Tests on a machine with 128 registers, with blocks that use more registers than a 64-bit mask can represent.

use std::sync::OnceLock;

use aesmith_isa::assemble::{Section, assemble};
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::numbers::Numbers;
use aesmith_isa::{Description, Isa, Kind, row};

use super::*;

const REGISTERS: u8 = 128;

static TIMING: Timing = Timing { source: "made up", ..Timing::SCALAR };

fn many() -> &'static Isa {
    static ISA: OnceLock<Isa> = OnceLock::new();
    ISA.get_or_init(|| {
        let names: Vec<(&'static str, u8)> =
            (0..REGISTERS).map(|r| (&*String::leak(format!("r{r}")), 32)).collect();
        let about = Description {
            name: "many",
            unit: 4,
            registers: names.leak(),
            general: REGISTERS,
            kinds: &[
                ("d", Kind::Register { base: 0, step: 1 }),
                ("a", Kind::Register { base: 0, step: 1 }),
                ("h", Kind::Register { base: 64, step: 1 }),
            ],
            ..crate::toy::ABOUT
        };
        let rows = [
            row("add", "add {d}, {a}, {a2}", "00000010 000 d[6:0] a[6:0] a2[6:0]", "d = a + a2", "alu"),
            // An instruction that names only the upper half, as on processors where a field is short.
            row("up", "up {h}, {a}", "00000011 00000000000 h[5:0] a[6:0]", "h = a + a", "alu"),
        ];
        Isa::new(about, &rows).expect("the table is right")
    })
}

/// A block with `values` values live at once, summed in the order of their definitions. The last one is doubled by an
/// instruction that writes only registers of the upper half.
fn block(values: i32) -> Block {
    let isa = many();
    let mut block = Block::default();
    let made: Vec<i32> = (0..values).map(|_| block.fresh()).collect();
    let sum = block.enter(0);
    for &v in &made {
        // The addition also uses the entering value, so that no value can be computed after the sum has begun.
        block.push(isa.insn("add", &[("d", v), ("a", sum), ("a2", 1)]));
    }
    for v in made {
        block.push(isa.insn("add", &[("d", sum), ("a", sum), ("a2", v)]));
    }
    let up = block.fresh();
    block.push(isa.insn("up", &[("h", up), ("a", sum)]));
    block.leave(up, Some(127));
    block
}

fn arranged(values: i32, free: u8) -> Result<Arranged, String> {
    // Register 1 holds a number that the block uses.
    let free: Vec<u8> = [0].into_iter().chain(REGISTERS - free + 1..REGISTERS).collect();
    let constraints = Constraints { free: &free, ..Constraints::default() };
    arrange(many(), &block(values), &constraints, &TIMING, Search { seed: 1, moves: 200 })
}

#[test]
fn a_hundred_values_are_alive_in_as_many_registers() {
    let found = arranged(100, 101).expect("they suffice");
    assert_eq!(found.used.len(), 101);
    let mut at = found.items.len() as u64 * 4;
    let section = Section { name: ".text", address: 0, writable: false, items: found.items };
    let image = assemble(many(), &[section]).expect("assembles");
    let mut memory = Numbers::new(&image, &many().about, &[]);
    let mut machine = Machine::new(vec![0u128; 128], 0);
    (machine.registers[0], machine.registers[1]) = (5, 3);
    while at > 0 {
        let insn = many().decode_at(&image, machine.pc).expect("decodes");
        execute(many(), &insn, &mut memory, &mut machine, || 4).expect("runs");
        at -= 4;
    }
    // The sum is 5 plus a hundred times 8, doubled.
    assert_eq!(machine.registers[127], 2 * (5 + 100 * 8));
}

#[test]
fn one_register_too_few_is_said() {
    let why = arranged(100, 100).unwrap_err();
    assert!(why.contains("101 values are alive") && why.contains("100 registers are free"), "{why}");
}

#[test]
fn sets_hold_registers_of_every_number() {
    use super::set::RegisterSet;
    let all: RegisterSet = (0..=255).collect();
    assert_eq!((all, all.count()), (RegisterSet::ALL, 256));
    let few: RegisterSet = [3, 63, 64, 127, 128, 255].into_iter().collect();
    assert!((0..=255).all(|r| few.contains(r) == [3, 63, 64, 127, 128, 255].contains(&r)));
    assert!(few.is_within(&all) && !all.is_within(&few));
    assert_eq!((few.only(), few.and(&RegisterSet::one(128)).only()), (None, Some(128)));
}

/// A register above 63 that an instruction names itself is not free for virtual registers.
#[test]
fn a_free_register_that_is_named_is_refused() {
    let isa = many();
    let mut block = Block::default();
    let v = block.fresh();
    block.push(isa.insn("add", &[("d", v), ("a", 100), ("a2", 100)]));
    block.leave(v, None);
    let constraints = Constraints { free: &[100, 101], ..Constraints::default() };
    let why = arrange(isa, &block, &constraints, &TIMING, Search::default()).unwrap_err();
    assert_eq!(why, "instruction 0 names r100, which is free for virtual registers");
}

//! Shared parts of the toy machines in this crate's tests: their description, and a runner for code.

use aesmith_isa::assemble::{Item, Section, assemble};
use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::numbers::Numbers;
use aesmith_isa::{Description, Isa, Kind};

/// The address of memory.
pub const AT: u64 = 0x1000;

/// A description with 32-bit registers, whose fields are `d` and `a`, and `i` for numbers.
pub const ABOUT: Description = Description {
    name: "toy",
    unit: 2,
    registers: &[
        ("r0", 32),
        ("r1", 32),
        ("r2", 32),
        ("r3", 32),
        ("r4", 32),
        ("r5", 32),
        ("r6", 32),
        ("r7", 32),
    ],
    general: 8,
    kinds: &[
        ("d", Kind::Register { base: 0, step: 1 }),
        ("a", Kind::Register { base: 0, step: 1 }),
        ("i", Kind::Number { signed: false, width: 32 }),
    ],
    ..Description::PLAIN
};

/// The initial value of a byte of memory.
pub fn byte(k: u64) -> u8 {
    (k * 37 + 11) as u8
}

/// The initial value of a register that holds no address.
pub fn number(r: u128) -> u128 {
    r * 0x1234_5677
}

/// Runs items; returns `bytes` bytes of memory and the registers. Register 7 holds the address of memory, and a flag
/// after it is 1.
pub fn run(isa: &Isa, items: Vec<Item>, bytes: usize) -> (Vec<u8>, Vec<u128>) {
    let section = Section { name: ".text", address: 0, writable: false, items };
    let image = assemble(isa, &[section]).expect("assembles");
    let mut memory = Numbers::new(&image, &isa.about, &[(AT, 256)]);
    for k in 0..bytes as u64 {
        memory.bytes_mut(AT + k, 1).expect("memory")[0] = byte(k);
    }
    let first = |r: u128| match r {
        7 => u128::from(AT),
        8 => 1,
        r => number(r),
    };
    let registers = (0..isa.about.registers.len() as u128).map(first).collect();
    let mut machine = Machine::new(registers, 0);
    while machine.pc < image.segments.first().map_or(0, |s| s.end()) {
        let insn = isa.decode_at(&image, machine.pc).expect("decodes");
        execute(isa, &insn, &mut memory, &mut machine, || 2).expect("runs");
    }
    (memory.bytes(AT, bytes).expect("memory").to_vec(), machine.registers)
}

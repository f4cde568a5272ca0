//! The instruction table: the PTX instructions (NVIDIA, "Parallel Thread Execution ISA", version 8.0, chapter
//! 9) that the kernels use, as text only. Registers are virtual; `ptxas` allocates them. Timing classes are the
//! units of a multiprocessor that execute the machine code of a row.
//!
//! The addresses of shared memory and of constants are registers of their own (`tables`, `words`), whose values
//! are unknown.

use std::sync::LazyLock;

use aesmith_isa::grid::Launch;
use aesmith_isa::sheet::Sheet;
use aesmith_isa::{ByteOrder, Description, Isa, Kind, Unaligned};

/// Number of 32-bit registers, which start at register 0.
pub const WORDS: u8 = 200;
/// Number of 64-bit registers, which follow.
pub(crate) const DOUBLES: u8 = 32;
/// Number of predicates, which follow.
pub(crate) const PREDICATES: u8 = 8;
const GENERAL: u8 = WORDS + DOUBLES + PREDICATES;

/// The registers that a launch sets: see [`Launch`].
pub const LAUNCH: Launch = Launch {
    thread: GENERAL,
    block: GENERAL + 1,
    blocks: GENERAL + 2,
    shared: GENERAL + 3,
    constants: GENERAL + 4,
    key: GENERAL + 6,
    warp: 32,
    banks: 32,
};

/// Names of the parameters that are pointers or 8-byte numbers, by number. A launch of several streams also
/// gets their number; then its keys and initial vectors are in memory, too.
pub(crate) const PARAMETERS: &[&str] = &["in", "out", "blocks", "streams", "keys", "iv"];
/// The address of the counter: so far from all others that no offset from one parameter reaches another.
pub const IV: u64 = 1 << 32;
/// The address of the key.
pub const KEYS: u64 = 1 << 33;

const WORD: Kind = Kind::Register { base: 0, step: 1 };
const DOUBLE: Kind = Kind::Register { base: WORDS, step: 1 };
const PREDICATE: Kind = Kind::Register { base: WORDS + DOUBLES, step: 1 };

const DESCRIPTION: Description = Description {
    name: "PTX",
    address: 64,
    order: ByteOrder::Little,
    unit: 1,
    general: GENERAL,
    unaligned: Unaligned::Never { is: "is a fault", source: "PTX ISA, Addresses as Operands" },
    kinds: &[
        ("d", WORD),
        ("a", WORD),
        ("b", WORD),
        ("c", WORD),
        ("x", DOUBLE),
        ("y", DOUBLE),
        ("z", DOUBLE),
        ("p", PREDICATE),
        ("n", Kind::Number { signed: false, width: 32 }),
        // A 31-bit number for use with 64-bit operands: PTX would sign-extend a larger one.
        ("m", Kind::Number { signed: false, width: 31 }),
        ("k", Kind::Number { signed: false, width: 8 }),
        ("off", Kind::Number { signed: true, width: 32 }),
        ("to", Kind::Relative { bias: 0, width: 64 }),
        ("of", Kind::Names { width: 64, names: PARAMETERS }),
    ],
    ..Description::PLAIN
};

/// The instruction table.
pub fn isa() -> &'static Isa {
    static ISA: LazyLock<Isa> =
        LazyLock::new(|| Sheet::compiled_in(include_str!("table.txt")).isa(DESCRIPTION));
    &ISA
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::mode::Role;
    use aesmith_isa::execute::{Machine, execute};
    use aesmith_isa::image::Image;
    use aesmith_isa::numbers::Numbers;

    /// The value that an instruction leaves in `%r0` if `%r1` to `%r3` hold these.
    fn run(text: &str, words: [u32; 3]) -> u32 {
        let isa = isa();
        let insn = isa.read(text, &|_| None).expect("is read");
        let mut memory = Numbers::new(&Image::default(), &isa.about, &[]);
        let mut machine = Machine::new(vec![0; isa.about.registers.len()], 0);
        for (place, word) in words.iter().enumerate() {
            machine.registers[place + 1] = u128::from(*word);
        }
        execute(isa, &insn, &mut memory, &mut machine, || 0).expect("is executed");
        machine.registers[0] as u32
    }

    #[test]
    fn bytes_are_permuted() {
        // PTX ISA, 9.7.8.7: bytes of {b, a}, or copies of the byte's sign if the selector's highest bit is set.
        let words = [0x0302_0100, 0x8706_0504, 0];
        assert_eq!(run("prmt.b32 %r0, %r1, %r2, 12816;", words), 0x0302_0100);
        assert_eq!(run("prmt.b32 %r0, %r1, %r2, 0x7654;", words), 0x8706_0504);
        assert_eq!(run("prmt.b32 %r0, %r1, %r2, 0xf827;", words), 0xff00_0287);
    }

    #[test]
    fn three_inputs_are_combined_by_the_table() {
        let words = [0xf0f0_ff00, 0xcccc_00ff, 0xaaaa_f0f0];
        for table in [0u32, 0x96, 0xe8, 0xca, 0x1b, 0x80, 0x7f, 0xff, 0xd8] {
            let text = format!("lop3.b32 %r0, %r1, %r2, %r3, {table};");
            let bit = |place: u32| {
                let entry = words.iter().fold(0, |entry, word| entry << 1 | word >> place & 1);
                (table >> entry & 1) << place
            };
            assert_eq!(run(&text, words), (0..32).map(bit).sum::<u32>(), "{table:#x}");
        }
    }

    #[test]
    fn words_are_rotated() {
        for by in [0u32, 8, 31, 40] {
            let text = "shf.l.wrap.b32 %r0, %r1, %r1, %r2;";
            assert_eq!(run(text, [0x1234_5678, by, 0]), 0x1234_5678u32.rotate_left(by & 31), "{by}");
        }
    }

    #[test]
    fn parameters_are_named_by_what_they_are() {
        let named =
            [Role::Input, Role::Output, Role::Length].map(|role| crate::text::parameter(role, 8, false).name);
        assert_eq!(named, PARAMETERS[..3]);
        assert_eq!(crate::text::parameter(Role::Key, 8, true).name, PARAMETERS[4]);
    }
}

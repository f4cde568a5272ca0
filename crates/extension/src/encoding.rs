//! Encodings that a file specifies itself, as standards define them: checks that they hold the operands and that no two
//! of them overlap.

use aesmith_isa::pattern::Pattern;

use crate::file::{Extension, Instruction, Mistake};
use crate::meaning::operands;
use crate::verilog::wrapper::{STANDARD, placed};

/// An instruction set whose encodings a file may give. Its encodings have 32 bits.
struct Format {
    /// Its name in the file.
    name: &'static str,
    /// Bits of a register's number.
    register: u8,
    /// The fields besides operands.
    fields: &'static [&'static str],
    /// Checks the rules of the instruction set itself.
    check: fn(&Instruction, &Pattern) -> Result<(), String>,
}

/// The instruction sets, by name.
const FORMATS: &[Format] = &[
    Format { name: "arm", register: 4, fields: &["cond"], check: |_, pattern| conditional(pattern) },
    Format {
        name: STANDARD,
        register: 5,
        fields: &[],
        check: |instruction, pattern| {
            four_bytes(pattern)?;
            placed(instruction, pattern)
        },
    },
];

/// True if some code matches both; a shorter encoding is compared with the first bits, which are the lowest.
pub fn overlap(a: &Pattern, b: &Pattern) -> bool {
    let common = a.mask & b.mask;
    a.value & common == b.value & common
}

/// Checks that every encoding of an extension holds its operands, and that no two have a code in common.
pub fn check(extension: &Extension) -> Result<(), Mistake> {
    let mut known: Vec<(&str, &Instruction, Pattern)> = Vec::new();
    for instruction in &extension.instructions {
        for (family, text) in &instruction.encodings {
            let fail = |what: String| Mistake {
                line: instruction.lines.encoding,
                what: format!("{}: {what}", instruction.name),
            };
            let Some(format) = FORMATS.iter().find(|format| format.name == family) else {
                let families: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
                let families = families.join(" and ");
                return Err(fail(format!("no encodings are taken for '{family}'; they are for {families}")));
            };
            let pattern = Pattern::parse(text).map_err(fail)?;
            if pattern.bits != 32 {
                return Err(fail(format!("its encoding for {family} has {} bits, not 32", pattern.bits)));
            }
            holds(instruction, format, &pattern).map_err(fail)?;
            (format.check)(instruction, &pattern).map_err(fail)?;
            if let Some((_, other, _)) = known.iter().find(|(f, _, p)| f == family && overlap(p, &pattern)) {
                return Err(fail(format!(
                    "its encoding for {family} has codes in common with that of {}; change a bit that is fixed in both, or leave the encoding out and one is chosen",
                    other.name
                )));
            }
            known.push((family, instruction, pattern));
        }
    }
    Ok(())
}

/// Checks that an encoding for ARM has the condition field of every instruction (DDI 0100, A3.1).
fn conditional(pattern: &Pattern) -> Result<(), String> {
    let field = pattern.fields.iter().position(|(n, _)| n == "cond");
    match field.map(|f| pattern.put(f, 0xf)) {
        Some(0xf000_0000) => Ok(()),
        _ => Err("its encoding for arm starts with the condition: write cond[3:0] first".into()),
    }
}

/// Checks that an encoding for RISC-V has 32 bits (The RISC-V Instruction Set Manual, Volume I, 1.5).
fn four_bytes(pattern: &Pattern) -> Result<(), String> {
    let low = |bits: u128| (pattern.mask & bits == bits).then_some(pattern.value & bits);
    if low(3) != Some(3) || low(0x1c) == Some(0x1c) || low(0x1c).is_none() {
        return Err(
            "its encoding for rv32 does not end as codes of 32 bits do: in 11, and not in 11111".into()
        );
    }
    Ok(())
}

/// That an encoding has every operand, whole, and nothing else.
fn holds(instruction: &Instruction, format: &Format, pattern: &Pattern) -> Result<(), String> {
    let (family, register) = (format.name, format.register);
    for operand in operands(instruction) {
        let selector = instruction.selectors.iter().find(|(n, _)| n == operand);
        let bits = selector.map_or(register, |(_, bits)| *bits);
        let field = pattern.fields.iter().position(|(n, _)| n == operand);
        let held = field.map_or(0, |f| pattern.held(f));
        if held != (1 << bits) - 1 {
            return Err(format!(
                "its encoding for {family} has not all bits of {operand}; write {operand}[{}:0]",
                bits - 1
            ));
        }
    }
    let others = |n: &&str| operands(instruction).contains(n) || format.fields.contains(n);
    match pattern.fields.iter().map(|(n, _)| n.as_str()).find(|n| !others(n)) {
        Some(other) => Err(format!("its encoding for {family} has the field {other}, which is no operand")),
        None => Ok(()),
    }
}

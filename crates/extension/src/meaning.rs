//! The meanings of an extension's instructions, compiled on a register file that no processor has: for checks, the
//! interpreter and the Verilog. Processors put the same text into their own tables.

use aesmith_isa::execute::{Machine, execute};
use aesmith_isa::image::Image;
use aesmith_isa::numbers::Numbers;
use aesmith_isa::table::Text;
use aesmith_isa::{Description, Insn, Isa, Kind, row};

use crate::file::{Extension, Instruction, Mistake};

/// Macros that every extension may use: signature, text, description.
pub const BUILT_IN: &[(&str, &str, &str)] = &[
    ("byte(x, n)", "(x >> cat(n, zx(0, 3)))[7:0]", "byte n of a word, counted from the lowest"),
    ("turn(x, n)", "ror(x, zx(0, 5) - cat(n, zx(0, 3)))", "a word rotated by n bytes towards the high bits"),
    ("place(x, n)", "zx(x, 32) << cat(n, zx(0, 3))", "a byte in place n of a word of zeros"),
    (
        "mixed(x)",
        "cat(times(3, x), x, x, times(2, x))",
        "what a byte in row 0 adds to its column in MixColumns, row 0 lowest",
    ),
    ("unmixed(x)", "cat(times(11, x), times(13, x), times(9, x), times(14, x))", "the same in InvMixColumns"),
    ("subword(x)", "cat(sbox(x[31:24]), sbox(x[23:16]), sbox(x[15:8]), sbox(x[7:0]))", "SubWord"),
    (
        "unsubword(x)",
        "cat(isbox(x[31:24]), isbox(x[23:16]), isbox(x[15:8]), isbox(x[7:0]))",
        "SubWord with the inverse S-box",
    ),
    (
        "mixcolumn(x)",
        "mixed(x[7:0]) ^ ror(mixed(x[15:8]), 24) ^ ror(mixed(x[23:16]), 16) ^ ror(mixed(x[31:24]), 8)",
        "MixColumns of a column, row 0 lowest",
    ),
    (
        "unmixcolumn(x)",
        "unmixed(x[7:0]) ^ ror(unmixed(x[15:8]), 24) ^ ror(unmixed(x[23:16]), 16) ^ ror(unmixed(x[31:24]), 8)",
        "InvMixColumns of a column",
    ),
];

/// Functions of the language that a meaning may use, besides macros. Division is not among them, because a unit
/// computes in one cycle.
pub const FUNCTIONS: &[&str] = &["zx", "sx", "cat", "ror", "sbox", "isbox", "xtime", "times"];

/// Register names that no file can use.
const REGISTERS: &[(&str, u8)] = &[("$0", 32), ("$1", 32), ("$2", 32), ("$3", 32)];

/// The width of a register number in that file, in bits.
const NUMBER: u8 = 2;

/// The table of an extension's instructions on a register file of its own. Compiling it detects every mistake in a
/// meaning.
pub fn table(extension: &Extension) -> Result<Isa, Mistake> {
    let mut isa = Isa::new(description(extension), &[]).map_err(|what| Mistake { line: 1, what })?;
    for (number, instruction) in extension.instructions.iter().enumerate() {
        let encoding = encoding(instruction, number).ok_or_else(|| Mistake {
            line: instruction.lines.start,
            what: format!("{}: its selectors have more than 16 bits", instruction.name),
        })?;
        let syntax: Vec<String> = operands(instruction).iter().map(|o| format!("{{{o}}}")).collect();
        let syntax = format!("{} {}", instruction.name, syntax.join(", "));
        crate::names::check(&isa, instruction)?;
        let line = row(&instruction.name, &syntax, &encoding, &instruction.meaning, "extension");
        if let Err(what) = isa.add(&line) {
            let line =
                place_of(&isa, &line, &what).map_or(instruction.lines.meaning, |at| line_at(instruction, at));
            let why = if asks_for_wide_registers(&what) { WIDE } else { "" };
            return Err(Mistake { line, what: what + why });
        }
        check(&isa, instruction)?;
    }
    Ok(isa)
}

/// A note for errors about a meaning that treats a register as 64 bits wide.
const WIDE: &str = ". Registers that custom instructions read and write have 32 bits on every base: instructions of 64-bit \
                    processors (RV64's aes64) cannot be attached, those for 32 bits can";

/// True if a meaning is wrong because it reads bits 32 to 63 of a register, or writes 64 bits to one.
fn asks_for_wide_registers(sentence: &str) -> bool {
    let bit = sentence.split_once(" of a value of 32 bits").and_then(|(head, _)| head.rsplit_once("bit "));
    let reads = bit.and_then(|(_, n)| n.parse::<u8>().ok()).is_some_and(|n| (32..64).contains(&n));
    reads || sentence.contains("32 bits are wanted, the value has 64")
}

/// The position of a mistake in a meaning: the byte offset in its sentence, or the first statement without which the
/// mistake disappears.
fn place_of(isa: &Isa, row: &Text, sentence: &str) -> Option<usize> {
    let named = sentence.rsplit_once("(at byte ").and_then(|(_, n)| n.trim_end_matches(')').parse().ok());
    named.or_else(|| {
        let ends = row.meaning.match_indices(';').map(|(at, _)| at);
        let mut start = 0;
        for end in ends {
            let so_far = Text { meaning: row.meaning[..end].to_owned(), ..row.clone() };
            if isa.clone().add(&so_far).is_err_and(|what| what == sentence) {
                break;
            }
            start = end + 1;
        }
        let blank = row.meaning[start..].find(|c: char| !c.is_whitespace()).unwrap_or(0);
        Some(start + blank)
    })
}

/// The line of a byte of a meaning.
pub(crate) fn line_at(instruction: &Instruction, at: usize) -> usize {
    let breaks = instruction.lines.breaks.iter().rev();
    breaks.clone().find(|(start, _)| *start <= at).map_or(instruction.lines.meaning, |(_, line)| *line)
}

/// Registers and selectors without duplicates, the written register first.
pub fn operands(instruction: &Instruction) -> Vec<&str> {
    let mut all = vec![instruction.writes.as_str()];
    all.extend(instruction.reads.iter().map(String::as_str).filter(|r| *r != instruction.writes));
    all.extend(instruction.selectors.iter().map(|(n, _)| n.as_str()));
    all
}

/// An encoding on the register file of extensions: the instruction's number in the highest eight bits, the operands in
/// the lowest.
fn encoding(instruction: &Instruction, number: usize) -> Option<String> {
    let registers = (operands(instruction).len() - instruction.selectors.len()) as u8 * NUMBER;
    let free = 24u8.checked_sub(instruction.selector_bits() + registers)?;
    let mut text = format!("{number:08b}") + &"0".repeat(usize::from(free));
    for operand in operands(instruction) {
        let bits = instruction.selectors.iter().find(|(n, _)| n == operand).map_or(NUMBER, |(_, bits)| *bits);
        text.push_str(&format!(" {operand}[{}:0]", bits - 1));
    }
    Some(text)
}

/// Returns a text with static lifetime, as tables need; only few extensions are read, so it leaks.
fn kept(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// The macros that an extension's meanings may use: signature and text.
pub fn macros(extension: &Extension) -> Vec<(&'static str, &'static str)> {
    let built_in = BUILT_IN.iter().map(|&(signature, text, _)| (signature, text));
    built_in.chain(extension.macros.iter().map(|(s, t)| (kept(s), kept(t)))).collect()
}

fn description(extension: &Extension) -> Description {
    let mut kinds: Vec<(&'static str, Kind)> = Vec::new();
    for instruction in &extension.instructions {
        for operand in operands(instruction) {
            let bits = instruction.selectors.iter().find(|(n, _)| n == operand).map(|(_, bits)| *bits);
            let kind = match bits {
                Some(width) => Kind::Number { signed: false, width },
                None => Kind::Register { base: 0, step: 1 },
            };
            if !kinds.iter().any(|(n, k)| *n == operand && *k == kind) {
                kinds.push((kept(operand), kind));
            }
        }
    }
    let mut registers = REGISTERS.to_vec();
    for name in extension.instructions.iter().flat_map(|i| &i.fixed) {
        if !registers.iter().any(|(n, _)| n == name) {
            registers.push((kept(name), 32));
        }
    }
    Description {
        name: "of an extension",
        registers: Box::leak(registers.into_boxed_slice()),
        general: REGISTERS.len() as u8,
        kinds: Box::leak(kinds.into_boxed_slice()),
        macros: Box::leak(macros(extension).into_boxed_slice()),
        ..Description::PLAIN
    }
}

/// Checks that an instruction reads and writes exactly the declared registers.
fn check(isa: &Isa, instruction: &Instruction) -> Result<(), Mistake> {
    let row = &isa.rows[usize::from(isa.row(&instruction.name))];
    let fail = |what: String| {
        Err(Mistake { line: instruction.lines.meaning, what: format!("{}: {what}", instruction.name) })
    };
    let effects = &row.effects;
    if effects.loads
        || effects.stores
        || effects.jumps
        || effects.reads.iter().any(|&r| usize::from(r) < REGISTERS.len())
        || !effects.writes.is_empty()
    {
        return fail(
            "an instruction of an extension computes a register from registers; no memory, no jumps".into(),
        );
    }
    let name = |f: &(u8, bool)| row.fields[usize::from(f.0)].name.as_str();
    if let Some(other) = effects.written_fields.iter().map(name).find(|n| *n != instruction.writes) {
        return fail(format!("it writes {other}, but says that it writes {}", instruction.writes));
    }
    if effects.conditional {
        let what = format!("a choice is written {} = c ? x : y, not with 'if'", instruction.writes);
        return fail(what);
    }
    if effects.written_fields.is_empty() {
        return fail(format!("it must write {}", instruction.writes));
    }
    let read: Vec<&str> = effects.read_fields.iter().map(name).collect();
    if let Some(other) = read.iter().find(|n| !instruction.reads.iter().any(|r| r == *n)) {
        return fail(format!("it reads {other}, which is not among its reads"));
    }
    let wired: Vec<&str> = effects.reads.iter().map(|&r| isa.about.registers[usize::from(r)].0).collect();
    if let Some(other) = wired.iter().find(|n| !instruction.fixed.iter().any(|r| r == *n)) {
        return fail(format!("it reads {other}, which is not among its fixed registers"));
    }
    let named = instruction.reads.iter().filter(|r| !read.contains(&r.as_str()));
    if let Some(idle) = named.chain(instruction.fixed.iter().filter(|r| !wired.contains(&r.as_str()))).next()
    {
        return fail(format!("it says that it reads {idle}, and does not"));
    }
    Ok(())
}

/// The result of an instruction for numbers: registers in the order of its reads, then those that it is wired to;
/// selectors in their order.
pub fn compute(
    isa: &Isa,
    instruction: &Instruction,
    inputs: &[u32],
    selectors: &[u8],
) -> Result<u32, String> {
    let place = |name: &str| operands(instruction).iter().position(|o| *o == name).unwrap_or(0) as i32;
    let mut machine = Machine::new(vec![0; isa.about.registers.len()], 0);
    let mut fields: Vec<(&str, i32)> = vec![(&instruction.writes, 0)];
    for (name, value) in instruction.reads.iter().zip(inputs) {
        machine.registers[place(name) as usize] = u128::from(*value);
        if *name != instruction.writes {
            fields.push((name, place(name)));
        }
    }
    for (name, value) in instruction.fixed.iter().zip(&inputs[instruction.reads.len().min(inputs.len())..]) {
        let register = isa.register(name).ok_or_else(|| format!("there is no register {name}"))?;
        machine.registers[usize::from(register)] = u128::from(*value);
    }
    for ((name, _), value) in instruction.selectors.iter().zip(selectors) {
        fields.push((name, i32::from(*value)));
    }
    let insn: Insn = isa.insn(&instruction.name, &fields);
    let mut domain = Numbers::new(&Image::default(), &isa.about, &[]);
    execute(isa, &insn, &mut domain, &mut machine, || 0)?;
    Ok(machine.registers[0] as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets;
    use aesmith_cipher::block::{SBOX, gf_mul};

    fn smix3() -> Extension {
        Extension::parse(sets::find("smix3").expect("it is there")).expect("parses")
    }

    #[test]
    fn smix_adds_a_byte_s_share_of_a_column() {
        let extension = smix3();
        let isa = table(&extension).expect("compiles");
        let smix = extension.instructions.iter().find(|i| i.name == "smix").expect("it is there");
        for n in 0..4 {
            for x in 0..=255u8 {
                let (a, b) = (0x0123_4567, u32::from(x) << (8 * n) | 0x5a5a_5a5a & !(0xff << (8 * n)));
                let s = SBOX[usize::from(x)];
                let column = u32::from_le_bytes([gf_mul(2, s), s, s, gf_mul(3, s)]);
                let expected = a ^ column.rotate_left(8 * n);
                assert_eq!(compute(&isa, smix, &[a, b], &[n as u8]), Ok(expected), "byte {n}, value {x}");
            }
        }
    }

    #[test]
    fn macros_take_numbers() {
        let word = 0x8967_4523u32;
        for n in 0..4u32 {
            let byte = word >> (8 * n) & 0xff;
            for (meaning, expected) in [
                (format!("zx(byte(a, {n}), 32)"), byte),
                (format!("turn(a, {n})"), word.rotate_left(8 * n)),
                (format!("place(byte(a, 1), {n})"), 0x45 << (8 * n)),
            ] {
                let text = format!(
                    "name = \"x\"\n[[instruction]]\nname = \"f\"\nreads = [\"a\"]\nwrites = \"d\"\nmeaning = \"d = {meaning}\"\n"
                );
                let extension = Extension::parse(&text).unwrap_or_else(|m| panic!("{meaning}: {m}"));
                let isa = table(&extension).expect("compiles");
                let [f] = &extension.instructions[..] else { panic!("one instruction") };
                assert_eq!(compute(&isa, f, &[word], &[]), Ok(expected), "{meaning}");
            }
        }
    }

    #[test]
    fn every_set_that_comes_along_is_right() {
        for (name, text) in sets::ALL {
            let extension = Extension::parse(text).unwrap_or_else(|m| panic!("{name}.toml, {m}"));
            assert_eq!(extension.name, *name);
            assert!(
                !extension.source.is_empty() && !extension.about.is_empty(),
                "{name} says where it is from"
            );
        }
    }

    #[test]
    fn mistakes_have_their_line() {
        let of = |meaning: &str, more: &str| {
            let text = format!(
                "name = \"x\"\n[[instruction]]\nname = \"f\"\nreads = [\"a\", \"b\"]\nwrites = \"d\"\nmeaning = \"{meaning}\"\n{more}"
            );
            Extension::parse(&text).map(|_| ()).map_err(|m| m.to_string())
        };
        assert_eq!(of("d = a ^ b", ""), Ok(()));
        assert_eq!(
            of("d = a ^ b[7:0]", "").unwrap_err(),
            "line 6: f: d: operands of 32 and 8 bits are combined; extend one with zx or sx"
        );
        assert_eq!(of("d = a", "").unwrap_err(), "line 6: f: it says that it reads b, and does not");
        assert_eq!(of("a = a ^ b", "").unwrap_err(), "line 6: f: it writes a, but says that it writes d");
        assert_eq!(
            of("d = m32[a] ^ b", "").unwrap_err(),
            "line 6: f: an instruction of an extension computes a register from registers; no memory, no jumps"
        );
        assert_eq!(of("d = a ^^ b", "").unwrap_err(), "line 6: f: a value is missing (at byte 7)");
        assert_eq!(
            of("d = a ^ b", "latency = 0").unwrap_err(),
            "line 7: f: its latency is at least one cycle"
        );
        assert!(of("d = a ^ b", "colour = 1").unwrap_err().starts_with("line 7: unknown field `colour`"));
        assert!(
            of(
                "d = a ^ b",
                "[[instruction]]\nname = \"f\"\nreads = []\nwrites = \"d\"\nmeaning = \"d = zx(0, 32)\""
            )
            .unwrap_err()
            .starts_with("line 8: there are two instructions 'f'")
        );
    }
}

//! GNU assembly text (AT&T syntax) that GNU as and clang turn into exactly the kernel's bytes.
//!
//! Assemblers choose among encodings; a kernel's bytes are already chosen, and proved. So an instruction that
//! assemblers would encode differently gets a pseudo prefix that fixes the choice, or is written as bytes, with
//! the text as a comment.

use super::ALIGNMENT;
use super::builds::{guarded, keeps_length, keeps_sse};
use super::frame::{Frame, frames};
use super::listing::{BASE, CONSTANTS_ALIGNMENT, Listing};
use super::needs::needed;
use aesmith_cipher::Problem;
use aesmith_cipher::mode::{KeyPart, Next, Role, Unit};
use aesmith_processor::dialect::Printed;
use iced_x86::{
    Decoder, DecoderOptions, Encoder, EncodingKind, Formatter, GasFormatter, Instruction, MemorySize,
    Mnemonic, OpKind, Register, SymbolResolver, SymbolResult,
};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// Labels by offset.
type Labels = BTreeMap<usize, String>;

struct Resolver(Labels);

impl SymbolResolver for Resolver {
    fn symbol(
        &mut self,
        _: &Instruction,
        _: u32,
        _: Option<u32>,
        address: u64,
        _: u32,
    ) -> Option<SymbolResult<'_>> {
        let offset = address.checked_sub(BASE)? as usize;
        self.0.get(&offset).map(|label| SymbolResult::with_str(address, label))
    }
}

/// Registers of the arguments, in order (System V).
const REGISTERS: [&str; 5] = ["rdi", "rsi", "rdx", "rcx", "r8"];

/// Registers, sizes and permissions of the arguments, and the clobbered state.
pub(super) fn arguments(problem: Problem) -> Vec<String> {
    let mode = problem.mode();
    let name_of = |role: Role| match role {
        Role::Key => "key",
        Role::Iv => "iv",
        Role::Input => "in",
        Role::Output => "out",
        Role::Length => "len",
        Role::CipherKey => "key_bytes",
    };
    let length = mode.arguments.iter().position(|argument| argument.role == Role::Length);
    let texts = match (problem.streams() > 1, mode.unit, length.map(|at| REGISTERS[at])) {
        (true, ..) => "array of pointers to texts".to_owned(),
        (false, Unit::Byte, Some(length)) => format!("{length} bytes"),
        (false, _, length) => format!("16 ({} / 16) bytes", length.unwrap_or("")),
    };
    let what = |role: Role| match (role, problem.streams() > 1) {
        (Role::Key, true) => "array of pointers to round keys".to_owned(),
        (Role::Key, false) if mode.may_read(KeyPart::CounterTable) => {
            "round keys in order of use, counter table".to_owned()
        }
        (Role::Key, false) if mode.may_read(KeyPart::HashTable) => {
            "round keys, then powers of the hash key".to_owned()
        }
        (Role::Key, false) => "round keys in order of use".to_owned(),
        (Role::Iv, true) => "array of pointers to 16 bytes".to_owned(),
        (Role::Iv, false) if mode.counts() => "16 bytes, big-endian counter".to_owned(),
        (Role::Iv, false) if mode.next() == Next::Doubled => {
            "16 bytes, the tweak of the next block".to_owned()
        }
        (Role::Iv, false) if mode.hashed().is_some() => "32 bytes: big-endian counter, GHASH".to_owned(),
        (Role::Iv, false) => "16 bytes".to_owned(),
        (Role::Input, _) => texts.clone(),
        (Role::Output, _) => format!("{texts}, in or apart"),
        (Role::Length, several) => {
            let rest = match mode.unit {
                Unit::Byte => "a block that is begun is used up",
                Unit::Block => "what is beyond whole blocks is left alone",
            };
            format!("{}bytes; {rest}", if several { "array of " } else { "" })
        }
        (Role::CipherKey, _) => "the cipher key".to_owned(),
    };
    let width = mode.arguments.iter().map(|argument| name_of(argument.role).len()).max().unwrap_or(0).max(3);
    let mut lines = Vec::new();
    for (argument, register) in mode.arguments.iter().zip(REGISTERS) {
        let start = format!("{register:<3}  {:<width$}  ", name_of(argument.role));
        lines.push(match (argument.role, argument.read, argument.written, mode.writes) {
            (Role::Length, ..) => start + &what(argument.role),
            // One part of the argument is read and another written.
            (Role::Key, true, true, Some(part)) => {
                let Range { start: first, end } = part.bytes(problem.key);
                format!("{start}round keys read, bytes {first} to {} written", end - 1)
            }
            (role, read, written, _) => {
                let permission = match (read, written) {
                    (true, true) => "read, written",
                    (false, true) => "written",
                    (_, false) => "read",
                };
                format!("{:<PERMISSION$}{permission}", start + &what(role))
            }
        });
    }
    lines.push(
        "Clobbers what the ABI lets it: vector and mask registers, rax rcx rdx rsi rdi r8-r11, flags.".into(),
    );
    lines
}

/// The column of the permissions.
const PERMISSION: usize = 55;

/// An assembly file with these functions.
///
/// # Errors
/// The bytes of a function are not a kernel (see [`Listing::new`]).
pub(super) fn file(functions: &[Printed<'_>]) -> Result<String, String> {
    let mut text = String::new();
    let _ = writeln!(text, "/* SPDX-License-Identifier: {} */", env!("CARGO_PKG_LICENSE"));
    let _ = writeln!(
        text,
        "/* Written by aesmith {}. x86-64, System V ABI, GNU as or clang. */",
        env!("CARGO_PKG_VERSION")
    );
    let mut code = String::from("\n\t.text\n");
    for function in functions {
        code.push('\n');
        code.push_str(&one(function)?);
    }
    let name = functions.first().map_or("", |function| function.symbol);
    let has_avx = |function: &Printed<'_>| {
        needed(function.bytes).is_ok_and(|features| features.iter().any(|feature| feature.name == "avx"))
    };
    if !functions.iter().all(has_avx) {
        code.push_str(&keeps_sse(name));
    }
    code.push_str(PROPERTIES);
    code.push_str("\n\t.section .note.GNU-stack,\"\",@progbits\n");
    let in_c = functions.iter().all(|function| function.in_c);
    text.push_str(&guarded(name, in_c, &code));
    Ok(text)
}

/// The note of control-flow enforcement (System V ABI of Linux, `NT_GNU_PROPERTY_TYPE_0`): a program gets
/// indirect branch tracking and a shadow stack if all its object files have the note.
const PROPERTIES: &str = "
\t/* Indirect branch tracking and shadow stack: functions begin with endbr64 and only return. */
\t.section .note.gnu.property,\"a\",@note
\t.p2align 3
\t.long 4, 16, 5\t# sizes of name and description, NT_GNU_PROPERTY_TYPE_0
\t.asciz \"GNU\"
\t.long 0xc0000002, 4, 3, 0\t# GNU_PROPERTY_X86_FEATURE_1_AND: IBT and SHSTK
";

fn one(function: &Printed<'_>) -> Result<String, String> {
    let listing = Listing::new(function.bytes)
        .map_err(|reason| format!("`{}` cannot be printed: {reason}", function.symbol))?;
    let constants = listing.constants_at(function.bytes)?;
    let code_end = if constants < function.bytes.len() { listing.code_end() } else { constants };
    let labels = labels(function, &listing);
    let frames = frames(&listing);
    let mut printer = Printer::new(labels);
    let symbol = &function.symbol;
    let mut text = String::new();
    text.push_str("/*\n");
    for line in &function.banner {
        let _ = writeln!(text, "{}", format!(" * {line}").trim_end());
    }
    text.push_str(" */\n");
    let _ = writeln!(text, "\t.p2align {}", ALIGNMENT.ilog2());
    let _ = writeln!(text, "\t.globl {symbol}");
    if function.hidden {
        let _ = writeln!(text, "\t.hidden {symbol}");
    }
    let _ = writeln!(text, "\t.type {symbol}, @function\n{symbol}:\n\t.cfi_startproc");
    let mut frame = Frame::entry();
    let mut at = 0;
    while at < code_end {
        for (name, _) in function.places.iter().filter(|(_, place)| *place == at) {
            let _ = writeln!(text, "/* -- {name} */");
        }
        if let Some(label) = printer.resolver_label(at) {
            let _ = writeln!(text, "{label}:");
        }
        if let Some(instruction) = listing.code.get(&at) {
            for directive in frame.directives(&frames[&at]) {
                let _ = writeln!(text, "\t{directive}");
            }
            frame = frames[&at].clone();
            let bytes = &function.bytes[at..at + instruction.len()];
            let _ = writeln!(text, "\t{}", printer.instruction(instruction, bytes, at));
            at += instruction.len();
        } else {
            let end = listing.code.range(at..).next().map_or(code_end, |(&next, _)| next);
            data(&mut text, &function.bytes[at..end], None);
            at = end;
        }
    }
    let _ = writeln!(text, "\t.cfi_endproc\n\t.size {symbol}, . - {symbol}");
    text.push_str(&keeps_length(symbol, code_end));
    if constants < function.bytes.len() {
        text.push_str(&pool(function, &listing, constants, &printer));
    }
    Ok(text)
}

/// Labels for jump targets, from the name of the place if it has one, and for constants.
fn labels(function: &Printed<'_>, listing: &Listing) -> Labels {
    let mut labels = Labels::new();
    let mut taken = BTreeMap::new();
    let mut give = |at: usize, name: &str, labels: &mut Labels| {
        let count = taken.entry(name.to_owned()).or_insert(0);
        *count += 1;
        let number = if *count == 1 { String::new() } else { format!("_{count}") };
        labels.insert(at, format!(".L{}_{name}{number}", function.symbol));
    };
    for &at in &listing.targets {
        let place = function.places.iter().find(|(_, place)| *place == at);
        let name = place.map_or("step".to_owned(), |(name, _)| {
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
        });
        give(at, &name, &mut labels);
    }
    for &at in listing.constants.keys() {
        give(at, "constant", &mut labels);
    }
    labels
}

/// The constants, which are data and need not be executable.
fn pool(function: &Printed<'_>, listing: &Listing, start: usize, printer: &Printer) -> String {
    let symbol = &function.constants;
    let mut text = format!(
        "\n\t.section .rodata\n\t.p2align {}\n\t.type {symbol}, @object\n{symbol}:\n",
        CONSTANTS_ALIGNMENT.ilog2()
    );
    let mut at = start;
    while at < function.bytes.len() {
        if let Some(label) = printer.resolver_label(at) {
            let _ = writeln!(text, "{label}:");
        }
        let next = listing.constants.range(at + 1..).next().map_or(function.bytes.len(), |(&next, _)| next);
        data(&mut text, &function.bytes[at..next], listing.constants.get(&at).copied());
        at = next;
    }
    let _ = writeln!(text, "\t.size {symbol}, . - {symbol}\n\n\t.text");
    text
}

/// Bytes that are not code: a constant, or padding.
fn data(text: &mut String, bytes: &[u8], constant: Option<usize>) {
    if constant.is_none() && bytes.iter().all(|b| *b == bytes[0]) {
        let _ = writeln!(text, "\t.fill {}, 1, {:#04x}\t# padding", bytes.len(), bytes[0]);
        return;
    }
    let what = if constant.is_some() { describe(bytes) } else { "padding".into() };
    let _ = writeln!(text, "\t/* {what} */");
    for row in bytes.chunks(16) {
        let row: Vec<String> = row.iter().map(|b| format!("{b:#04x}")).collect();
        let _ = writeln!(text, "\t.byte {}", row.join(","));
    }
}

/// A description of a pool constant, derived from its lanes.
fn describe(bytes: &[u8]) -> String {
    let lanes: Vec<u128> = bytes
        .chunks_exact(16)
        .map(|lane| u128::from_le_bytes(lane.try_into().expect("chunks are exact")))
        .collect();
    let Some((&first, rest)) = lanes.split_first() else {
        return format!("constant of {} bytes", bytes.len());
    };
    let same = rest.iter().all(|lane| *lane == first);
    if same && first == u128::from_le_bytes(std::array::from_fn(|i| 15 - i as u8)) {
        return "byte reversal of each lane".into();
    }
    if lanes.len() > 1 && lanes.iter().enumerate().all(|(i, lane)| *lane == i as u128) {
        return "the lane's own number".into();
    }
    if same && first <= 0xffff {
        return format!("{first} in the low quadword of each lane");
    }
    if same && first << 8 == 0 {
        return format!("{} in the last byte of each lane, the fast byte of a counter", first >> 120);
    }
    if first << 8 == 0 && rest.iter().all(|lane| lane << 8 == 0) {
        return "per lane, in its last byte: the fast byte of a counter".into();
    }
    if same { "one value in each lane".into() } else { "one value for each lane".into() }
}

struct Printer {
    resolver: Labels,
    formatter: GasFormatter,
}

impl Printer {
    fn new(labels: Labels) -> Printer {
        let resolver = Box::new(Resolver(labels.clone()));
        let mut formatter = GasFormatter::with_options(Some(resolver), None);
        let options = formatter.options_mut();
        options.set_uppercase_hex(false);
        options.set_signed_immediate_operands(true);
        options.set_rip_relative_addresses(true);
        options.set_space_after_operand_separator(true);
        options.set_first_operand_char_index(12);
        Printer { resolver: labels, formatter }
    }

    fn resolver_label(&self, at: usize) -> Option<&str> {
        self.resolver.get(&at).map(String::as_str)
    }

    /// One instruction, written so that an assembler returns `bytes`.
    fn instruction(&mut self, instruction: &Instruction, bytes: &[u8], at: usize) -> String {
        let mut text = String::new();
        self.formatter.format(instruction, &mut text);
        match form(instruction, bytes, at) {
            Form::Plain => text,
            Form::Prefixed(prefix) => format!("{prefix}{}", narrow(&text)),
            Form::Bytes if instruction.is_ip_rel_memory_operand() => {
                let mut decoder = Decoder::with_ip(64, bytes, instruction.ip(), DecoderOptions::NONE);
                let again = decoder.decode();
                let field = decoder.get_constant_offsets(&again).displacement_offset();
                let target = (instruction.ip_rel_memory_address() - BASE) as usize;
                let list =
                    |bytes: &[u8]| bytes.iter().map(|b| format!("{b:#04x}")).collect::<Vec<_>>().join(",");
                let behind = match &bytes[field + 4..] {
                    [] => String::new(),
                    rest => format!("; .byte {}", list(rest)),
                };
                format!(
                    ".byte {}; .long {} - . - {}{behind}\t# {}",
                    list(&bytes[..field]),
                    self.resolver[&target],
                    bytes.len() - field,
                    narrow(&text)
                )
            }
            Form::Bytes => {
                let bytes: Vec<String> = bytes.iter().map(|b| format!("{b:#04x}")).collect();
                format!(".byte {}\t# {}", bytes.join(","), narrow(&text))
            }
            Form::LongJump(opcode) => {
                let opcode: Vec<String> = bytes[..opcode].iter().map(|b| format!("{b:#04x}")).collect();
                let target = (instruction.near_branch_target() - BASE) as usize;
                let label = &self.resolver[&target];
                format!(".byte {}; .long {label} - . - 4\t# {}", opcode.join(","), narrow(&text))
            }
        }
    }
}

/// The text of an instruction with one space after the mnemonic, for use outside the column.
fn narrow(text: &str) -> String {
    text.split_once(' ')
        .map_or(text.to_owned(), |(mnemonic, operands)| format!("{mnemonic} {}", operands.trim_start()))
}

/// The notation of an instruction that preserves its encoding.
#[derive(Debug, PartialEq, Eq)]
enum Form {
    /// Assemblers choose this encoding.
    Plain,
    /// A pseudo prefix makes assemblers choose it.
    Prefixed(String),
    /// No notation known to both assemblers makes them choose it.
    Bytes,
    /// A jump in its long form, after this many bytes of opcode, although the short form would reach.
    LongJump(usize),
}

fn form(i: &Instruction, bytes: &[u8], at: usize) -> Form {
    // Prefixes without effect and the like: only literal bytes preserve them.
    let mut encoder = Encoder::new(64);
    if encoder.encode(i, i.ip()).is_err() || encoder.take_buffer() != bytes {
        return Form::Bytes;
    }
    if i.op0_kind() == OpKind::NearBranch64 {
        let target = (i.near_branch_target() - BASE) as i64;
        // Forward, the short form would bring the target closer by the bytes it saves.
        let end = at as i64 + if target > at as i64 { bytes.len() as i64 } else { 2 };
        let short = i8::try_from(target - end).is_ok();
        return match bytes {
            [0xe9, ..] | [0x0f, _, ..] if short => Form::LongJump(bytes.len() - 4),
            [0xe9 | 0xeb | 0x70..=0x7f, ..] | [0x0f, _, ..] => Form::Plain,
            _ => Form::Bytes,
        };
    }
    let mut prefixes = String::new();
    match i.encoding() {
        EncodingKind::EVEX => {
            // Without registers above 15, masks or 512 bits, a VEX form usually exists as well.
            let wide = |n| i.op_kind(n) == OpKind::Register && i.op_register(n).is_zmm();
            if !(0..i.op_count()).any(wide) {
                prefixes.push_str("{evex} ");
            }
        }
        // Map 1 and W = 0: the two-byte prefix may be reached by exchanging operands.
        EncodingKind::VEX if bytes[0] == 0xc4 && bytes[1] & 0x1f == 1 && bytes[2] & 0x80 == 0 => {
            prefixes.push_str("{vex3} ");
        }
        EncodingKind::VEX => {}
        _ if !scalar_is_plain(i, bytes) => return Form::Bytes,
        _ => {}
    }
    prefixes.push_str(displacement_prefix(i, bytes));
    if prefixes.is_empty() { Form::Plain } else { Form::Prefixed(prefixes) }
}

/// The pseudo prefix for an explicit zero displacement, or for a 4-byte displacement where one byte is enough.
fn displacement_prefix(i: &Instruction, bytes: &[u8]) -> &'static str {
    let memory = (0..i.op_count()).any(|n| i.op_kind(n) == OpKind::Memory);
    if !memory || i.is_ip_rel_memory_operand() || i.memory_base() == Register::None {
        return "";
    }
    let mut decoder = Decoder::with_ip(64, bytes, i.ip(), DecoderOptions::NONE);
    let again = decoder.decode();
    let size = decoder.get_constant_offsets(&again).displacement_size();
    let displacement = i.memory_displacement64() as i64;
    // rbp and r13 have no form without a displacement.
    let needed = matches!(i.memory_base(), Register::RBP | Register::R13);
    let unit = match i.encoding() {
        EncodingKind::EVEX => evex_unit(i.memory_size()),
        _ => 1,
    };
    let short = displacement % unit == 0 && i8::try_from(displacement / unit).is_ok();
    match size {
        1 if displacement == 0 && !needed => "{disp8} ",
        4 if short => "{disp32} ",
        _ => "",
    }
}

/// The unit of a compressed displacement (Intel SDM volume 2, 2.7.5): the operand's size in bytes, for the
/// full-vector and whole-element forms that kernels use.
fn evex_unit(size: MemorySize) -> i64 {
    size.size().max(1) as i64
}

/// True if assemblers choose this encoding among those of a legacy instruction.
fn scalar_is_plain(i: &Instruction, bytes: &[u8]) -> bool {
    use Mnemonic::*;
    let register = |n: u32| i.op_kind(n) == OpKind::Register;
    let accumulator = register(0)
        && matches!(i.op0_register(), Register::RAX | Register::EAX | Register::AX | Register::AL);
    match i.mnemonic() {
        // Loop padding: one NOP of each length, which assemblers write differently.
        Nop => false,
        Mov | Add | Adc | Sub | Sbb | And | Or | Xor | Cmp if register(0) && register(1) => {
            // Bit 1 of the opcode selects the operand of the register field; assemblers clear it.
            let prefixes = bytes.iter().take_while(|b| **b == 0x66 || **b & 0xf0 == 0x40).count();
            bytes[prefixes] & 2 == 0
        }
        // The accumulator has a shorter form of its own, except for sign-extended bytes.
        Add | Adc | Sub | Sbb | And | Or | Xor | Cmp | Test if accumulator && !register(1) => !matches!(
            i.op1_kind(),
            OpKind::Immediate8 | OpKind::Immediate16 | OpKind::Immediate32 | OpKind::Immediate32to64
        ),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form_of(bytes: &[u8]) -> Form {
        let instruction = Decoder::with_ip(64, bytes, BASE, DecoderOptions::NONE).decode();
        assert_eq!(instruction.len(), bytes.len());
        form(&instruction, bytes, 0)
    }

    #[test]
    fn encodings_that_assemblers_would_not_choose() {
        use Form::{Bytes, LongJump, Plain};
        let prefixed = |prefix: &str| Form::Prefixed(prefix.to_owned());
        let table: &[(&[u8], Form)] = &[
            (&[0x48, 0x89, 0xc8], Plain),                      // mov %rcx, %rax, store form
            (&[0x48, 0x8b, 0xc1], Bytes),                      // mov %rcx, %rax, load form
            (&[0x2e, 0x48, 0x89, 0xc8], Bytes),                // with an ineffective prefix
            (&[0x48, 0x81, 0xc0, 0x00, 0x10, 0, 0], Bytes),    // add $0x1000, %rax, not the accumulator form
            (&[0x48, 0x83, 0xc0, 0x10], Plain),                // add $0x10, %rax
            (&[0x48, 0x8b, 0x47, 0x00], prefixed("{disp8} ")), // mov 0(%rdi), %rax
            (&[0x48, 0x8b, 0x87, 8, 0, 0, 0], prefixed("{disp32} ")),
            (&[0xc5, 0xf1, 0xef, 0xc2], Plain), // vpxor %xmm2, %xmm1, %xmm0
            (&[0xc4, 0xc1, 0x71, 0xef, 0xc0], prefixed("{vex3} ")), // vpxor %xmm8, %xmm1, %xmm0
            (&[0xe9, 4, 0, 0, 0], LongJump(1)),
            (&[0x0f, 0x84, 0x80, 0, 0, 0], Plain), // je out of the range of a byte
            (&[0x3e, 0x74, 0x04], Bytes),          // je with a hint
        ];
        for (bytes, form) in table {
            assert_eq!(form_of(bytes), *form, "{bytes:02x?}");
        }
    }
}

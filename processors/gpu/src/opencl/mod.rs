//! Kernels in OpenCL C, for GPUs and processors that PTX does not support: re-emits a program with one
//! statement per row. The proof is about the PTX. The OpenCL C text is executed by other implementations
//! ([`judge`]) and checked against the cipher.

pub mod judge;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use aesmith_cipher::mode::Role;
use aesmith_dataflow::logic;
use aesmith_dataflow::program::{Node, Program, Value, Word};
use aesmith_isa::Insn;
use aesmith_isa::grid::{GridProgram, Parameter};
use aesmith_isa::table::Kind;

use crate::table::{DOUBLES, PREDICATES, WORDS, isa};
use crate::text::{label, targets, words};

/// The statement for each row, with fields in braces, as in the rows' own notation.
#[rustfmt::skip]
const STATEMENTS: &[(&str, &str)] = &[
    ("and", "{d} = {a} & {b};"), ("and_n", "{d} = {a} & {n};"),
    ("or", "{d} = {a} | {b};"), ("or_n", "{d} = {a} | {n};"),
    ("xor", "{d} = {a} ^ {b};"), ("xor_n", "{d} = {a} ^ {n};"),
    ("add", "{d} = {a} + {b};"), ("add_n", "{d} = {a} + {n};"),
    ("shl", "{d} = {a} << {n};"), ("shr", "{d} = {a} >> {n};"),
    ("mov", "{d} = {a};"), ("mov_n", "{d} = {n};"),
    ("rotate", "{d} = rotate({a}, {b});"),
    ("prmt", "{d} = PERMUTED({a}, {b}, {n});"),
    ("lop3", "{d} = {k}({a}, {b}, {c});"), ("lop3_n", "{d} = {k}({a}, {b}, {n});"),
    ("add64", "{x} = {y} + {z};"), ("add64_n", "{x} = {y} + {m};"),
    ("sub64", "{x} = {y} - {z};"), ("sub64_n", "{x} = {y} - {m};"),
    ("and64", "{x} = {y} & {z};"), ("and64_n", "{x} = {y} & {m};"),
    ("shl64", "{x} = {y} << {m};"), ("shr64", "{x} = {y} >> {m};"),
    ("mov64", "{x} = {y};"), ("mov64_n", "{x} = {m};"),
    ("widen", "{x} = {a};"),
    ("product", "{x} = (ulong){a} * {m};"),
    ("halves", "{a} = (uint){x}; {b} = (uint)({x} >> 32);"),
    ("joined", "{x} = (ulong){b} << 32 | {a};"),
    ("add_out", "sum = {y} + {z}; carry = sum < {z}; {x} = sum;"),
    ("add_in", "{x} = {y} + {m} + carry;"),
    ("tid", "{d} = (uint)get_local_id(0);"),
    ("ctaid", "{d} = (uint)get_group_id(0);"),
    ("nctaid", "{d} = (uint)get_num_groups(0);"),
    ("tables", "{d} = 0;"),
    ("constants", "{x} = 0;"),
    ("parameter", "{x} = (ulong){of};"),
    ("key", "{d} = keys[{n} / 4];"),
    ("iv", "{x} = iv[{n} / 8];"),
    ("keys", "{x} = 0;"), ("key_at", "{d} = keys[({y} + {m}) / 4];"), ("nounroll", ""),
    ("ld_const", "{d} = words[({y} + {off}) / 4];"),
    ("ld_shared", "{d} = SHARED(uint, {a} + {off});"),
    ("st_shared", "SHARED(uint, {a} + {off}) = {b};"),
    ("st_shared_v4", "SHARED(uint4, {a} + {off}) = (uint4)({b}, {b2}, {b3}, {b4});"),
    ("ld_global_64", "{x} = *(__global ulong *)(size_t)({y} + {off});"),
    ("ld_global", "four = TEXT({y} + {off}); {b} = four.x; {b2} = four.y; {b3} = four.z; {b4} = four.w;"),
    ("st_global", "TEXT({y} + {off}) = (uint4)({b}, {b2}, {b3}, {b4});"),
    ("ld_global_if", "if ({p}) { four = TEXT({y} + {off}); {b} = four.x; {b2} = four.y; {b3} = four.z; {b4} = four.w; }"),
    ("st_global_if", "if ({p}) TEXT({y} + {off}) = (uint4)({b}, {b2}, {b3}, {b4});"),
    ("ld_global_v2", "two = PAIR({y} + {off}); {b} = two.x; {b2} = two.y;"),
    ("st_global_v2", "PAIR({y} + {off}) = (uint2)({b}, {b2});"),
    ("ld_global_v2_if", "if ({p}) { two = PAIR({y} + {off}); {b} = two.x; {b2} = two.y; }"),
    ("st_global_v2_if", "if ({p}) PAIR({y} + {off}) = (uint2)({b}, {b2});"),
    ("ld_global_v1", "{b} = WORD({y} + {off});"),
    ("st_global_v1", "WORD({y} + {off}) = {b};"),
    ("ld_global_v1_if", "if ({p}) {b} = WORD({y} + {off});"),
    ("st_global_v1_if", "if ({p}) WORD({y} + {off}) = {b};"),
    ("lt", "{p} = {y} < {z};"), ("ge", "{p} = {y} >= {z};"), ("lt_n", "{p} = {a} < {n};"),
    ("bra_if", "if ({p}) goto {to};"), ("bra_unless", "if (!{p}) goto {to};"), ("bra", "goto {to};"),
    ("barrier", "barrier(CLK_LOCAL_MEM_FENCE);"),
    ("ret", "return;"),
];

/// Macros that the statements use.
const MACROS: &str = "\
/* A byte of two words by its number, or copies of its sign; and four bytes by the digits of a number. */
#define BYTE(a, b, s) (((s) & 4 ? (b) : (a)) >> 8 * ((s) & 3) & 0xffu)
#define PICKED(a, b, s) ((s) & 8 ? 0u - (BYTE(a, b, s) >> 7) & 0xffu : BYTE(a, b, s))
#define PERMUTED(a, b, n) (PICKED(a, b, n) | PICKED(a, b, (n) >> 4) << 8 | PICKED(a, b, (n) >> 8) << 16 | PICKED(a, b, (n) >> 12) << 24)
#define SHARED(type, at) (*(__local type *)((__local uchar *)tables + (at)))
#define TEXT(at) (*(__global uint4 *)(size_t)(at))
#define PAIR(at) (*(__global uint2 *)(size_t)(at))
#define WORD(at) (*(__global uint *)(size_t)(at))
";

/// The most statements per program; more are refused: PoCL 3.1 had not finished with 13,000 after ten minutes.
const MOST_STATEMENTS: usize = 8000;

/// The declaration of a parameter.
fn declared(parameter: &Parameter) -> String {
    match parameter.role {
        Role::Key | Role::CipherKey => "__constant uint *keys".into(),
        Role::Iv => "__constant ulong *iv".into(),
        Role::Length => format!("ulong {}", parameter.name),
        Role::Input | Role::Output => format!("__global uint4 *{}", parameter.name),
    }
}

/// A program in OpenCL C.
///
/// # Errors
/// The statement of an instruction would not have its effect (shifts by a word's width or more), or compilers
/// cannot handle the number of statements.
pub fn print(program: &GridProgram) -> Result<String, String> {
    if program.has_streams() {
        return Err(
            "OpenCL has no arrays of addresses of buffers, by which a kernel finds the texts of streams"
                .into(),
        );
    }
    if program.insns.len() > MOST_STATEMENTS {
        return Err(format!(
            "the kernel would be {} statements of OpenCL C, which compilers do not translate in a reasonable time; those of technique=table are fewer",
            program.insns.len()
        ));
    }
    let mut text = format!("{MACROS}{}\n", functions(program));
    if !program.constants.is_empty() {
        let (count, lines) = words(&program.constants);
        // Writing to a string cannot fail.
        let _ = write!(text, "__constant uint words[{count}] = {{\n{lines}\n}};\n\n");
    }
    let local = (program.shared > 0).then(|| "__local uint4 *tables".to_owned());
    let parameters = program.parameters.iter().map(declared).chain(local);
    let _ = write!(
        text,
        "__kernel __attribute__((reqd_work_group_size({}, 1, 1)))\nvoid {}(\n    {})\n{{\n",
        program.threads,
        program.symbol,
        parameters.collect::<Vec<_>>().join(",\n    ")
    );
    for (kind, names) in registers(program) {
        for line in names.chunks(16) {
            let _ = writeln!(text, "    {kind} {};", line.join(", "));
        }
    }
    let targets = targets(program);
    for (at, insn) in program.insns.iter().enumerate() {
        if targets.contains(&at) {
            let _ = writeln!(text, "{}:", label(at));
        }
        let _ = writeln!(text, "    {}", statement(insn, at)?);
    }
    text.push_str("}\n");
    Ok(text)
}

/// The name of the three-input function with this truth table.
fn function(table: u8) -> String {
    format!("LOGIC_{table:02X}")
}

/// The three-input functions that a program uses: macros with as few operations as possible.
fn functions(program: &GridProgram) -> String {
    let used: BTreeSet<u8> =
        program.insns.iter().filter_map(|insn| Some(isa().operand(insn, "k")? as u8)).collect();
    if used.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "/* Functions of three inputs by their tables: the first input's bit stands for 4, the second's for 2, the third's for 1. */\n",
    );
    for table in used {
        let expression = match table {
            0 => "0u".to_owned(),
            0xff => "~0u".to_owned(),
            _ => {
                // In the table index, the bit of the first input has weight 1.
                let mut p = Program::new(Word::U32, 3);
                let inputs = [2, 1, 0].map(|i| p.input(i));
                let out = logic::append(&mut p, table, inputs);
                expression(&p, out)
            }
        };
        let _ = writeln!(text, "#define {}(a, b, c) ({expression})", function(table));
    }
    text
}

/// A value of a logic program as an expression of the inputs a, b and c.
fn expression(p: &Program, of: Value) -> String {
    let say = |value: Value| expression(p, value);
    match p.nodes[usize::from(of.0)] {
        Node::Input(i) => format!("({})", ["a", "b", "c"][usize::from(i)]),
        Node::Xor(a, b) => format!("({} ^ {})", say(a), say(b)),
        Node::And(a, b) => format!("({} & {})", say(a), say(b)),
        Node::Or(a, b) => format!("({} | {})", say(a), say(b)),
        Node::AndNot(a, b) => format!("(~{} & {})", say(a), say(b)),
        Node::Not(a) => format!("~{}", say(a)),
        _ => unreachable!("functions of three inputs are made of these alone"),
    }
}

/// The name of a register.
fn name(register: i32) -> &'static str {
    isa().about.registers[register as usize].0.trim_start_matches('%')
}

/// The registers that a program names, by type, and those that statements use in addition.
fn registers(program: &GridProgram) -> Vec<(&'static str, Vec<&'static str>)> {
    let of = |insn: &Insn| -> Vec<i32> {
        let fields = isa().of(insn).fields.iter().zip(insn.fields);
        fields
            .filter(|(field, _)| matches!(field.kind, Kind::Register { .. }))
            .map(|(_, register)| register)
            .collect()
    };
    let all: BTreeSet<i32> = program.insns.iter().flat_map(of).collect();
    let (words, doubles) = (i32::from(WORDS), i32::from(WORDS + DOUBLES));
    let between =
        |from: i32, to: i32| all.range(from..to).map(|&register| name(register)).collect::<Vec<_>>();
    let mut found = vec![
        ("uint", between(0, words)),
        ("ulong", between(words, doubles)),
        ("bool", between(doubles, doubles + i32::from(PREDICATES))),
    ];
    let names: BTreeSet<&str> = program.insns.iter().map(|insn| isa().of(insn).name.as_str()).collect();
    for (needed, kind, name) in [
        ("add_out", "ulong", "sum"),
        ("add_out", "ulong", "carry"),
        ("ld_global", "uint4", "four"),
        ("ld_global_if", "uint4", "four"),
        ("ld_global_v2", "uint2", "two"),
        ("ld_global_v2_if", "uint2", "two"),
    ] {
        let is_there = found.iter().any(|(_, there)| there[..] == [name]);
        if names.contains(needed) && !is_there {
            found.push((kind, vec![name]));
        }
    }
    found
}

/// The statement of an instruction.
fn statement(insn: &Insn, at: usize) -> Result<String, String> {
    let row = isa().of(insn);
    let template = STATEMENTS.iter().find(|(name, _)| *name == row.name);
    let (_, template) = template.ok_or_else(|| format!("OpenCL C has no statement for {}", row.name))?;
    let is = |names: &[&str]| names.contains(&row.name.as_str());
    let number = |name: &str| isa().operand(insn, name).map(|number| number as u32);
    let beyond = is(&["shl", "shr"]) && number("n").is_some_and(|n| n > 31)
        || is(&["shl64", "shr64"]) && number("m").is_some_and(|m| m > 63);
    if beyond {
        return Err(format!(
            "`{}` does what its statement in OpenCL C does not",
            isa().print(insn, |_| None)
        ));
    }
    let mut text = (*template).to_owned();
    for (field, &value) in row.fields.iter().zip(&insn.fields) {
        let said = match field.kind {
            Kind::Register { .. } => name(value).to_owned(),
            Kind::Relative { .. } => label((at as i64 + i64::from(value)) as usize),
            Kind::Names { names, .. } => names[value as usize].to_owned(),
            Kind::Number { signed: true, .. } => format!("{value}"),
            _ if field.name == "k" => function(value as u8),
            _ if is(&["prmt", "lop3_n", "and_n", "xor_n"]) => format!("{:#x}u", value as u32),
            _ => format!("{}u", value as u32),
        };
        text = text.replace(&format!("{{{}}}", field.name), &said);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_one_statement_with_its_fields() {
        for row in &isa().rows {
            let of_row: Vec<&str> =
                STATEMENTS.iter().filter(|(name, _)| *name == row.name).map(|(_, text)| *text).collect();
            let [statement] = of_row[..] else { panic!("{}: {of_row:?}", row.name) };
            for field in &row.fields {
                assert!(statement.contains(&format!("{{{}}}", field.name)), "{}: {}", row.name, field.name);
            }
        }
    }

    #[test]
    fn what_the_statements_do_not_do_is_refused() {
        for (text, is_said) in [
            ("shl.b32 %r0, %r1, 31;", true),
            ("shl.b32 %r0, %r1, 32;", false),
            ("prmt.b32 %r0, %r1, %r2, 12816;", true),
            ("prmt.b32 %r0, %r1, %r2, 12824;", true),
            ("shr.u64 %rd0, %rd1, 64;", false),
        ] {
            let insn = isa().read(text, &|_| None).expect("is read");
            assert_eq!(statement(&insn, 0).is_ok(), is_said, "{text}");
        }
    }
}

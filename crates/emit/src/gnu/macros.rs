//! Defines instructions of an extension, which GNU as does not know, as macros made from each row's encoding, so that
//! the stock assembler can assemble the kernels.

use aesmith_isa::Kind;
use aesmith_isa::table::Row;
use aesmith_processor::core::Core;
use aesmith_processor::gnu::{Gnu, is_extended};

use std::fmt::Write;

/// Prefix of the symbols that map register names to numbers.
const REGISTER: &str = ".Laesmith_";

/// Returns the rows that an extension adds; the assembler knows those of a processor's own table.
fn added(core: &Core) -> Vec<&'static Row> {
    let extended = is_extended(core);
    (core.isa)().rows.iter().filter(|row| extended && row.class.starts_with("custom ")).collect()
}

/// Returns the macros for a processor's added instructions; empty if there are none.
pub fn macros(core: &Core, gnu: &Gnu) -> String {
    let rows = added(core);
    let mut out = String::new();
    if rows.is_empty() {
        return out;
    }
    // In a unit with several functions, the first one defines them.
    let name = core.name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let _ = writeln!(out, "    .ifndef {REGISTER}has_{name}\n    .set {REGISTER}has_{name}, 1");
    let about = &(core.isa)().about;
    for (number, (name, _)) in about.registers.iter().take(about.general.into()).enumerate() {
        let _ = writeln!(out, "    .set {REGISTER}{name}, {number}");
    }
    for row in rows {
        out.push_str(&one(core, gnu, row));
    }
    out + "    .endif\n"
}

/// Prints the macro of a row: its parameters are the operands that its syntax names, in that order.
fn one(core: &Core, gnu: &Gnu, row: &Row) -> String {
    let directive = gnu.word;
    let mut parameters: Vec<(usize, &str)> = row
        .fields
        .iter()
        .filter_map(|f| Some((row.syntax.find(&format!("{{{}}}", f.name))?, f.name.as_str())))
        .collect();
    parameters.sort_unstable();
    let mut code = row.pattern.value;
    let mut terms = String::new();
    for (field, (name, pieces)) in row.pattern.fields.iter().enumerate() {
        if !parameters.iter().any(|(_, p)| p == name) {
            // A field that is not in the syntax has the same value in all instructions of the extension.
            let given = core.port.and_then(|port| port.fields.iter().find(|(n, _)| n == name));
            code |= row.pattern.put(field, given.map_or(0, |(_, value)| *value as u64));
            continue;
        }
        let value = match row.fields[field].kind {
            Kind::Register { .. } => format!("{REGISTER}\\{name}"),
            _ => format!("\\{name}"),
        };
        for piece in pieces {
            let mask = (1u64 << piece.bits) - 1;
            let _ = write!(terms, " | (((({value}) >> {}) & {mask}) << {})", piece.field_low, piece.code_low);
        }
    }
    let names: Vec<&str> = parameters.into_iter().map(|(_, name)| name).collect();
    format!("    .macro {} {}\n    {directive} {code:#010x}{terms}\n    .endm\n", row.name, names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_extension::sets;
    use aesmith_extension::verilog::Unit;
    use aesmith_isa::Insn;
    use aesmith_isa::assemble::{Item, Section, assemble, text};
    use aesmith_judge::outside::{find, step};
    use aesmith_processor::attach::attach;
    use std::process::Command;
    use std::time::Duration;

    /// Returns every added instruction with several registers and values of its selectors.
    fn instructions(core: &Core) -> Vec<Item> {
        let isa = (core.isa)();
        let mut items = Vec::new();
        for row in added(core) {
            for k in 0..40i32 {
                let value = |place: usize| match row.fields[place].kind {
                    Kind::Register { .. } => (5 * k + 3 * place as i32) % 13,
                    _ => (k + place as i32) % (1 << row.pattern.width(place)),
                };
                let given = core.port.map_or(&[][..], |port| port.fields);
                let fields: Vec<(&str, i32)> = (0..row.fields.len())
                    .map(|place| {
                        let name = row.fields[place].name.as_str();
                        let known = given.iter().find(|(n, _)| *n == name);
                        (name, known.map_or_else(|| value(place), |(_, v)| *v))
                    })
                    .collect();
                let insn: Insn = isa.insn(&row.name, &fields);
                items.push(Item::Insn(insn));
            }
        }
        items
    }

    #[test]
    fn gnu_as_assembles_the_instructions_of_extensions_to_the_same_bytes() {
        for (base, set) in [
            ("arm7tdmi", "bertoni"),
            ("arm9tdmi", "pair"),
            ("picorv32", "zkn"),
            ("vexriscv", "v5"),
            ("picorv32", "bertoni-bytes"),
        ] {
            let extension = Box::leak(Box::new(sets::included(set).expect("parses")));
            let core =
                attach(aesmith_processors::core(base).expect("it is registered"), extension, Unit::default());
            let core = core.unwrap_or_else(|m| panic!("{set} on {base}: {m}"));
            let gnu = core.gnu();
            if find(&format!("{}as", gnu.prefix)).is_none() {
                println!("skipped: {base} needs {}", gnu.packages);
                continue;
            }
            let isa = (core.isa)();
            let section = Section { name: ".text", address: 0, writable: false, items: instructions(core) };
            assert!(section.items.len() >= 40 * extension.instructions.len(), "{set} on {base}");
            let ours = assemble(isa, std::slice::from_ref(&section)).expect("assembles");
            let folder = tempfile::TempDir::new().expect("a folder");
            let at = |name: &str| folder.path().join(name);
            let printed = format!(
                "{}{}    .text\n{}",
                gnu.directives,
                macros(core, &gnu),
                text(isa, &section, gnu.comment)
            );
            std::fs::write(at("it.s"), printed).expect("is written");
            let minute = Duration::from_secs(60);
            let tool = |name: &str| Command::new(format!("{}{name}", gnu.prefix));
            let flags = gnu.flags.split_whitespace().filter(|f| *f != "-marm");
            step(tool("as").args(flags).arg("-o").arg(at("it.o")).arg(at("it.s")), minute)
                .unwrap_or_else(|e| panic!("{set} on {base}: {e}"));
            step(
                tool("objcopy").args(["-O", "binary", "-j", ".text"]).arg(at("it.o")).arg(at("it.bin")),
                minute,
            )
            .expect("is copied");
            let theirs = std::fs::read(at("it.bin")).expect("is there");
            assert_eq!(theirs, ours.segments[0].bytes, "{set} on {base}");
        }
    }

    #[test]
    fn processors_without_an_extension_need_no_macros() {
        assert!(aesmith_processors::cores().all(|core| macros(core, &core.gnu()).is_empty()));
    }
}

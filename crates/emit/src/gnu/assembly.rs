//! Prints a kernel as a file of GNU assembly: contract and costs in a comment, then code and tables.

use aesmith_cipher::firmware::Packing;
use aesmith_isa::assemble::{Item, Section, text};
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::gnu::Gnu;
use aesmith_processor::shared::renamed;
use std::fmt::Write;

use crate::banner::{comment, contract};
pub use crate::gnu::builds::NO_DATA_CACHE;
use crate::gnu::builds::guarded;
use crate::gnu::macros::macros;
use crate::gnu::reach::Near;
use crate::gnu::tables::{Group, Sharing, directive, sharing};
use crate::part::{Part, Role, name_in_c, schedule_of, schedule_symbol};
use crate::shared_table;

/// Prints the file of functions with equal code, named after the first, in a package with the functions `all`.
pub(crate) fn file(gnu: &Gnu, parts: &[Part<'_>], all: &[Part<'_>]) -> String {
    let part = &parts[0];
    let mut out = format!("/* SPDX-License-Identifier: {} */\n", env!("CARGO_PKG_LICENSE"));
    let near = Near::of(gnu, part);
    let placed = near.as_ref().map(Near::sentence);
    for part in parts {
        out.push_str("/*\n");
        let costs = part.facts.costs.iter().cloned();
        for line in contract(part).into_iter().chain(placed.clone()).chain([String::new()]).chain(costs) {
            out.push_str(&comment(&line));
        }
        out.push_str(" */\n");
    }
    let names: Vec<(&str, &str)> = parts.iter().map(|p| (p.kernel.symbol.as_str(), p.symbol)).collect();
    let near = near.map_or_else(String::new, |near| near.directives(gnu));
    let code = named((part.core, gnu), part.kernel, &names, &forms_of_keys(parts, all)) + &near;
    out.push_str(&guarded(gnu, part, &code));
    let _ = write!(
        out,
        "#if defined(__linux__) && defined(__ELF__)\n    .section .note.GNU-stack, \"\", {}progbits\n#endif\n",
        gnu.type_mark
    );
    out
}

/// Symbols for the forms of keys: a key schedule defines one for its result, and functions on blocks refer to the one
/// for their input. They are not code; only linkers use them. Two packages in a program may have key schedules of the
/// same name but different forms. A linker would silently take one for both; with these symbols it needs both and
/// reports the duplicate name. A reference without a definition is not refused, because a program may have precomputed
/// round keys.
fn forms_of_keys(parts: &[Part<'_>], all: &[Part<'_>]) -> String {
    let form = |schedule: &str, packing: Packing| format!("{schedule}_makes_{}", name_in_c(packing.name()));
    let mut out = String::new();
    for part in parts {
        let contract = part.kernel.contract;
        if part.role() == Role::Schedule {
            let made = form(part.symbol, contract.packing);
            let _ = write!(out, "    .global {made}\n{made}:\n");
        } else if let (Some((_, packing)), Some(schedule)) =
            (schedule_of(&contract), schedule_symbol(&contract, all))
        {
            let _ = writeln!(out, "    .global {}", form(&schedule, packing));
        }
    }
    out
}

/// Prints directives, macros, code and tables of a kernel, with the function named `symbol`.
pub fn code(core: &Core, gnu: &Gnu, kernel: &Kernel, symbol: &str) -> String {
    named((core, gnu), kernel, &[(&kernel.symbol, symbol)], "")
}

/// Like [`code`], but with several functions: `names` maps names in the code to printed names, and `before` precedes the
/// code.
fn named((core, gnu): (&Core, &Gnu), kernel: &Kernel, names: &[(&str, &str)], before: &str) -> String {
    let mut out = gnu.directives.clone() + &macros(core, gnu);
    for section in &kernel.sections {
        out.push_str(&one((core, gnu), kernel, names, section, before));
        if section.name == ".text" {
            for (_, symbol) in names {
                let _ = writeln!(out, "    .size {symbol}, .-{symbol}");
            }
        }
    }
    out
}

/// Returns a label's printed name: functions get the package's names, and all other labels are prefixed with the name
/// of the first function, so that all assembly files can be joined to one.
pub(crate) fn printed_label(names: &[(&str, &str)], label: &str) -> String {
    let of = |(from, to): &(&str, &str)| {
        let rest = label.strip_prefix(from)?;
        (rest.is_empty() || rest.starts_with('_')).then(|| format!("{to}{rest}"))
    };
    if shared_table::is_name(label) {
        return label.to_owned();
    }
    let (from, to) = names[0];
    names.iter().find_map(of).unwrap_or_else(|| {
        let local = label.strip_prefix(".L").unwrap_or(label);
        let own = local.strip_prefix(from).map_or(local, |rest| rest.trim_start_matches('_'));
        format!(".L{to}_{own}")
    })
}

/// Prints a section: its directive, alignment and items, under the package's names; `before` precedes code.
fn one(
    (core, gnu): (&Core, &Gnu),
    kernel: &Kernel,
    names: &[(&str, &str)],
    section: &Section,
    before: &str,
) -> String {
    let isa = (core.isa)();
    let mark = gnu.type_mark;
    let name = |label: &str| printed_label(names, label);
    // Code refers to a grouped table by the group's symbol.
    let groups: Vec<Group> = kernel
        .sections
        .iter()
        .filter(|tables| tables.name != ".text")
        .filter_map(|tables| match sharing(core, kernel, tables) {
            Sharing::Group(group) => Some(group),
            _ => None,
        })
        .collect();
    let grouped = |item: &Item| groups.iter().fold(item.clone(), |item, group| group.names(item));
    let items: Vec<Item> = section.items.iter().map(|item| renamed(&grouped(item), &name)).collect();
    let symbol = names[0].1;
    let is_ours = |label: &str| names.iter().any(|(_, symbol)| label.starts_with(symbol));
    let is_code = section.name == ".text";
    if !is_code && let Sharing::Group(group) = sharing(core, kernel, section) {
        let body = text(isa, section, gnu.comment);
        return group.printed(gnu, section, kernel.alignment(section), &body);
    }
    let mut out = if is_code {
        format!("    .section {}.{symbol}, \"ax\", {mark}progbits\n", section.name)
    } else {
        directive(core, gnu, kernel, symbol, section)
    };
    let unit = isa.about.unit.max(core.timing.aligned);
    let align = if is_code { unit.into() } else { kernel.alignment(section) };
    let _ = writeln!(out, "    .balign {}", align.max(1));
    if is_code {
        for item in &items {
            if let Item::Label(label) = item
                && is_ours(label)
                && !label.starts_with(".L")
            {
                let _ = write!(out, "    .global {label}\n    .type {label}, {mark}function\n");
            }
        }
        out.push_str(before);
    }
    if is_code && gnu.by_length {
        return out + &by_length(core, gnu, section, items);
    }
    let section = Section { items, ..section.clone() };
    let body = text(isa, &section, gnu.comment);
    if is_code && !gnu.function.is_empty() {
        for line in body.lines() {
            if line.ends_with(':') && is_ours(line) {
                out.push_str(gnu.function);
            }
            let _ = writeln!(out, "{line}");
        }
        return out;
    }
    out + &body
}

/// Prints code so that its instructions keep their lengths: by default GNU as compresses where it can.
fn by_length(core: &Core, gnu: &Gnu, section: &Section, items: Vec<Item>) -> String {
    let isa = (core.isa)();
    let mut out = String::new();
    let mut compressed = None;
    for item in items {
        if let Item::Insn(insn) | Item::Linked { insn, .. } = &item {
            let short = isa.of(insn).bytes() == 2;
            if compressed != Some(short) {
                out.push_str(if short { "    .option rvc\n" } else { "    .option norvc\n" });
                compressed = Some(short);
            }
        }
        out.push_str(&text(isa, &Section { items: vec![item], ..section.clone() }, gnu.comment));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::symbol_of_blocks;
    use aesmith_isa::image::Image;
    use aesmith_judge::outside::{binutils, step};
    use aesmith_processor::trial::kernels::problems;
    use aesmith_processor::trial::{of_last_values, part};
    use std::process::Command;
    use std::time::Duration;

    /// Assembles and links the printed text with GNU as and ld, with sections at our addresses.
    fn linked(core: &Core, gnu: &Gnu, kernel: &Kernel, symbol: &str) -> Result<Image, String> {
        let folder = tempfile::TempDir::new().map_err(|e| e.to_string())?;
        let file = |name: &str, contents: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, contents).map(|()| path).map_err(|e| e.to_string())
        };
        let text = file("kernel.s", &code(core, gnu, kernel, symbol))?;
        let places: String = kernel
            .sections
            .iter()
            .map(|s| format!("  {0} {1:#x} : SUBALIGN(1) {{ *({0}*) }}\n", s.name, s.address))
            .collect();
        let script = file("script.ld", &format!("SECTIONS {{\n{places}  /DISCARD/ : {{ *(*) }}\n}}\n"))?;
        let (object, elf) = (folder.path().join("kernel.o"), folder.path().join("kernel.elf"));
        let minute = Duration::from_secs(60);
        let flags = gnu.flags.split_whitespace().filter(|f| *f != "-marm" && *f != "-mlittle-endian");
        let tool = |name: &str| {
            let name = format!("{}{name}", gnu.prefix);
            Command::new(binutils(&name).unwrap_or_else(|| name.into()))
        };
        step(tool("as").args(flags).arg("-o").arg(&object).arg(&text), minute)?;
        step(
            tool("ld")
                .args(gnu.linker.split_whitespace())
                .arg("-T")
                .arg(&script)
                .arg("-o")
                .arg(&elf)
                .arg(&object),
            minute,
        )?;
        Image::from_elf(&std::fs::read(&elf).map_err(|e| e.to_string())?, &core.linking.head)
    }

    /// For every instruction set and problem, the plain variant; for some, one with every dimension at its last value, and for
    /// AES-128 also variants that differ from the plain one in one choice: all of them in a soak. Processors with one
    /// instruction set have the same kernels.
    #[test]
    fn gnu_makes_the_same_bytes() {
        let mut sets = Vec::new();
        for core in aesmith_processors::cores() {
            let set = (core.isa)().about.name;
            if sets.contains(&set) {
                continue;
            }
            sets.push(set);
            let gnu = core.gnu();
            if binutils(&format!("{}ld", gnu.prefix)).is_none() {
                println!("skipped: {} needs {}", core.name, gnu.packages);
                continue;
            }
            let all: Vec<_> = problems(core).collect();
            let last = part(&all, 3).filter_map(|problem| of_last_values(core, *problem).ok());
            let plain = || all.iter().map(|problem| core.table.plain(*problem));
            let near = plain().filter(|v| v.problem.key.bits() == 128).flat_map(|v| v.neighbours());
            let built = plain().chain(part(near, 24)).filter_map(|v| (core.build)(&v).ok());
            for kernel in built.chain(last) {
                let variant = &kernel.variant;
                let ours = kernel.image((core.isa)()).unwrap();
                let theirs = linked(core, &gnu, &kernel, &symbol_of_blocks(variant.problem));
                let theirs = theirs.unwrap_or_else(|e| panic!("{variant}: {e}"));
                for segment in &ours.segments {
                    let there = theirs.at(segment.address);
                    let differ = (0..segment.bytes.len()).find(|&i| there.get(i) != segment.bytes.get(i));
                    assert_eq!(differ, None, "{variant}: bytes at {:#x} differ", segment.address);
                }
            }
        }
    }
}

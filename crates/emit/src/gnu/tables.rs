//! Sections of tables, and how linkers are told to keep one of several equal ones.

use aesmith_isa::Isa;
use aesmith_isa::assemble::{Item, Section};
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::gnu::Gnu;
use std::collections::BTreeMap;
use std::fmt::Write;

use crate::shared_table;

/// The way in which the functions of a program share a section of tables.
pub(crate) enum Sharing {
    /// One mergeable entry of constants, which linkers replace by an equal one. Its size is a multiple of its
    /// alignment, as GNU ld requires.
    Merged,
    /// A group of which linkers keep one copy: see [`shared_table`].
    Group(Group),
    /// Not shared.
    Alone,
}

/// A table in RAM that forms a group.
pub(crate) struct Group {
    /// Its symbol.
    pub name: String,
    /// Offsets of the labels that code refers to.
    labels: BTreeMap<String, u64>,
}

/// Returns the way in which a section of tables is shared.
pub(crate) fn sharing(core: &Core, kernel: &Kernel, section: &Section) -> Sharing {
    let isa = (core.isa)();
    let alignment = u64::from(kernel.alignment(section));
    if section.writable {
        return group(isa, alignment, section).map_or(Sharing::Alone, Sharing::Group);
    }
    match section.size(isa).is_multiple_of(alignment) {
        true => Sharing::Merged,
        false => Sharing::Alone,
    }
}

/// Returns the group of a section that consists of bytes only; addresses in it would belong to one function.
fn group(isa: &Isa, alignment: u64, section: &Section) -> Option<Group> {
    let (mut bytes, mut labels) = (Vec::new(), BTreeMap::new());
    for item in &section.items {
        match item {
            Item::Label(label) => {
                labels.insert(label.clone(), bytes.len() as u64);
            }
            Item::Bytes(more) => bytes.extend_from_slice(more),
            Item::Align(to) => {
                let end = section.address + bytes.len() as u64;
                bytes.resize(bytes.len() + (end.next_multiple_of(u64::from(*to)) - end) as usize, 0);
            }
            Item::Comment(_) => {}
            Item::Insn(_) | Item::Linked { .. } | Item::Word(..) | Item::Distance { .. } => return None,
        }
    }
    debug_assert_eq!(bytes.len() as u64, section.size(isa));
    Some(Group { name: shared_table::name(alignment, &bytes), labels })
}

impl Group {
    /// Prints the section. In a unit with several functions, the first one defines it.
    pub fn printed(&self, gnu: &Gnu, section: &Section, alignment: u16, body: &str) -> String {
        let (name, mark) = (&self.name, gnu.type_mark);
        let body: String =
            body.lines().filter(|line| !line.ends_with(':')).fold(String::new(), |mut out, line| {
                let _ = writeln!(out, "{line}");
                out
            });
        format!(
            "    .ifndef {name}\n    .section {}.{name}, \"awG\", {mark}progbits, {name}, comdat\n    .balign {}\n    \
             .global {name}\n    .hidden {name}\n    .type {name}, {mark}object\n{name}:\n{body}    \
             .size {name}, .-{name}\n    .endif\n",
            section.name,
            alignment.max(1),
        )
    }

    /// Replaces a reference to one of the section's labels by the group's symbol and an offset.
    pub fn names(&self, item: Item) -> Item {
        let at = |label: &str| self.labels.get(label).copied();
        match item {
            Item::Linked { insn, field, label, addend, part } => match at(&label) {
                Some(offset) => {
                    let (label, addend) = (self.name.clone(), addend + offset as i64);
                    Item::Linked { insn, field, label, addend, part }
                }
                None => Item::Linked { insn, field, label, addend, part },
            },
            Item::Word(Some(label), number) => match at(&label) {
                Some(offset) => Item::Word(Some(self.name.clone()), number.wrapping_add(offset as u32)),
                None => Item::Word(Some(label), number),
            },
            other => other,
        }
    }
}

/// Returns the directive of a section of tables that forms no group.
pub(crate) fn directive(core: &Core, gnu: &Gnu, kernel: &Kernel, symbol: &str, section: &Section) -> String {
    let (name, mark) = (section.name, gnu.type_mark);
    let flags = if section.writable { "aw" } else { "a" };
    match sharing(core, kernel, section) {
        Sharing::Merged => {
            let size = section.size((core.isa)());
            format!("    .section {name}.{symbol}, \"{flags}M\", {mark}progbits, {size}\n")
        }
        Sharing::Group(_) | Sharing::Alone => {
            format!("    .section {name}.{symbol}, \"{flags}\", {mark}progbits\n")
        }
    }
}

//! Merges kernels that differ only in the number of rounds into entries of one code: each entry sets its number of
//! rounds and continues in the common part. The result is only a proposal: each entry is proved separately over all the
//! bytes.

use std::collections::BTreeSet;

use aesmith_isa::assemble::{Item, Section};
use aesmith_isa::{Insn, Isa};

use crate::core::{Core, Kernel};

/// The kernels merged into one code, in their order; `None` if they differ by more than one instruction, or the
/// processor has no such jump.
pub fn shared(core: &Core, kernels: &[&Kernel]) -> Option<Vec<Kernel>> {
    let isa = (core.isa)();
    let (jump, first) = (core.jump?, kernels.first()?);
    let sections: Vec<Vec<Section>> = kernels.iter().map(|k| named_as(k, &first.symbol)).collect();
    let code: Vec<&Section> =
        sections.iter().map(|all| all.iter().find(|s| s.name == ".text")).collect::<Option<_>>()?;
    let tables = |all: &[Section]| all.iter().filter(|s| s.name != ".text").cloned().collect::<Vec<_>>();
    if sections.iter().any(|all| tables(all) != tables(&sections[0])) {
        return None;
    }
    let at = the_difference(&code)?;
    let items = &code[0].items;
    let entry = items.iter().position(|item| *item == Item::Label(first.symbol.clone()))?;
    let before = items.get(entry + 1..at)?;
    let count = |of: &Section| match of.items[at] {
        Item::Insn(insn) => Some(insn),
        _ => None,
    };
    let counts: Vec<Insn> = code.iter().map(|of| count(of)).collect::<Option<_>>()?;
    let inner: BTreeSet<&str> = before.iter().filter_map(label).collect();
    if items[at..].iter().filter_map(target).any(|to| inner.contains(to)) {
        return None;
    }
    let waits = !before.iter().all(|item| passes(isa, item, &counts[0]));
    let body = format!(".L{}_shared", first.symbol);
    let mut made = items[..entry].to_vec();
    for (place, (kernel, insn)) in kernels.iter().zip(&counts).enumerate() {
        made.push(Item::Label(kernel.symbol.clone()));
        if waits {
            let own =
                |name: &str| if inner.contains(name) { format!("{name}_{place}") } else { name.to_owned() };
            made.extend(before.iter().map(|item| renamed(item, &own)));
        }
        made.push(Item::Insn(*insn));
        if place + 1 < kernels.len() {
            made.push(jump(isa, &body));
        }
    }
    made.push(Item::Label(body));
    if !waits {
        made.extend_from_slice(before);
    }
    made.extend_from_slice(&items[at + 1..]);
    let mut all = sections[0].clone();
    all.iter_mut().filter(|s| s.name == ".text").for_each(|s| s.items.clone_from(&made));
    Some(kernels.iter().map(|&kernel| Kernel { sections: all.clone(), ..kernel.clone() }).collect())
}

/// A kernel's sections with its labels renamed for another symbol.
fn named_as(kernel: &Kernel, symbol: &str) -> Vec<Section> {
    let name = |label: &str| label.replace(&kernel.symbol, symbol);
    let one = |section: &Section| Section {
        items: section.items.iter().map(|item| renamed(item, &name)).collect(),
        ..section.clone()
    };
    kernel.sections.iter().map(one).collect()
}

/// The one index at which the codes differ.
fn the_difference(code: &[&Section]) -> Option<usize> {
    let items = &code[0].items;
    if code.iter().any(|of| of.items.len() != items.len()) {
        return None;
    }
    let mut places = (0..items.len()).filter(|&at| code.iter().any(|of| of.items[at] != items[at]));
    let at = places.next()?;
    places.next().is_none().then_some(at)
}

/// True if an instruction may be moved from after an item to before it.
fn passes(isa: &Isa, item: &Item, insn: &Insn) -> bool {
    let (reads, writes) = registers(isa, insn);
    match item {
        Item::Insn(other) | Item::Linked { insn: other, .. } => {
            let (read, written) = registers(isa, other);
            !isa.of(other).effects.jumps
                && writes.is_disjoint(&read)
                && writes.is_disjoint(&written)
                && reads.is_disjoint(&written)
        }
        Item::Comment(_) => true,
        _ => false,
    }
}

/// The registers that an instruction reads by its fields, and those that it writes.
fn registers(isa: &Isa, insn: &Insn) -> (BTreeSet<i32>, BTreeSet<i32>) {
    let effects = &isa.of(insn).effects;
    let of = |fields: &[(u8, bool)]| {
        let both = |&(field, next): &(u8, bool)| {
            let register = insn.fields[usize::from(field)];
            [Some(register), next.then_some(register + 1)]
        };
        fields.iter().flat_map(both).flatten().collect()
    };
    (of(&effects.read_fields), of(&effects.written_fields))
}

fn label(item: &Item) -> Option<&str> {
    match item {
        Item::Label(name) => Some(name),
        _ => None,
    }
}

/// The label that an item refers to.
fn target(item: &Item) -> Option<&str> {
    match item {
        Item::Linked { label, .. } | Item::Word(Some(label), _) => Some(label),
        _ => None,
    }
}

/// An item with its labels renamed.
pub fn renamed(item: &Item, name: &dyn Fn(&str) -> String) -> Item {
    match item {
        Item::Label(label) => Item::Label(name(label)),
        Item::Linked { insn, field, label, addend, part } => Item::Linked {
            insn: *insn,
            field: field.clone(),
            label: name(label),
            addend: *addend,
            part: *part,
        },
        Item::Word(Some(label), number) => Item::Word(Some(name(label)), *number),
        other => other.clone(),
    }
}

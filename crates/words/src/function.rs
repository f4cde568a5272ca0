//! Functions of word kernels.

use aesmith_isa::assemble::Section;

use crate::machine::{Machine, WordTarget};
use crate::tables::Table;

/// A function under construction.
pub type Function<'t> = aesmith_order::function::Function<'t, dyn WordTarget + 't>;

/// Writes a block of a function.
///
/// # Errors
/// There are too few registers.
pub fn block(f: &mut Function<'_>, write: impl FnOnce(&mut dyn Machine)) -> Result<(), String> {
    let mut writer = f.target().writer();
    write(&mut *writer);
    let block = std::mem::take(writer.block());
    f.add(&block)
}

/// The sections of a function and of its tables.
pub fn finish(f: Function<'_>, tables: &[Table], code: u64, data: u64) -> Vec<Section> {
    let mut sections = vec![f.finish(code)];
    if !tables.is_empty() {
        let items = tables.iter().flat_map(|table| table.items()).collect();
        sections.push(Section { name: ".rodata", address: data, writable: false, items });
    }
    sections
}

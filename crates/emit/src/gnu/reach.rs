//! Tables in program memory that look-ups must reach. On an AVR, `lpm` has a 16-bit address; if the linker places a
//! table higher, another byte is read silently, and no relocation is checked for that. So an object for a processor
//! with more flash refers to a symbol that only a linker script defines, and that script checks the table's address
//! against the limit: without the script, or with a table out of reach, the program does not link.

use crate::gnu::assembly::printed_label;
use crate::gnu::tables::directive;
use crate::part::Part;
use aesmith_isa::assemble::{Item, Section};
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::gnu::{Gnu, Reach};

/// The tables of a function in program memory.
pub(crate) struct Near<'p> {
    /// The function.
    symbol: &'p str,
    core: &'p Core,
    kernel: &'p Kernel,
    /// The limit of its look-ups.
    pub reach: Reach,
    section: &'p Section,
    /// The printed label of the first table.
    table: String,
    bytes: u64,
}

impl<'p> Near<'p> {
    /// Returns the tables of a function; `None` if it has no such tables, or if look-ups reach the whole memory.
    pub fn of(gnu: &Gnu, part: &Part<'p>) -> Option<Near<'p>> {
        let reach = gnu.reach?;
        let section = part.kernel.sections.iter().find(|s| s.name != ".text" && !s.writable)?;
        let table = section.items.iter().find_map(|item| match item {
            Item::Label(label) => Some(printed_label(&[(&part.kernel.symbol, part.symbol)], label)),
            _ => None,
        })?;
        let bytes = section.size((part.core.isa)());
        Some(Near { symbol: part.symbol, core: part.core, kernel: part.kernel, reach, section, table, bytes })
    }

    /// The name of the linker script.
    pub fn file(&self) -> String {
        format!("{}_tables.ld", self.symbol)
    }

    /// The symbol that the script defines; its name is the help text in a linker's error message.
    fn asked(&self) -> String {
        format!("{}_reaches_{}_KiB__link_with_{}", self.reach.by, self.reach.bytes >> 10, self.file())
    }

    /// The directives that are added to the assembly.
    pub fn directives(&self, gnu: &Gnu) -> String {
        let Near { symbol, table, .. } = self;
        let section = directive(self.core, gnu, self.kernel, symbol, self.section);
        format!(
            "#if {}\n{section}    .global {symbol}_tables\n    \
             .hidden {symbol}_tables\n    .set {symbol}_tables, {table}\n    .reloc {table}, {}, {}\n#endif\n",
            self.reach.more,
            self.reach.nothing,
            self.asked()
        )
    }

    /// The text of the linker script.
    pub fn script(&self) -> String {
        let Near { symbol, bytes, reach, .. } = self;
        format!(
            "/* SPDX-License-Identifier: {} */\n/*\n * To be linked with {symbol} as an object is: its tables must \
             lie in the lower {} KiB\n * of flash, which is all that {} reaches.\n */\n{} = 0;\n\
             ASSERT({symbol}_tables + {bytes} <= {:#x}, \"{symbol}: its tables lie above {} KiB of flash, where {} \
             does not reach: place the section {}.{symbol} lower, or emit the function with its tables in RAM\")\n",
            env!("CARGO_PKG_LICENSE"),
            reach.bytes >> 10,
            reach.by,
            self.asked(),
            reach.bytes,
            reach.bytes >> 10,
            reach.by,
            self.section.name,
        )
    }

    /// The sentence for banners and the README.
    pub fn sentence(&self) -> String {
        format!(
            "Its tables must lie in the lower {} KiB of flash, which is all that {} reaches: on a processor with more \
             flash a program links only with {} among its objects, which holds the linker to that.",
            self.reach.bytes >> 10,
            self.reach.by,
            self.file()
        )
    }
}

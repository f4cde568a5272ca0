//! What the kernels of a package take together in a program that is linked with all of them.

use crate::gnu::assembly::{alignment, merges};
use aesmith_isa::assemble::Item;
use aesmith_processor::core::{Core, Kernel};
use aesmith_processor::cost::Cost;
use std::collections::BTreeSet;

/// Bytes of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Code and tables, those too that are copied to RAM at start.
    pub flash: u64,
    /// Tables in RAM.
    pub ram: u64,
    /// The deepest stack of a call.
    pub stack: u64,
}

impl From<&Cost> for Sizes {
    fn from(cost: &Cost) -> Sizes {
        Sizes { flash: cost.flash, ram: cost.ram, stack: cost.stack }
    }
}

impl Sizes {
    /// Of both in one program, of which one runs at a time.
    pub fn beside(self, other: Sizes) -> Sizes {
        Sizes {
            flash: self.flash + other.flash,
            ram: self.ram + other.ram,
            stack: self.stack.max(other.stack),
        }
    }
}

/// What a function of a package takes by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartSizes {
    /// Its symbol.
    pub symbol: String,
    /// Its bytes.
    pub sizes: Sizes,
}

/// The sizes of kernels in one program: equal tables of one alignment, which linkers merge, are counted once.
pub fn sizes<'a>(core: &Core, kernels: impl IntoIterator<Item = (&'a Kernel, Sizes)>) -> Sizes {
    let mut all = Sizes::default();
    let mut seen = BTreeSet::new();
    for (kernel, own) in kernels {
        all = all.beside(own);
        for section in kernel.sections.iter().filter(|s| s.name != ".text") {
            let size = section.size((core.isa)());
            let bytes = section.items.iter().filter_map(|item| match item {
                Item::Bytes(bytes) => Some(bytes.as_slice()),
                _ => None,
            });
            let bytes = bytes.collect::<Vec<_>>().concat();
            // A section with more than bytes in it, such as addresses, has no equal that is known here.
            let is_data = bytes.len() as u64 == size;
            let alike = (section.name, section.writable, alignment(kernel, section), bytes);
            if is_data && merges(core, kernel, section) && !seen.insert(alike) {
                all.flash -= size;
                all.ram -= if section.writable { size } else { 0 };
            }
        }
    }
    all
}

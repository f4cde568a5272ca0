//! Descriptions of processors, and their kernels.

use aesmith_cipher::Problem;
use aesmith_cipher::firmware::Firmware;
use aesmith_isa::Isa;
use aesmith_isa::assemble::{Item, Section, assemble_aligned};
use aesmith_isa::convention::Convention;
use aesmith_isa::image::Image;
use aesmith_isa::timing::Timing;

use crate::attach::Port;
use crate::elf::Linking;
use crate::gnu::Gnu;
use crate::processor::Record;
use crate::starts::starts;
use aesmith_arrange::{Technique, Variant};
use aesmith_judge::judge::Emulator;
use aesmith_prove::bits::Places;
use std::fmt;

/// A reference that lives as long as the program: registered processors are static, and those with added instructions
/// are created once and kept.
pub type Shared<T> = &'static T;

/// See [`Core::build`].
pub type Build = dyn Fn(&Variant) -> Result<Kernel, String> + Sync;
/// See [`Core::judges`].
pub type Judges = dyn Fn() -> Vec<Box<dyn Emulator>> + Sync;
/// See [`Core::bound`].
pub type Bound = dyn Fn(&Variant) -> Option<(f64, &'static str)> + Sync;

/// The core of a chip, by the processors here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InChip {
    /// It is the processor of this name.
    Is(&'static str),
    /// It is the processor of this name without some of its instructions.
    Lacks(&'static str),
    /// It is no processor here, or the chip has several different ones.
    Another,
}

/// Names of chips by their cores, in lower case, without dashes, with spaces between them. A name that ends in `*` is the
/// beginning of the names of several chips. A whole name counts before beginnings, and of these the longest that fits.
pub type Chips = [(InChip, &'static str)];

/// A processor with a table of timing and exact judges: cycles are predicted, and counted by judges. Look-ups on a processor
/// whose record says `cached` mark kernels as variable time.
pub struct Core {
    /// Its record, which every stage may know.
    pub record: Record,
    /// Its objects, as linkers treat them.
    pub linking: &'static Linking,
    /// Its instruction table.
    pub isa: Shared<dyn Fn() -> &'static Isa + Sync>,
    /// Its timing, which the machine model, the scheduler and the bounds read.
    pub timing: Shared<Timing>,
    /// The calling convention of C functions.
    pub convention: &'static Convention,
    /// Data memory that does not belong to a program: address in an [`Image`], bytes.
    pub memory: &'static [(u64, usize)],
    /// The stack pointer at the call, as an address of an image.
    pub stack_top: u64,
    /// Address at which judges and tests place a call's buffers.
    pub buffers: u64,
    /// Builds the kernel of a variant: a pure function.
    pub build: Shared<Build>,
    /// Independent judges; the first is the most trusted for cycles.
    pub judges: Shared<Judges>,
    /// Lower bound on the cycles of any kernel with this variant's dataflow, with the reasoning in a sentence; `None`
    /// if none is derived.
    pub bound: Shared<Bound>,
    /// Its interface for custom instructions, if it has one.
    pub port: Option<&'static Port>,
    /// Its name in GNU's tools (`-mcpu`, `-mmcu`), if it differs from `name`.
    pub cpu: Option<&'static str>,
    /// The registers of the function on a block in registers that a variant's kernel exports beside its C function,
    /// with the suffix [`IN_REGISTERS`]; `None` if it exports none.
    pub in_registers: fn(&Variant) -> Option<Places>,
    /// A jump to a label, with a range of at least a loop of rounds, by which kernels share their code; `None` if they
    /// do not.
    pub jump: Option<fn(&Isa, &str) -> Item>,
    /// Settings for GNU's tools and C's preprocessor.
    pub gnu: fn(&Core) -> Gnu,
}

/// Suffix of the name of a function on a block in registers, after the name of the C function.
pub const IN_REGISTERS: &str = "_registers";

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Core({})", self.name)
    }
}

/// The code of a variant.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The variant that it was built from.
    pub variant: Variant,
    /// Its contract.
    pub contract: Firmware,
    /// The name of its function.
    pub symbol: String,
    /// Code and tables.
    pub sections: Vec<Section>,
    /// Alignment in bytes that tables in RAM need.
    pub table_alignment: u16,
}

impl Core {
    /// The known-good variants of a problem, best guess first. Values that only other processors of the family have are
    /// passed over.
    pub fn starting_points(&self, problem: Problem) -> Vec<Variant> {
        let texts = Technique::ALL.into_iter().flat_map(|technique| starts(self.starts, problem, technique));
        texts.filter_map(|text| self.table.read(problem, text).ok()).collect()
    }

    /// Settings for GNU's tools and C's preprocessor.
    pub fn gnu(&self) -> Gnu {
        (self.gnu)(self)
    }

    /// Its name in a form that can be a part of a C identifier.
    pub fn name_in_c(&self) -> String {
        self.name.replace(['-', '+', '.'], "_")
    }
}

/// Inserts code before a function's own code.
pub fn return_without_blocks(items: &mut Vec<Item>, symbol: &str, entry: impl FnOnce(&str) -> Vec<Item>) {
    let some = format!(".L{symbol}_some");
    let at = items.iter().position(|item| matches!(item, Item::Label(label) if label == symbol));
    let at = at.map_or(0, |at| at + 1);
    let mut entry = entry(&some);
    if !entry.iter().any(|item| *item == Item::Label(some.clone())) {
        entry.push(Item::Label(some));
    }
    items.splice(at..at, entry);
}

impl Kernel {
    /// The program.
    pub fn image(&self, isa: &Isa) -> Result<Image, String> {
        assemble_aligned(isa, &self.sections, |_, section| self.alignment(section).into())
    }

    /// The kernel with an additional entry: if it takes a number of blocks and gets zero, it returns there. `entry`
    /// receives the label after that return.
    pub fn returning_without_blocks(mut self, entry: impl FnOnce(&str) -> Vec<Item>) -> Kernel {
        if self.contract.counts_blocks()
            && let Some(section) = self.sections.iter_mut().find(|section| section.name == ".text")
        {
            return_without_blocks(&mut section.items, &self.symbol, entry);
        }
        self
    }

    /// The alignment of a section of tables: the address at which our own assembler placed it is what its code may rely
    /// on. Code relies only on the alignment of its instructions and on what its items ask for.
    pub fn alignment(&self, section: &Section) -> u16 {
        if section.name == ".text" {
            return 1;
        }
        let low = section.address.trailing_zeros().min(7);
        (1 << low).max(self.table_alignment)
    }

    /// Bytes of read-only memory (flash), including the initial contents of tables in RAM.
    pub fn flash(&self, isa: &Isa) -> u64 {
        self.sections.iter().map(|s| s.size(isa)).sum()
    }

    /// Bytes of RAM for its tables; key, text and stack are not counted.
    pub fn ram(&self, isa: &Isa) -> u64 {
        self.sections.iter().filter(|s| s.writable).map(|s| s.size(isa)).sum()
    }
}

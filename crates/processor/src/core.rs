//! What is said of a processor, and what its kernels are.

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
use aesmith_arrange::{Table, Variant};
use aesmith_judge::judge::ExactJudge;
use aesmith_prove::bits::Places;
use std::fmt;

/// What lives as long as the program: processors of the register are static, and those with instructions
/// added are made once and kept.
pub type Shared<T> = &'static T;

/// See [`Core::build`].
pub type Build = dyn Fn(&Variant) -> Result<Kernel, String> + Sync;
/// See [`Core::judges`].
pub type Judges = dyn Fn() -> Vec<Box<dyn ExactJudge>> + Sync;
/// See [`Core::bound`].
pub type Bound = dyn Fn(&Variant) -> Option<(f64, &'static str)> + Sync;

/// A processor.
pub struct Core {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub about: &'static str,
    /// Its objects, as linkers treat them.
    pub linking: &'static Linking,
    /// Its instruction table.
    pub isa: Shared<dyn Fn() -> &'static Isa + Sync>,
    /// Its timing, which the machine model, the scheduler and the bounds read.
    pub timing: Shared<Timing>,
    /// What kind of figure the model gives, with its source and its known error against the judge.
    pub model_about: &'static str,
    /// How C functions are called.
    pub convention: &'static Convention,
    /// Whether the time of a look-up may depend on its address (a data cache, or memory of uneven
    /// latency): such kernels are marked as of variable time where it does.
    pub cached: bool,
    /// Data memory that is not part of a program: address in an [`Image`], bytes.
    pub memory: &'static [(u64, usize)],
    /// The stack pointer at the call, as an image's address.
    pub stack_top: u64,
    /// Where judges and tests put a call's buffers.
    pub buffers: u64,
    /// The choices of its kernels.
    pub table: &'static Table,
    /// Whether it has kernels for a problem.
    pub solves: fn(Problem) -> bool,
    /// The kernel of a variant: a pure function.
    pub build: Shared<Build>,
    /// Independent judges, the most trusted in cycles first.
    pub judges: Shared<Judges>,
    /// Cycles below which no kernel of this variant's dataflow can run, with the reasoning in a
    /// sentence; `None` if none is derived.
    pub bound: Shared<Bound>,
    /// How custom instructions can be added to it, if they can.
    pub port: Option<&'static Port>,
    /// Its name with GNU's tools (`-mcpu`, `-mmcu`), where that is not its own.
    pub cpu: Option<&'static str>,
    /// Where the function takes and leaves a block in registers that a variant's kernel exports beside its C function,
    /// under its name and [`IN_REGISTERS`]; `None` where it exports none.
    pub in_registers: fn(&Variant) -> Option<Places>,
    /// A jump to a label, as far as a loop of rounds is long: what lets kernels share their code; none where they do not.
    pub jump: Option<fn(&Isa, &str) -> Item>,
    /// What GNU's tools and C's preprocessor are told of it.
    pub gnu: fn(&Core) -> Gnu,
}

/// What stands behind the name of a C function in that of its function on a block in registers.
pub const IN_REGISTERS: &str = "_registers";

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Core({})", self.name)
    }
}

/// The code that a variant becomes.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Where it comes from.
    pub variant: Variant,
    /// What it promises.
    pub contract: Firmware,
    /// The name of its function.
    pub symbol: String,
    /// Code and tables.
    pub sections: Vec<Section>,
    /// Where tables that lie in RAM must stand, if anywhere: multiple of so many bytes.
    pub table_alignment: u16,
}

impl Core {
    /// What GNU's tools and C's preprocessor are told of it.
    pub fn gnu(&self) -> Gnu {
        (self.gnu)(self)
    }

    /// Its name as a part of a name in C.
    pub fn name_in_c(&self) -> String {
        self.name.replace(['-', '+', '.'], "_")
    }
}

/// Puts code before all that a function has.
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

    /// The kernel with code before all of its own: where it counts blocks and is given none, it returns there. `entry` is
    /// told the label behind that return.
    pub fn returning_without_blocks(mut self, entry: impl FnOnce(&str) -> Vec<Item>) -> Kernel {
        if self.contract.counts_blocks()
            && let Some(section) = self.sections.iter_mut().find(|section| section.name == ".text")
        {
            return_without_blocks(&mut section.items, &self.symbol, entry);
        }
        self
    }

    /// What a section of tables is aligned to: where our own assembler has put it says what its code may rely on. Code
    /// relies on its instructions' and on what its items ask for.
    pub fn alignment(&self, section: &Section) -> u16 {
        if section.name == ".text" {
            return 1;
        }
        let low = section.address.trailing_zeros().min(7);
        (1 << low).max(self.table_alignment)
    }

    /// Bytes of read-only memory (flash) it takes, the initial contents of tables in RAM included.
    pub fn flash(&self, isa: &Isa) -> u64 {
        self.sections.iter().map(|s| s.size(isa)).sum()
    }

    /// Bytes of RAM its tables take; key, text and stack are not counted.
    pub fn ram(&self, isa: &Isa) -> u64 {
        self.sections.iter().filter(|s| s.writable).map(|s| s.size(isa)).sum()
    }
}

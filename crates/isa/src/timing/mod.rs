//! What instructions cost on a processor that issues in order, as data: a row for each timing class
//! (issue cycles, latency, units), and the rules between instructions. [`Modelled`] interprets a
//! table as the machine model; bounds read the same figures.
//!
//! ```
//! use aesmith_isa::timing::{Timing, class};
//!
//! static TOY: Timing = Timing {
//!     source: "the toy's manual",
//!     classes: &[class("load", 1, 3, "a result two cycles late"), class("mul", 4, 4, "no pipeline")],
//!     ..Timing::SCALAR
//! };
//! assert_eq!((TOY.of("load").cycles, TOY.of("load").latency()), (1, 3));
//! assert_eq!(TOY.of("alu").cycles, 1);
//! ```

mod check;
mod compile;
mod modelled;

#[cfg(test)]
mod tests;

pub use modelled::Modelled;

use crate::cycles::{Cycles, custom};
use crate::{Insn, Isa};

/// The timing of a processor.
#[derive(Debug)]
pub struct Timing {
    /// The manual that the figures are from, or another source.
    pub source: &'static str,
    /// Timing classes; the class of a table's row that is not listed is as [`Timing::other`].
    pub classes: &'static [Class],
    /// Classes that are not listed.
    pub other: Class,
    /// Custom instructions, if there can be any: their file says latency and occupancy.
    pub custom: Option<Coupling>,
    /// Names of the units that [`Class::uses`] occupy; at most 64.
    pub units: &'static [&'static str],
    /// Results that are there earlier or later for some readers.
    pub bypasses: &'static [Bypass],
    /// Instructions that cost less, or more, right after another.
    pub runs: &'static [Run],
    /// Classes that keep a distance to earlier ones.
    pub distances: &'static [Distance],
    /// How branches are told beforehand where they go, if they can be.
    pub hint: Option<Hint>,
    /// What becomes of an earlier result for the same register that is not there yet.
    pub overtaking: Overtaking,
    /// Cycles of an instruction whose guard does not hold.
    pub idle: u32,
    /// Cycles of each unit of encoding ([`crate::Description::unit`]) that an instruction skips.
    pub skipped: u32,
    /// Bytes of an instruction without prefix: what is longer is preceded by prefixes of so many bytes
    /// each, which issue as instructions of one cycle. 0: there are no prefixes.
    pub prefix: u8,
    /// How many instructions issue in a cycle, and which together.
    pub issue: Issue,
    /// Instructions issue together only in a piece of code of so many bytes, at a multiple of as many; 0: anywhere.
    pub aligned: u8,
    /// Why a load takes the same time at any address on every chip of this kind, and where that does not hold,
    /// in a sentence without its full stop; `None` where chips differ in it.
    pub even: Option<&'static str>,
    /// What its sums are called in sentences: cycles, or where a processor reorders what it executes, so that they say
    /// nothing of time, [`STATIC`].
    pub unit: &'static str,
}

/// What sums of places, ports and units are called that are no cycles of a processor.
pub const STATIC: &str = "static cycles";

impl Timing {
    /// One instruction at a time, one cycle each: what tables change.
    pub const SCALAR: Timing = Timing {
        source: "",
        classes: &[],
        other: class("", 1, 1, "all others"),
        custom: None,
        units: &[],
        bypasses: &[],
        runs: &[],
        distances: &[],
        hint: None,
        overtaking: Overtaking::Replaced,
        idle: 1,
        skipped: 0,
        prefix: 0,
        issue: Issue { width: 1, together: &[] },
        aligned: 0,
        even: None,
        unit: "cycles",
    };

    /// The row of a class.
    pub fn of(&self, name: &str) -> Class {
        if let (Some(coupling), Some((latency, occupancy))) = (self.custom, custom(name)) {
            // Of a result that is there before the unit takes the next, nothing is late.
            let (cycles, latency) = (occupancy + coupling.cycles, latency + coupling.latency);
            let late = latency as i32 - cycles as i32;
            return Class { cycles, late, ..class(CUSTOM, 1, 1, "latency and occupancy of its file") };
        }
        self.classes.iter().find(|c| c.name == name).copied().unwrap_or(self.other)
    }

    /// Issue cycles of a class of one register, which waits for nothing.
    pub fn cycles(&self, class: &str) -> u32 {
        self.of(class).cycles
    }

    /// Issue cycles of a class of so many registers.
    pub fn cycles_of(&self, class: &str, registers: u32) -> u32 {
        self.of(class).of_registers(registers)
    }

    /// The least that an instruction of a class costs, right after whichever other.
    pub fn least(&self, class: &str) -> u32 {
        let runs = self.runs.iter().filter(|r| is_in(class, r.classes)).map(|r| r.cycles);
        runs.fold(self.cycles(class), u32::min)
    }

    /// Issue cycles of an instruction that waits for nothing and does not jump, its prefixes among them.
    pub fn alone(&self, isa: &Isa, insn: &Insn) -> u32 {
        let row = isa.of(insn);
        let class = self.of(&row.class);
        let registers = class.several.map_or(0, |several| match several.place(row) {
            Some(place) => (insn.fields[place] as u32).count_ones(),
            None => several.otherwise,
        });
        self.prefixes(row.bytes()) + class.of_registers(registers)
    }

    /// Cycles that the units and the width take for instructions, however they are ordered: those that can be done by
    /// some units alone take these units' time.
    pub fn resources(&self, isa: &Isa, insns: &[Insn]) -> f64 {
        let classes: Vec<Class> = insns.iter().map(|insn| self.of(&isa.of(insn).class)).collect();
        let places = classes.iter().filter(|class| !class.beside).count() as f64;
        let mut most = places / f64::from(self.issue.width);
        let sets = classes.iter().flat_map(|class| class.uses).map(|u| u.any_of);
        let mut seen: Vec<&[&str]> = Vec::new();
        for set in sets {
            if seen.contains(&set) {
                continue;
            }
            seen.push(set);
            let within = |u: &&Use| u.any_of.iter().all(|unit| set.contains(unit));
            let busy: u32 =
                classes.iter().flat_map(|class| class.uses).filter(within).map(|u| u.cycles).sum();
            most = most.max(f64::from(busy) / set.len() as f64);
        }
        most
    }

    fn prefixes(&self, bytes: u8) -> u32 {
        bytes.checked_div(self.prefix).map_or(0, |units| u32::from(units).saturating_sub(1))
    }

    /// The machine model.
    pub fn model(&'static self) -> Box<dyn Cycles> {
        Box::new(Modelled::new(self))
    }
}

/// The name that tables give all classes of custom instructions.
pub const CUSTOM: &str = "custom";

/// Whether a class is one of these.
fn is_in(class: &str, names: &[&str]) -> bool {
    names.iter().any(|name| *name == class || *name == CUSTOM && custom(class).is_some())
}

/// What an instruction of a timing class costs.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// As in the instruction table.
    pub name: &'static str,
    /// Cycles from its issue to the next instruction's, where nothing waits.
    pub cycles: u32,
    /// Cycles from then until the result can be used: latency less [`Class::cycles`].
    pub late: i32,
    /// What is late: the other registers written can be used when the next instruction issues.
    pub result: Written,
    /// For instructions of several registers: cycles that depend on how many.
    pub several: Option<Several>,
    /// Cycles more if it jumps.
    pub taken: u32,
    /// Cycles more if it jumps, which pass after the instruction in its delay slot.
    pub taken_after_slot: u32,
    /// Static prediction of its direction.
    pub predicted: Option<Predicted>,
    /// Units that it occupies from its issue on.
    pub uses: &'static [Use],
    /// Whether it issues only as the first of a group.
    pub begins: bool,
    /// Whether nothing issues with it after it.
    pub ends: bool,
    /// Whether it takes none of the places of a cycle: branches that are folded.
    pub beside: bool,
    /// Factors by which a multiplication's time depends on its data, if it does.
    pub varies: Option<Varies>,
    /// The section that says so, or the rule.
    pub source: &'static str,
}

/// A multiplier that ends early for some factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Varies {
    /// Names of the fields whose registers decide; if there are none, any factor does.
    pub by: &'static [&'static str],
    /// The source: document and section.
    pub source: &'static str,
}

/// A class of instructions: cycles to the next instruction's issue, latency of the result, section.
pub const fn class(name: &'static str, cycles: u32, latency: u32, source: &'static str) -> Class {
    assert!(latency >= cycles, "a result is there when the next instruction issues, or later");
    Class {
        name,
        cycles,
        late: (latency - cycles) as i32,
        result: Written::All,
        several: None,
        taken: 0,
        taken_after_slot: 0,
        predicted: None,
        uses: &[],
        begins: false,
        ends: false,
        beside: false,
        varies: None,
        source,
    }
}

impl Class {
    /// Cycles from its issue until its result can be used.
    pub fn latency(&self) -> u32 {
        (self.cycles as i32 + self.late) as u32
    }

    /// Issue cycles of an instruction of so many registers.
    pub fn of_registers(&self, registers: u32) -> u32 {
        self.several.map_or(self.cycles, |s| s.total(self.cycles, registers))
    }

    /// The same with a time that depends on what these fields' registers hold.
    #[must_use]
    pub const fn varies(mut self, by: &'static [&'static str], source: &'static str) -> Class {
        self.varies = Some(Varies { by, source });
        self
    }

    /// With cycles more if it jumps.
    pub const fn taken(mut self, more: u32) -> Class {
        self.taken = more;
        self
    }

    /// With cycles more that pass after a delay slot if it jumps.
    pub const fn taken_after_slot(mut self, more: u32) -> Class {
        self.taken_after_slot = more;
        self
    }

    /// Predicted by its direction: `wrong` cycles more where the prediction fails.
    pub const fn predicted(mut self, field: &'static str, wrong: u32) -> Class {
        self.predicted = Some(Predicted { field, wrong });
        self
    }

    /// Late in some of the registers written only.
    pub const fn late_in(mut self, result: Written) -> Class {
        self.result = result;
        self
    }

    /// Of several registers.
    pub const fn several(mut self, several: Several) -> Class {
        self.several = Some(several);
        self
    }

    /// Occupying units.
    pub const fn on(mut self, uses: &'static [Use]) -> Class {
        self.uses = uses;
        self
    }

    /// Issuing only as the first of a group.
    pub const fn first(mut self) -> Class {
        self.begins = true;
        self
    }

    /// Taking no place of a cycle.
    pub const fn beside(mut self) -> Class {
        self.beside = true;
        self
    }

    /// Issuing with nothing else.
    pub const fn by_itself(mut self) -> Class {
        self.begins = true;
        self.ends = true;
        self
    }
}

/// Which of the registers written are late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// All.
    All,
    /// The one of this field.
    Field(&'static str),
    /// The highest in the list of this field.
    Last(&'static str),
}

/// Cycles by the number of registers that an instruction loads or stores.
#[derive(Clone, Copy, Debug)]
pub struct Several {
    /// The field of the list.
    pub list: &'static str,
    /// How many registers it is for rows without the list.
    pub otherwise: u32,
    /// Cycles more for each group of so many as [`Several::at_once`] says.
    pub each: u32,
    /// How many registers are moved at once.
    pub at_once: u32,
    /// Cycles at least.
    pub least: u32,
}

impl Several {
    fn total(&self, cycles: u32, registers: u32) -> u32 {
        (cycles + self.each * registers.div_ceil(self.at_once.max(1))).max(self.least)
    }

    fn place(&self, row: &crate::table::Row) -> Option<usize> {
        row.fields.iter().position(|f| f.name == self.list)
    }
}

/// A branch expected to be taken if it goes backwards, and only then.
#[derive(Clone, Copy, Debug)]
pub struct Predicted {
    /// The field of its distance.
    pub field: &'static str,
    /// Cycles more where it goes elsewhere than expected; where a jump is expected, [`Class::taken`].
    pub wrong: u32,
}

/// A unit that an instruction occupies.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The units that can do it, by name: the first that is free soonest.
    pub any_of: &'static [&'static str],
    /// For so many cycles.
    pub cycles: u32,
}

/// How a unit for custom instructions is coupled to a core.
#[derive(Clone, Copy, Debug)]
pub struct Coupling {
    /// Cycles more until the next instruction can issue.
    pub cycles: u32,
    /// Cycles more until the result can be used.
    pub latency: u32,
}

/// A latency between two classes that is not the producer's own.
#[derive(Clone, Copy, Debug)]
pub struct Bypass {
    /// Classes that produce.
    pub from: &'static [&'static str],
    /// Classes that read.
    pub to: &'static [&'static str],
    /// Fields that are read later or earlier than others, by name; empty for all.
    pub operands: &'static [&'static str],
    /// Cycles from the producer's issue until the reader's; 0 lets both issue together.
    pub latency: u32,
}

/// Instructions that cost something else right after others whose result their address does not need.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Classes before.
    pub after: &'static [&'static str],
    /// The field of the result there: rows without it do not count.
    pub result: &'static str,
    /// Classes that follow.
    pub classes: &'static [&'static str],
    /// Their fields that must not be that result.
    pub address: &'static [&'static str],
    /// What they cost.
    pub cycles: u32,
}

/// A class that waits until others are done with something.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// Classes before.
    pub after: &'static [&'static str],
    /// Classes that wait.
    pub classes: &'static [&'static str],
    /// Cycles from the one's issue to the other's, at least.
    pub cycles: u32,
}

/// Instructions that say where a branch goes before it is reached. The last one counts. Where the branch does as was said, it
/// costs as one that is not taken; where it does not, as one that is taken without a hint.
#[derive(Clone, Copy, Debug)]
pub struct Hint {
    /// Their class.
    pub class: &'static str,
    /// The field that has the distance to the branch.
    pub branch: &'static str,
    /// The field that has the distance to where it goes.
    pub to: &'static str,
    /// Cycles from the hint's issue to the branch's, at least; a later hint is none.
    pub cycles: u32,
    /// Bytes from the hint to the branch, at most.
    pub reach: u32,
}

/// What becomes of a register's earlier result, if it comes after a later instruction's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overtaking {
    /// It is forgotten: readers wait for the later one only.
    Replaced,
    /// It is not overtaken: the later instruction waits.
    Waits,
    /// Readers wait for it, too, unless the later one is itself late.
    Kept,
}

/// How many instructions issue in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Issue {
    /// At most so many.
    pub width: u8,
    /// Pairs that may issue together, in this order; at most 64. An instruction joins a group if it may
    /// issue after each that is in it. Without pairs, all may that find their units free.
    pub together: &'static [Pair],
}

/// Classes that may issue together.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Of the first in program order.
    pub first: &'static [&'static str],
    /// Of one after it.
    pub second: &'static [&'static str],
}

//! Instruction costs on a processor that issues in order, as data: a row for each timing class (issue cycles, latency,
//! units), and the rules between instructions. [`Modelled`] interprets a table as the machine model; bounds use the
//! same figures.
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
    /// Timing classes; a class that is not listed has the timing of [`Timing::other`].
    pub classes: &'static [Class],
    /// The timing of classes that are not listed.
    pub other: Class,
    /// The coupling of custom instructions, if the processor can have them: their file gives latency and occupancy.
    pub custom: Option<Coupling>,
    /// Names of the units that [`Class::uses`] occupy; at most 64.
    pub units: &'static [&'static str],
    /// Results that are available earlier or later for some readers.
    pub bypasses: &'static [Bypass],
    /// Instructions whose cost differs right after certain others.
    pub runs: &'static [Run],
    /// Classes that must keep a distance to earlier ones.
    pub distances: &'static [Distance],
    /// The instruction that announces a branch's target, if there is one.
    pub hint: Option<Hint>,
    /// The treatment of an earlier, pending result for the same register.
    pub overtaking: Overtaking,
    /// Cycles of an instruction whose guard does not hold.
    pub idle: u32,
    /// Cycles for each encoding unit ([`crate::Description::unit`]) that an instruction skips.
    pub skipped: u32,
    /// Bytes of an instruction without prefixes. A longer instruction has prefixes of this many bytes each, which issue
    /// as instructions of one cycle. 0: there are no prefixes.
    pub prefix: u8,
    /// The number of instructions that issue in a cycle, and the combinations.
    pub issue: Issue,
    /// Size in bytes of the aligned code block within which instructions can issue together; 0: no limit.
    pub aligned: u8,
    /// The reason why a load takes the same time at any address on every chip of this kind, and the exceptions, in a
    /// sentence without its full stop; `None` where chips differ.
    pub even: Option<&'static str>,
    /// The unit of its sums in messages: cycles, or [`STATIC`] where a processor executes out of order, so that the
    /// sums are no measure of time.
    pub unit: &'static str,
}

/// The unit of sums of issue slots, ports and units that are not processor cycles.
pub const STATIC: &str = "static cycles";

impl Timing {
    /// One instruction at a time, one cycle each: the default on which tables are based.
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

    /// The timing of a class.
    pub fn of(&self, name: &str) -> Class {
        if let (Some(coupling), Some((latency, occupancy))) = (self.custom, custom(name)) {
            // If the result is ready before the unit accepts the next instruction, nothing is late.
            let (cycles, latency) = (occupancy + coupling.cycles, latency + coupling.latency);
            let late = latency as i32 - cycles as i32;
            return Class { cycles, late, ..class(CUSTOM, 1, 1, "latency and occupancy of its file") };
        }
        self.classes.iter().find(|c| c.name == name).copied().unwrap_or(self.other)
    }

    /// Issue cycles of an instruction of this class with one register that does not wait.
    pub fn cycles(&self, class: &str) -> u32 {
        self.of(class).cycles
    }

    /// Issue cycles of an instruction of this class with this number of registers.
    pub fn cycles_of(&self, class: &str, registers: u32) -> u32 {
        self.of(class).of_registers(registers)
    }

    /// The minimum cost of an instruction of this class, after any other instruction.
    pub fn least(&self, class: &str) -> u32 {
        let runs = self.runs.iter().filter(|r| is_in(class, r.classes)).map(|r| r.cycles);
        runs.fold(self.cycles(class), u32::min)
    }

    /// Issue cycles of an instruction that does not wait and does not jump, including its prefixes.
    pub fn alone(&self, isa: &Isa, insn: &Insn) -> u32 {
        let row = isa.of(insn);
        let class = self.of(&row.class);
        let registers = class.several.map_or(0, |several| match several.place(row) {
            Some(place) => (insn.fields[place] as u32).count_ones(),
            None => several.otherwise,
        });
        self.prefixes(row.bytes()) + class.of_registers(registers)
    }

    /// A lower bound in cycles from the units and the issue width, for any order of the instructions: instructions that
    /// only some of the units can execute take the time of those units.
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

/// The name of all classes of custom instructions in tables.
pub const CUSTOM: &str = "custom";

/// True if the class is one of these names.
fn is_in(class: &str, names: &[&str]) -> bool {
    names.iter().any(|name| *name == class || *name == CUSTOM && custom(class).is_some())
}

/// The cost of an instruction of a timing class.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// The name, as in the instruction table.
    pub name: &'static str,
    /// Cycles from its issue to the issue of the next instruction, if that does not wait.
    pub cycles: u32,
    /// Cycles from then until the result can be used: latency minus [`Class::cycles`].
    pub late: i32,
    /// The registers that are late: the others that are written can be used when the next instruction issues.
    pub result: Written,
    /// The rule for instructions of several registers, whose cycles depend on the number.
    pub several: Option<Several>,
    /// Additional cycles if it jumps.
    pub taken: u32,
    /// Additional cycles if it jumps, which pass after the instruction in its delay slot.
    pub taken_after_slot: u32,
    /// The static prediction of its direction.
    pub predicted: Option<Predicted>,
    /// The units that it occupies from its issue on.
    pub uses: &'static [Use],
    /// True if it issues only as the first of a group.
    pub begins: bool,
    /// True if no later instruction issues in the same group.
    pub ends: bool,
    /// True if it takes no issue slot: folded branches.
    pub beside: bool,
    /// The factors on which the time of a multiplication depends, if it does.
    pub varies: Option<Varies>,
    /// The source: a section, or the rule.
    pub source: &'static str,
}

/// A multiplier with early termination for some factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Varies {
    /// Names of the fields whose registers decide; if the list is empty, any factor does.
    pub by: &'static [&'static str],
    /// The source: document and section.
    pub source: &'static str,
}

/// Builds a class: cycles to the next instruction's issue, latency of the result, section.
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

    /// Issue cycles of an instruction with this number of registers.
    pub fn of_registers(&self, registers: u32) -> u32 {
        self.several.map_or(self.cycles, |s| s.total(self.cycles, registers))
    }

    /// Marks a class whose time depends on the registers of these fields.
    #[must_use]
    pub const fn varies(mut self, by: &'static [&'static str], source: &'static str) -> Class {
        self.varies = Some(Varies { by, source });
        self
    }

    /// Sets the additional cycles if it jumps.
    pub const fn taken(mut self, more: u32) -> Class {
        self.taken = more;
        self
    }

    /// Sets the additional cycles that pass after a delay slot if it jumps.
    pub const fn taken_after_slot(mut self, more: u32) -> Class {
        self.taken_after_slot = more;
        self
    }

    /// Sets a prediction by direction, with `wrong` additional cycles on a misprediction.
    pub const fn predicted(mut self, field: &'static str, wrong: u32) -> Class {
        self.predicted = Some(Predicted { field, wrong });
        self
    }

    /// Sets the registers written that are late.
    pub const fn late_in(mut self, result: Written) -> Class {
        self.result = result;
        self
    }

    /// Sets the rule for several registers.
    pub const fn several(mut self, several: Several) -> Class {
        self.several = Some(several);
        self
    }

    /// Sets the units that it occupies.
    pub const fn on(mut self, uses: &'static [Use]) -> Class {
        self.uses = uses;
        self
    }

    /// Lets it issue only as the first of a group.
    pub const fn first(mut self) -> Class {
        self.begins = true;
        self
    }

    /// Lets it take no issue slot.
    pub const fn beside(mut self) -> Class {
        self.beside = true;
        self
    }

    /// Lets it issue only alone.
    pub const fn by_itself(mut self) -> Class {
        self.begins = true;
        self.ends = true;
        self
    }
}

/// The written registers that are late.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// All.
    All,
    /// The register of this field.
    Field(&'static str),
    /// The highest register in the list of this field.
    Last(&'static str),
}

/// Cycles by the number of registers that an instruction loads or stores.
#[derive(Clone, Copy, Debug)]
pub struct Several {
    /// The field of the list.
    pub list: &'static str,
    /// The number of registers for rows without the list.
    pub otherwise: u32,
    /// Additional cycles for each group of [`Several::at_once`] registers.
    pub each: u32,
    /// The number of registers that are moved at once.
    pub at_once: u32,
    /// The minimum number of cycles.
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

/// A static prediction: backward branches are taken, forward branches are not.
#[derive(Clone, Copy, Debug)]
pub struct Predicted {
    /// The field of its distance.
    pub field: &'static str,
    /// Additional cycles of a misprediction; a correctly predicted jump costs [`Class::taken`].
    pub wrong: u32,
}

/// A unit that an instruction occupies.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The names of the units that can execute it; it takes the one that is free soonest.
    pub any_of: &'static [&'static str],
    /// The number of cycles.
    pub cycles: u32,
}

/// The coupling of a unit for custom instructions to a core.
#[derive(Clone, Copy, Debug)]
pub struct Coupling {
    /// Additional cycles until the next instruction can issue.
    pub cycles: u32,
    /// Additional cycles until the result can be used.
    pub latency: u32,
}

/// A latency between two classes that is not the producer's own.
#[derive(Clone, Copy, Debug)]
pub struct Bypass {
    /// Classes of producers.
    pub from: &'static [&'static str],
    /// Classes of readers.
    pub to: &'static [&'static str],
    /// Names of the fields that the rule applies to; empty for all.
    pub operands: &'static [&'static str],
    /// Cycles from the producer's issue until the reader's; 0 lets both issue together.
    pub latency: u32,
}

/// A rule for instructions that cost something else right after certain others if their address does not use the
/// result.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// Classes of the earlier instruction.
    pub after: &'static [&'static str],
    /// The field of its result: rows without it do not count.
    pub result: &'static str,
    /// Classes of the following instruction.
    pub classes: &'static [&'static str],
    /// Fields of the following instruction that must not be that result.
    pub address: &'static [&'static str],
    /// Its cost in cycles.
    pub cycles: u32,
}

/// A rule for a class that waits until earlier instructions have finished something.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// Classes of the earlier instruction.
    pub after: &'static [&'static str],
    /// Classes that wait.
    pub classes: &'static [&'static str],
    /// The minimum number of cycles between the two issues.
    pub cycles: u32,
}

/// Instructions that announce a branch's target before the branch is reached. The last one counts. A branch that
/// follows the hint costs as much as one that is not taken; any other costs as much as one that is taken without a
/// hint.
#[derive(Clone, Copy, Debug)]
pub struct Hint {
    /// Their class.
    pub class: &'static str,
    /// The field of the distance to the branch.
    pub branch: &'static str,
    /// The field of the distance to the target.
    pub to: &'static str,
    /// The minimum number of cycles from the hint's issue to the branch's; a later hint has no effect.
    pub cycles: u32,
    /// The maximum number of bytes from the hint to the branch.
    pub reach: u32,
}

/// The treatment of a register's earlier result that arrives after a later instruction's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overtaking {
    /// The earlier result is dropped: readers wait only for the later one.
    Replaced,
    /// The later instruction waits, so that results stay in order.
    Waits,
    /// Readers wait for both, unless the later result is itself late.
    Kept,
}

/// The issue width and grouping.
#[derive(Clone, Copy, Debug)]
pub struct Issue {
    /// The maximum number of instructions that issue in a cycle.
    pub width: u8,
    /// Pairs that may issue together, in this order; at most 64. An instruction joins a group if it forms such a pair
    /// with each member. Without pairs, all may that find their units free.
    pub together: &'static [Pair],
}

/// Classes that may issue together.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Classes of the first in program order.
    pub first: &'static [&'static str],
    /// Classes of the later one.
    pub second: &'static [&'static str],
}

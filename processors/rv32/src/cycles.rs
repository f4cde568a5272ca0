//! Machine models of RV32 cores: what each class of instructions takes, and when its result is there.

use aesmith_isa::cycles::{Cycles, custom};
use aesmith_isa::execute::Executed;
use aesmith_isa::{Insn, Isa};

/// A class of instructions on a core.
#[derive(Clone, Copy, Debug)]
pub struct Class {
    /// As in the table.
    pub name: &'static str,
    /// Cycles until the next instruction can follow.
    pub issue: u32,
    /// Cycles until an instruction that needs the result can follow.
    pub result: u32,
}

/// A class.
pub(super) const fn class(name: &'static str, issue: u32, result: u32) -> Class {
    Class { name, issue, result }
}

/// How a unit for custom instructions is coupled to a core.
#[derive(Clone, Copy, Debug)]
pub struct Coupling {
    /// Cycles more until the next instruction can follow.
    pub issue: u32,
    /// Cycles more until one that needs the result can.
    pub result: u32,
    /// Cycles from a load or store to the next custom instruction, which waits until no exception can
    /// come before it.
    pub after_memory: u32,
}

/// Like the core's own arithmetic.
pub(super) const INSIDE: Coupling = Coupling { issue: 0, result: 0, after_memory: 1 };

/// The rules of a core. Classes that are not listed take a cycle.
#[derive(Debug)]
pub struct Rules {
    /// Classes that take longer.
    pub classes: &'static [Class],
    /// Cycles of a branch that is taken; with static prediction, of one that is expected to be.
    pub taken: u32,
    /// With static prediction, which expects branches backwards to be taken, cycles of another.
    pub unexpected: Option<u32>,
    /// Whether an instruction waits until an earlier result for the same register is there.
    pub waits_to_write: bool,
    /// What custom instructions take beside the cycles of their unit.
    pub custom: Coupling,
    /// Where the rules are from.
    pub source: &'static str,
}

/// Every instruction is a cycle.
pub static BARE: Rules = Rules {
    classes: &[],
    taken: 1,
    unexpected: None,
    waits_to_write: false,
    custom: INSIDE,
    source: "modelled: an instruction a cycle, so cycles are instructions executed",
};

/// Ibex with the write-back stage, the branch-target ALU and the multiplier of one cycle.
pub static IBEX_WRITEBACK: Rules = Rules {
    classes: &[
        class("load", 1, 2),
        class("loadb", 1, 2),
        class("jal", 2, 2),
        class("jalr", 2, 2),
        class("mulh", 2, 2),
        class("div", 38, 38),
    ],
    taken: 2,
    unexpected: None,
    waits_to_write: false,
    custom: INSIDE,
    source: "modelled: Ibex's documentation, Pipeline Details; no cycle off its RTL in any kernel judged",
};

/// PicoRV32 with dual-port registers, barrel shifter and look-ahead memory.
pub static PICORV32: Rules = Rules {
    classes: &[
        class("alu", 3, 3),
        class("shift", 3, 3),
        class("load", 5, 5),
        class("loadb", 5, 5),
        class("store", 5, 5),
        class("branch", 3, 3),
        class("jal", 3, 3),
        class("jalr", 6, 6),
        class("mul", 40, 40),
        class("mulh", 72, 72),
        class("div", 40, 40),
    ],
    taken: 5,
    unexpected: None,
    waits_to_write: false,
    custom: Coupling { issue: 3, result: 3, after_memory: 1 },
    source: "modelled: PicoRV32's README, cycles per instruction with dual-port registers; no cycle off its RTL in any kernel judged",
};

/// Ibex with two stages, the fast multiplier and no branch-target ALU.
pub static IBEX: Rules = Rules {
    classes: &[
        class("load", 2, 2),
        class("loadb", 2, 2),
        class("store", 2, 2),
        class("jal", 2, 2),
        class("jalr", 2, 2),
        class("mul", 3, 3),
        class("mulh", 4, 4),
        class("div", 38, 38),
    ],
    taken: 3,
    unexpected: None,
    waits_to_write: false,
    custom: INSIDE,
    source: "modelled: Ibex's documentation, Pipeline Details; no cycle off its RTL in any kernel judged",
};

/// VexRiscv, LiteX's full variant: five stages, all bypassed.
pub static VEXRISCV: Rules = Rules {
    classes: &[
        class("shift", 1, 2),
        class("load", 1, 3),
        class("loadb", 1, 3),
        class("mul", 1, 3),
        class("mulh", 1, 3),
        class("div", 34, 34),
        class("jal", 2, 2),
        class("jalr", 2, 2),
    ],
    taken: 2,
    unexpected: Some(3),
    waits_to_write: false,
    custom: Coupling { issue: 0, result: 1, after_memory: 3 },
    source: "modelled: VexRiscv's README, plugins of the pipeline, no miss in the caches; exact by its RTL where nothing misses, 14 to 30 % too low where tables and buffers do not fit into the 4 KiB of data cache",
};

/// SiFive's E31 in the FE310, tables and code in tightly integrated memory.
pub static E31: Rules = Rules {
    classes: &[
        class("load", 1, 2),
        class("loadb", 1, 3),
        class("mul", 1, 5),
        class("mulh", 1, 5),
        class("div", 33, 33),
    ],
    // Loops are predicted; so are returns, by the return-address stack.
    taken: 1,
    unexpected: None,
    waits_to_write: true,
    custom: INSIDE,
    source: "modelled: SiFive FE310-G000 Manual, 3.2 and 3.3, branches as predicted, no miss in the caches",
};

/// The E31's pipeline with the scalar AES instructions as those of one cycle.
pub static ZKN: Rules = Rules {
    classes: E31.classes,
    taken: 1,
    unexpected: None,
    waits_to_write: true,
    custom: INSIDE,
    source: "modelled: the E31's documented five stages (FE310-G000 Manual, 3.3) with aes32* in one cycle, as Marshall et al., TCHES 2021, build them",
};

/// MicroBlaze V with five stages, barrel shifter and multiplier, everything in local memory.
pub static MICROBLAZE_V: Rules = Rules {
    classes: &[
        class("load", 1, 3),
        class("loadb", 1, 3),
        class("mul", 1, 3),
        class("mulh", 1, 3),
        class("div", 33, 33),
        class("jal", 3, 3),
        class("jalr", 3, 3),
    ],
    taken: 3,
    unexpected: None,
    waits_to_write: false,
    custom: INSIDE,
    source: "modelled: AMD UG1629, Instructions (latencies) and 5-Stage Pipeline (data hazards)",
};

#[derive(Clone, Copy)]
struct Row {
    issue: u32,
    result: u32,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Branch,
    Memory,
    Custom,
}

/// A core that follows its rules.
pub struct Pipeline {
    rules: &'static Rules,
    rows: Vec<Row>,
    now: u64,
    ready: [u64; 32],
    /// When the next custom instruction may start.
    settled: u64,
}

impl Rules {
    /// What a class takes.
    pub fn of(&self, name: &str) -> Class {
        if let Some((latency, occupancy)) = custom(name) {
            let Coupling { issue, result, .. } = self.custom;
            return Class { name: "custom", issue: occupancy + issue, result: latency + result };
        }
        let known = self.classes.iter().find(|c| c.name == name);
        known.copied().unwrap_or(Class { name: "", issue: 1, result: 1 })
    }

    /// The model.
    pub fn model(&'static self) -> Box<dyn Cycles> {
        Box::new(Pipeline { rules: self, rows: Vec::new(), now: 0, ready: [0; 32], settled: 0 })
    }

    fn rows(&self, isa: &Isa) -> Vec<Row> {
        let one = |class: &String| {
            let Class { issue, result, name } = self.of(class);
            let kind = match (name, class.as_str()) {
                ("custom", _) => Kind::Custom,
                (_, "branch") => Kind::Branch,
                (_, "load" | "loadb" | "store") => Kind::Memory,
                _ => Kind::Plain,
            };
            Row { issue, result, kind }
        };
        isa.rows.iter().map(|row| one(&row.class)).collect()
    }
}

impl Cycles for Pipeline {
    fn start(&mut self) {
        self.now = 0;
        self.ready = [0; 32];
        self.settled = 0;
    }

    fn step(&mut self, executed: &Executed) -> u32 {
        let isa = executed.isa;
        if self.rows.len() != isa.rows.len() {
            self.rows = self.rules.rows(isa);
        }
        let insn = executed.insn;
        let row = self.rows[usize::from(insn.row)];
        let effects = &isa.of(insn).effects;
        let mut start = self.now;
        let field = |f: u8| usize::from(insn.fields[usize::from(f)] as u8 & 31);
        for &(f, _) in &effects.read_fields {
            start = start.max(self.ready[field(f)]);
        }
        for &r in &effects.reads {
            start = start.max(self.ready[usize::from(r)]);
        }
        match row.kind {
            Kind::Custom => start = start.max(self.settled),
            Kind::Memory => self.settled = start + u64::from(self.rules.custom.after_memory),
            Kind::Plain | Kind::Branch => {}
        }
        let written = effects.written_fields.iter().map(|&(f, _)| field(f));
        let written = written.chain(effects.writes.iter().map(|&r| usize::from(r))).filter(|&r| r != 0);
        for r in written {
            if self.rules.waits_to_write {
                // A result may not come before an earlier one for the same register.
                start = start.max((self.ready[r] + 1).saturating_sub(u64::from(row.result)));
            }
            self.ready[r] = start + u64::from(row.result);
        }
        let issue = match (row.kind == Kind::Branch, self.rules.unexpected) {
            (false, _) => row.issue,
            (true, Some(unexpected)) if executed.jumped != backwards(isa, insn) => unexpected,
            (true, _) if executed.jumped => self.rules.taken,
            (true, _) => row.issue,
        };
        let took = start + u64::from(issue) - self.now;
        self.now = start + u64::from(issue);
        took as u32
    }
}

/// Whether a branch goes backwards.
fn backwards(isa: &Isa, insn: &Insn) -> bool {
    let place = isa.of(insn).fields.iter().position(|f| f.name == "off");
    place.is_some_and(|place| insn.fields[place] < 0)
}

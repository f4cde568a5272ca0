//! Machine models: what instructions cost on processors of ARMv4, by the rules of their manuals.
//! No public set of measured programs exists to hold them against: their figures are modelled.
//!
//! Memory answers at once (zero wait states, or caches that hit). Products end early for small
//! operands, which a rule about instructions cannot see: the longest time is counted.

use aesmith_isa::cycles::{Cycles, custom};
use aesmith_isa::execute::Executed;

use super::table::PC;

/// What a class of instructions costs.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// More for a shift by a register.
    register_shift: u32,
    /// More for writing the program counter.
    alu_jump: u32,
    /// A load of one register, and more if it is the program counter.
    load: (u32, u32),
    /// A store of one register.
    store: u32,
    /// Several registers loaded: so many beyond their number, at least, and more with the program counter.
    loads: (u32, u32, u32),
    /// Several registers stored: so many beyond their number, at least.
    stores: (u32, u32),
    /// A branch that is taken.
    branch: u32,
    /// An exchange.
    exchange: u32,
    /// Product, product and sum, long product, long product and sum.
    product: [u32; 4],
    /// Cycles after the next one in which a loaded register cannot be read yet: word, part, signed
    /// part, the last of several.
    delay: [u32; 4],
}

/// ARM7TDMI Technical Reference Manual (ARM DDI 0029), chapter 6: data processing 1S (+ 1I with a
/// register's shift, + 1N + 1S to the program counter), load 1S + 1N + 1I, store 2N, LDM nS + 1N + 1I,
/// STM (n - 1)S + 2N, branch 2S + 1N, SWP 1S + 2N + 1I, products 1S + 4I at most, 1I more with a sum
/// and 1I more with 64 bits.
pub const ARM7TDMI: Rules = Rules {
    register_shift: 1,
    alu_jump: 2,
    load: (3, 2),
    store: 2,
    loads: (2, 0, 2),
    stores: (1, 0),
    branch: 3,
    exchange: 4,
    product: [5, 6, 6, 7],
    delay: [0; 4],
};

/// ARM9TDMI Technical Reference Manual (ARM DDI 0180), chapter 7: a loaded word is there one cycle
/// late, a byte or half two; LDM and STM one cycle a register and at least two, the last register
/// of LDM one cycle late; LDM with the program counter n + 4; branches 3.
pub const ARM9TDMI: Rules = Rules {
    register_shift: 1,
    alu_jump: 2,
    load: (1, 4),
    store: 1,
    loads: (0, 2, 4),
    stores: (0, 2),
    branch: 3,
    exchange: 2,
    product: [6, 6, 7, 7],
    delay: [1, 2, 2, 1],
};

/// StrongARM SA-1110 Developer's Manual (Intel 278240), section 2 (instruction timings): a loaded
/// register is there one cycle late, two if its sign is extended; LDM and STM one cycle a register
/// and at least two; branches 2; products at most 3, and 1 more for 64 bits.
pub const STRONGARM: Rules = Rules {
    register_shift: 1,
    alu_jump: 1,
    load: (1, 3),
    store: 1,
    loads: (0, 2, 3),
    stores: (0, 2),
    branch: 2,
    exchange: 2,
    product: [3, 3, 4, 4],
    delay: [1, 1, 2, 1],
};

/// A processor of one pipeline that waits for registers that are not there yet.
pub struct Pipeline {
    rules: Rules,
    now: u64,
    /// When an instruction may start that reads the register.
    ready: [u64; 16],
}

impl Pipeline {
    /// With these rules.
    pub fn new(rules: Rules) -> Pipeline {
        Pipeline { rules, now: 0, ready: [0; 16] }
    }

    fn waits(&self, executed: &Executed) -> u64 {
        let row = executed.isa.of(executed.insn);
        let fields = &executed.insn.fields;
        let field = |&(f, _): &(u8, bool)| fields[f as usize] as usize;
        let mut named = row.effects.read_fields.iter().map(field);
        let mut until = named.try_fold(self.now, |t, r| Some(t.max(self.ready[r]))).unwrap_or(self.now);
        for &r in &row.effects.reads {
            until = until.max(self.ready.get(usize::from(r)).copied().unwrap_or(0));
        }
        if row.effects.stores {
            until = listed(executed).fold(until, |t, r| t.max(self.ready[r]));
        }
        until
    }

    /// Cycles of an instruction that is executed, and how late what it loads is there. A custom one
    /// holds the pipeline for as long as its unit takes no other; results that come later are waited for
    /// like loads.
    fn cost(&self, executed: &Executed) -> (u32, u32) {
        let rules = &self.rules;
        let jumped = u32::from(executed.jumped);
        let count = listed(executed).count() as u32;
        let one = |cycles| (cycles, 0);
        let class = executed.isa.of(executed.insn).class.as_str();
        if let Some((latency, occupancy)) = custom(class) {
            return (occupancy, latency.saturating_sub(occupancy));
        }
        match class {
            "alu shifted by a register" => one(1 + rules.register_shift + jumped * rules.alu_jump),
            "load" => (rules.load.0 + jumped * rules.load.1, rules.delay[0]),
            "load of a part" => (rules.load.0, rules.delay[1]),
            "signed load of a part" => (rules.load.0, rules.delay[2]),
            "store" => one(rules.store),
            "load of several" => {
                let (more, least, jump) = rules.loads;
                ((count + more).max(least) + jumped * jump, rules.delay[3])
            }
            "store of several" => one((count + rules.stores.0).max(rules.stores.1)),
            "branch" => one(rules.branch),
            "exchange" => (rules.exchange, rules.delay[0]),
            "product" => one(rules.product[0]),
            "product and sum" => one(rules.product[1]),
            "long product" => one(rules.product[2]),
            "long product and sum" => one(rules.product[3]),
            _ => one(1 + jumped * rules.alu_jump),
        }
    }
}

/// Registers of the instruction's list.
fn listed(executed: &Executed) -> impl Iterator<Item = usize> {
    let row = executed.isa.of(executed.insn);
    let list = row.fields.iter().position(|f| f.name == "list").map_or(0, |f| executed.insn.fields[f]);
    (0..16).filter(move |r| list >> r & 1 == 1)
}

impl Cycles for Pipeline {
    fn start(&mut self) {
        self.now = 0;
        self.ready = [0; 16];
    }

    fn step(&mut self, executed: &Executed) -> u32 {
        let before = self.now;
        if !executed.ran {
            self.now += 1;
            return 1;
        }
        let start = self.waits(executed);
        let (cycles, late) = self.cost(executed);
        self.now = start + u64::from(cycles);
        let row = executed.isa.of(executed.insn);
        if late > 0 {
            let loaded = listed(executed).last().or_else(|| {
                let to = row.fields.iter().position(|f| matches!(f.name.as_str(), "rd" | "xd"))?;
                Some(executed.insn.fields[to] as usize)
            });
            if let Some(r) = loaded.filter(|&r| r != usize::from(PC)) {
                self.ready[r] = self.now + u64::from(late);
            }
        }
        (self.now - before) as u32
    }
}

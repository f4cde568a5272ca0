//! The cost of orders: the machine model is asked about a few instructions at a time and its answers are cached, so
//! that a search can ask very often.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use aesmith_isa::assemble::Item;
use aesmith_isa::cycles::Cycles;
use aesmith_isa::execute::Executed;
use aesmith_isa::timing::Timing;
use aesmith_isa::{Insn, Isa, table::Kind};

use super::block::{Block, insn};
use super::set::RegisterSet;

/// The number of instructions that a price depends on: the instruction and the three before it. Longer interlocks do
/// not guide the search; the final figure comes from the whole model. With several issues per cycle, a window begins
/// with the first instruction of a cycle and is correspondingly longer.
pub const WINDOW: usize = 4;

#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u128(&mut self, n: u128) {
        self.write_u64(n as u64);
        self.write_u64((n >> 64) as u64);
    }

    fn write_u64(&mut self, n: u64) {
        let product = u128::from(self.0 ^ n) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

/// The prices of the instructions of a block.
pub struct Price<'a> {
    isa: &'a Isa,
    insns: Vec<Insn>,
    /// For each instruction, the fields that name registers, as bits.
    named: Vec<u8>,
    model: Box<dyn Cycles>,
    width: usize,
    /// Cached prices of windows of up to four instructions.
    known: HashMap<u64, u32, BuildHasherDefault<Mix>>,
    /// Cached prices of windows of up to eight instructions.
    known_longer: HashMap<u128, u32, BuildHasherDefault<Mix>>,
    /// Physical registers that can represent virtual ones; then those used in the current window, and the virtual
    /// registers that they represent.
    general: Vec<u8>,
    pool: Vec<u8>,
    names: Vec<i32>,
}

/// The model's cycles for a straight line of instructions, from its initial state.
pub fn straight<'a>(isa: &Isa, insns: impl Iterator<Item = &'a Insn>, model: &mut dyn Cycles) -> u64 {
    model.start();
    further(isa, insns, model)
}

/// The model's cycles for instructions, continuing from its current state.
fn further<'a>(isa: &Isa, insns: impl Iterator<Item = &'a Insn>, model: &mut dyn Cycles) -> u64 {
    let mut pc = 0;
    let mut sum = 0;
    for insn in insns {
        sum += u64::from(model.step(&executed(isa, insn, pc)));
        pc += u64::from(isa.of(insn).bytes());
    }
    sum
}

/// The model's cycles for a loop iteration in the steady state.
pub fn steady(isa: &Isa, items: &[Item], timing: &'static Timing) -> u64 {
    let mut model = timing.model();
    let turn = || items.iter().filter_map(insn);
    straight(isa, turn(), &mut *model);
    further(isa, turn(), &mut *model);
    further(isa, turn(), &mut *model)
}

fn executed<'a>(isa: &'a Isa, insn: &'a Insn, pc: u64) -> Executed<'a> {
    Executed { isa, insn, pc, ran: true, jumped: false, skipped: 0, target: 0, by_register: false }
}

impl<'a> Price<'a> {
    /// Builds the prices for a block's instructions.
    pub fn new(isa: &'a Isa, block: &Block, model: Box<dyn Cycles>) -> Price<'a> {
        let insns: Vec<Insn> = block.pieces.iter().filter_map(|p| insn(&p.item)).copied().collect();
        let registers = |insn: &Insn| {
            let fields = isa.of(insn).fields.iter().enumerate();
            let named = fields.filter(|(_, f)| matches!(f.kind, Kind::Register { .. }));
            named.fold(0, |bits, (place, _)| bits | 1 << place)
        };
        let width = model.width();
        // With several issues per cycle, windows may hold more registers than the machine has; unused register numbers
        // represent the others.
        let beyond = if width > 1 { isa.about.registers.len().min(255) as u8..255 } else { 0..0 };
        let special = |r: u8| isa.about.zero == Some(r) || isa.about.counter.is_some_and(|c| c.register == r);
        Price {
            isa,
            named: insns.iter().map(registers).collect(),
            insns,
            width,
            model,
            known: HashMap::default(),
            known_longer: HashMap::default(),
            general: (0..isa.about.general).chain(beyond).filter(|&r| !special(r)).collect(),
            pool: Vec::new(),
            names: Vec::new(),
        }
    }

    /// The number of instructions.
    pub fn count(&self) -> usize {
        self.insns.len()
    }

    /// One instruction of each row, the last one.
    pub fn kinds(&self) -> Vec<u16> {
        let last: HashMap<u16, u16> = self.insns.iter().zip(0..).map(|(insn, k)| (insn.row, k)).collect();
        let mut kinds: Vec<u16> = last.into_values().collect();
        kinds.sort_unstable();
        kinds
    }

    /// The issue width.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The start of the window for a position, given the cycles of the positions before it.
    pub fn window(&self, cycles: &[u32], at: usize) -> usize {
        let mut from = (at + 1).saturating_sub(WINDOW);
        while self.width > 1 && from > 0 && cycles[from] == 0 {
            from -= 1;
        }
        from
    }

    /// Cycles that the last instruction of a window adds.
    pub fn last(&mut self, window: &[u16]) -> u32 {
        if window.len() > WINDOW {
            return self.last_of_more(window);
        }
        let key = window.iter().fold(0, |key, &k| key << 16 | (u64::from(k) + 1));
        if let Some(&price) = self.known.get(&key) {
            return price;
        }
        let price = self.ask(window);
        self.known.insert(key, price);
        price
    }

    fn last_of_more(&mut self, window: &[u16]) -> u32 {
        if window.len() > 2 * WINDOW {
            return self.ask(window);
        }
        let key = window.iter().fold(0, |key, &k| key << 16 | (u128::from(k) + 1));
        if let Some(&price) = self.known_longer.get(&key) {
            return price;
        }
        let price = self.ask(window);
        self.known_longer.insert(key, price);
        price
    }

    /// Asks the model, with distinct physical registers in place of the virtual ones.
    fn ask(&mut self, window: &[u16]) -> u32 {
        let places = |bits: u8| (0..8).filter(move |place| bits >> place & 1 == 1);
        let mut taken = RegisterSet::default();
        for &k in window {
            let fields = &self.insns[usize::from(k)].fields;
            for place in places(self.named[usize::from(k)]) {
                if fields[place] < Insn::VIRTUAL {
                    taken.insert(fields[place] as u8);
                }
            }
        }
        // The pool takes one free register for each name.
        let mut left = self.general.iter().copied().filter(|&r| !taken.contains(r));
        self.pool.clear();
        self.names.clear();
        self.model.start();
        let mut price = 0;
        let mut pc = 0;
        for &k in window {
            let mut shown = self.insns[usize::from(k)];
            for place in places(self.named[usize::from(k)]) {
                let r = shown.fields[place];
                if r >= Insn::VIRTUAL {
                    let n = self.names.iter().position(|&v| v == r).unwrap_or_else(|| {
                        self.names.push(r);
                        self.pool.extend(left.next());
                        self.names.len() - 1
                    });
                    shown.fields[place] = i32::from(self.pool[n % self.pool.len()]);
                }
            }
            price = self.model.step(&executed(self.isa, &shown, pc));
            pc += u64::from(self.isa.of(&shown).bytes());
        }
        price
    }

    /// Cycles of a whole order, as the search counts them.
    pub fn order(&mut self, order: &[u16]) -> u64 {
        let mut cycles = Vec::with_capacity(order.len());
        for at in 0..order.len() {
            let from = self.window(&cycles, at);
            cycles.push(self.last(&order[from..=at]));
        }
        cycles.into_iter().map(u64::from).sum()
    }
}

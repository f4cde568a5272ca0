//! What an order costs: the machine model asked about a few instructions at a time, its answers
//! remembered, so that a search can ask very often.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use aesmith_isa::cycles::Cycles;
use aesmith_isa::execute::Executed;
use aesmith_isa::{Insn, Isa, table::Kind};

use super::block::{Block, insn};

/// How many instructions a price depends on: the last three before it, and it. Longer interlocks
/// than that do not guide the search; the figure at the end is the model's own.
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

    fn write_u64(&mut self, n: u64) {
        let product = u128::from(self.0 ^ n) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

/// Prices of the instructions of a block.
pub struct Price<'a> {
    isa: &'a Isa,
    insns: Vec<Insn>,
    model: Box<dyn Cycles>,
    known: HashMap<u64, u32, BuildHasherDefault<Mix>>,
}

/// The model's cycles for instructions one after another.
pub fn straight<'a>(isa: &Isa, insns: impl Iterator<Item = &'a Insn>, model: &mut dyn Cycles) -> u64 {
    model.start();
    let mut pc = 0;
    let mut sum = 0;
    for insn in insns {
        sum += u64::from(model.step(&executed(isa, insn, pc)));
        pc += u64::from(isa.of(insn).bytes());
    }
    sum
}

fn executed<'a>(isa: &'a Isa, insn: &'a Insn, pc: u64) -> Executed<'a> {
    Executed { isa, insn, pc, ran: true, jumped: false, skipped: 0, target: 0 }
}

impl<'a> Price<'a> {
    /// Of a block's instructions.
    pub fn new(isa: &'a Isa, block: &Block, model: Box<dyn Cycles>) -> Price<'a> {
        let insns = block.pieces.iter().filter_map(|p| insn(&p.item)).copied().collect();
        Price { isa, insns, model, known: HashMap::default() }
    }

    /// How many instructions there are.
    pub fn count(&self) -> usize {
        self.insns.len()
    }

    /// The last instruction of each row.
    pub fn kinds(&self) -> Vec<u16> {
        let last: HashMap<u16, u16> = self.insns.iter().zip(0..).map(|(insn, k)| (insn.row, k)).collect();
        let mut kinds: Vec<u16> = last.into_values().collect();
        kinds.sort_unstable();
        kinds
    }

    /// Cycles that the last of these instructions adds after the others.
    pub fn last(&mut self, window: &[u16]) -> u32 {
        let window = &window[window.len().saturating_sub(WINDOW)..];
        let key = window.iter().fold(0, |key, &k| key << 16 | (u64::from(k) + 1));
        if let Some(&price) = self.known.get(&key) {
            return price;
        }
        let price = self.ask(window);
        self.known.insert(key, price);
        price
    }

    /// Virtual registers are shown to the model as physical ones that differ.
    fn ask(&mut self, window: &[u16]) -> u32 {
        let isa = self.isa;
        let mut shown: Vec<Insn> = window.iter().map(|&k| self.insns[usize::from(k)]).collect();
        let mut taken = 0u64;
        let registers = |insn: &Insn| -> Vec<usize> {
            let fields = isa.of(insn).fields.iter().enumerate();
            fields.filter(|(_, f)| matches!(f.kind, Kind::Register { .. })).map(|(place, _)| place).collect()
        };
        for insn in &shown {
            for place in registers(insn) {
                let r = insn.fields[place];
                if r < Insn::VIRTUAL {
                    taken |= 1 << r;
                }
            }
        }
        let special = |r: u8| isa.about.zero == Some(r) || isa.about.counter.is_some_and(|(c, _)| c == r);
        let pool: Vec<i32> =
            (0..isa.about.general).filter(|&r| taken >> r & 1 == 0 && !special(r)).map(i32::from).collect();
        let mut names: Vec<i32> = Vec::new();
        for insn in &mut shown {
            for place in registers(insn) {
                let r = insn.fields[place];
                if r >= Insn::VIRTUAL {
                    let n = names.iter().position(|&v| v == r).unwrap_or_else(|| {
                        names.push(r);
                        names.len() - 1
                    });
                    insn.fields[place] = pool[n % pool.len()];
                }
            }
        }
        self.model.start();
        let mut price = 0;
        let mut pc = 0;
        for insn in &shown {
            price = self.model.step(&executed(isa, insn, pc));
            pc += u64::from(isa.of(insn).bytes());
        }
        price
    }

    /// Cycles of a whole order, as the search sees it.
    pub fn order(&mut self, order: &[u16]) -> u64 {
        (0..order.len()).map(|at| u64::from(self.last(&order[(at + 1).saturating_sub(WINDOW)..=at]))).sum()
    }
}

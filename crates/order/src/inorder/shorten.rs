//! Exchanges registers for shorter instructions, since some encodings can name only few registers. Two registers are
//! exchanged among values that are connected by overlapping live ranges (a Kempe chain), which keeps all values apart.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use aesmith_isa::Insn;
use aesmith_isa::table::Isa;

use super::allocate::{Interval, Registers};
use super::block::{Block, insn};
use super::pressure::Pressure;

/// The number of exchanges to try for each value.
const TRIES: usize = 100;

/// Code with a fixed order.
pub struct Code<'a> {
    /// The instruction table.
    pub isa: &'a Isa,
    /// The instructions.
    pub block: &'a Block,
    /// Its virtual registers.
    pub pressure: &'a Pressure,
    /// The live range of each virtual register.
    pub lives: &'a [Option<Interval>],
    /// The size of an instruction in bytes.
    pub bytes: &'a dyn Fn(&Insn) -> usize,
}

struct Exchange<'a> {
    code: Code<'a>,
    registers: Registers,
    /// The size of each instruction in bytes.
    sizes: Vec<usize>,
}

impl Exchange<'_> {
    fn apart(&self, a: usize, b: usize) -> bool {
        match (self.code.lives[a], self.code.lives[b]) {
            (Some((from, until)), Some((start, end))) => until < start || end < from,
            _ => true,
        }
    }

    /// The values that must be exchanged so that this one can move to a register.
    fn chain(&self, v: usize, to: u8) -> Option<Vec<usize>> {
        let from = self.registers.of(v)?;
        let mut chain = vec![v];
        let mut at = 0;
        while at < chain.len() {
            let v = chain[at];
            let goes = if self.registers.of(v) == Some(from) { to } else { from };
            if !self.code.pressure.virtuals[v].mask.contains(goes) {
                return None;
            }
            for other in 0..self.code.lives.len() {
                let there = self.registers.of(other) == Some(goes);
                if there && !self.apart(v, other) && !chain.contains(&other) {
                    chain.push(other);
                }
            }
            at += 1;
        }
        Some(chain)
    }

    fn swap(&mut self, chain: &[usize], a: u8, b: u8) {
        for &v in chain {
            let goes = if self.registers.of(v) == Some(a) { b } else { a };
            self.registers.give(v, goes);
        }
    }

    fn size(&self, piece: usize) -> usize {
        let item = self.registers.put(self.code.isa, &self.code.block.pieces[piece].item);
        insn(&item).map_or(0, self.code.bytes)
    }

    /// Exchanges registers, unless the code gets longer.
    fn exchange(&mut self, v: usize, to: u8) {
        let Some(from) = self.registers.of(v).filter(|&from| from != to) else { return };
        let Some(chain) = self.chain(v, to) else { return };
        self.swap(&chain, from, to);
        let mut touched: Vec<usize> = chain
            .iter()
            .flat_map(|&v| &self.code.pressure.virtuals[v].accesses)
            .map(|&k| usize::from(k))
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let sizes: Vec<usize> = touched.iter().map(|&k| self.size(k)).collect();
        let before: usize = touched.iter().map(|&k| self.sizes[k]).sum();
        if sizes.iter().sum::<usize>() > before {
            self.swap(&chain, from, to);
            return;
        }
        for (k, size) in touched.into_iter().zip(sizes) {
            self.sizes[k] = size;
        }
    }
}

/// Exchanges registers to shorten the code.
pub(crate) fn shortened(code: Code, registers: Registers, free: &[u8], seed: u32) -> Registers {
    let count = code.lives.len();
    if count == 0 || free.is_empty() {
        return registers;
    }
    let pieces = code.block.pieces.len();
    let mut state = Exchange { code, registers, sizes: Vec::new() };
    state.sizes = (0..pieces).map(|k| state.size(k)).collect();
    let mut random = ChaCha8Rng::seed_from_u64(u64::from(seed));
    for _ in 0..TRIES * count {
        let v = random.random_range(0..count);
        state.exchange(v, free[random.random_range(0..free.len())]);
    }
    state.registers
}

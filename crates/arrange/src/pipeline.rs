//! The order of operations in a loop over independent blocks.
//!
//! A *step* is one operation of the block's chain (counter, key additions, rounds, store); round keys and source texts
//! are operands of the step that uses them. Interleaved blocks lag each other by the interleave distance; software
//! pipelining cuts the chain into stages of `ii` steps, and runs stage `s` of one group of blocks beside stage 0 of the
//! group `s` iterations later.

use aesmith_dataflow::{Dataflow, Op};

/// One step of one block's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Index of the operation in the dataflow.
    pub op: u16,
    /// Index of the interleaved register.
    pub register: u8,
    /// Pipeline stage of the step.
    pub stage: u8,
    /// True for the first step of its stage, which reads the register of the previous stage.
    pub enters: bool,
}

/// The parameters of an order of independent blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interleaving {
    /// Registers of blocks in flight in one iteration; 0 and 1 both mean one.
    pub registers: u16,
    /// Steps by which each block lags the one before; 0 is lock-step.
    pub distance: u16,
    /// Software-pipelining initiation interval in steps; 0 is no pipelining.
    pub interval: u16,
}

/// The order of one loop: its body, prologue and epilogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Registers of blocks in one group (the interleave factor, at least 1).
    pub registers: usize,
    /// Pipeline stages; 1 without pipelining. An iteration works on this many groups at once.
    pub stages: usize,
    /// One iteration of the loop, in order.
    pub body: Vec<Slot>,
}

impl Pipeline {
    /// Orders `flow` by parameters.
    pub fn new(flow: &Dataflow, order: Interleaving) -> Pipeline {
        let registers = usize::from(order.registers).max(1);
        let distance = usize::from(order.distance);
        let steps: Vec<u16> =
            (0..flow.ops.len() as u16).filter(|&i| is_step(&flow.ops, i as usize)).collect();
        let interval = match usize::from(order.interval) {
            0 => steps.len(),
            ii => ii.min(steps.len()),
        };
        let stages = steps.len().div_ceil(interval);
        let mut body = Vec::with_capacity(steps.len() * registers);
        // The oldest group comes first: its registers are free before a younger stage moves into them.
        for stage in (0..stages).rev() {
            let rows = &steps[stage * interval..steps.len().min((stage + 1) * interval)];
            let mut slots: Vec<(usize, usize, u16)> = (0..registers)
                .flat_map(|register| {
                    rows.iter().enumerate().map(move |(row, &op)| (row + register * distance, register, op))
                })
                .collect();
            slots.sort_unstable();
            body.extend(slots.into_iter().map(|(_, register, op)| Slot {
                op,
                register: register as u8,
                stage: stage as u8,
                enters: op == rows[0] && stage > 0,
            }));
        }
        Pipeline { registers, stages, body }
    }

    /// The steps of iteration `pass` of the prologue, `0 .. stages - 1`: the stages that have work.
    pub fn fill(&self, pass: usize) -> impl Iterator<Item = &Slot> {
        self.body.iter().filter(move |s| usize::from(s.stage) <= pass)
    }

    /// The steps of iteration `pass` of the epilogue, `1 .. stages`.
    pub fn drain(&self, pass: usize) -> impl Iterator<Item = &Slot> {
        self.body.iter().filter(move |s| usize::from(s.stage) >= pass)
    }
}

/// True if an operation is a step of its own; the others are operands, or are computed beside the chain just before the
/// step that needs them.
fn is_step(ops: &[Op], index: usize) -> bool {
    match ops[index] {
        Op::Source | Op::PreviousSource | Op::RoundKey(_) => false,
        // The XOR of a text and the last round key is off the chain.
        Op::Xor(a, b) => {
            !matches!(
                (ops[a.0 as usize], ops[b.0 as usize]),
                (Op::RoundKey(_), Op::Source | Op::PreviousSource)
            ) || index < 3
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::{KeySize, Problem, Task};
    use aesmith_dataflow::aes::{Options, block};

    fn order(registers: u16, distance: u16, interval: u16) -> (Pipeline, usize) {
        let problem = Problem::new(KeySize::Aes128, Task::Ctr);
        let flow = block(problem, Options::default());
        let steps = (0..flow.ops.len()).filter(|&i| is_step(&flow.ops, i)).count();
        (Pipeline::new(&flow, Interleaving { registers, distance, interval }), steps)
    }

    #[test]
    fn every_step_of_every_register_runs_once_a_pass() {
        for interleave in 0..16 {
            for distance in [0, 1, 5, 17] {
                for ii in 0..18 {
                    let (p, steps) = order(interleave, distance, ii);
                    assert_eq!(p.body.len(), steps * p.registers);
                    let mut seen: Vec<_> = p.body.iter().map(|s| (s.register, s.op)).collect();
                    seen.sort_unstable();
                    seen.dedup();
                    assert_eq!(seen.len(), p.body.len());
                    // Prologue and epilogue together contain the iterations that a body skips.
                    let fill: usize = (0..p.stages - 1).map(|i| p.fill(i).count()).sum();
                    let drain: usize = (1..p.stages).map(|i| p.drain(i).count()).sum();
                    assert_eq!(fill + drain, (p.stages - 1) * p.body.len());
                }
            }
        }
    }

    #[test]
    fn distance_17_is_one_after_another_and_0_is_lock_step() {
        let (p, steps) = order(3, 17, 0);
        assert!(p.body[..steps].iter().all(|s| s.register == 0));
        let (p, _) = order(3, 0, 0);
        assert_eq!(p.body[..3].iter().map(|s| s.register).collect::<Vec<_>>(), [0, 1, 2]);
    }
}

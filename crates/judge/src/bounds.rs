//! How fast a problem can be at all on a machine: what its AES pipes' throughput and latency allow.
//!
//! A round of a block is one lane of an AES instruction; that is all that is counted, so the
//! bound holds for any code that uses AES instructions, however the rest of it is written.

use aesmith_cipher::{KeySize, Problem, Task};
use aesmith_processor::x86::table::{TimingClass, Vectors};
use aesmith_processor::x86::timing::{Kind, MachineModel};
use serde::{Deserialize, Serialize};

/// Rounds that the counter table spares a block, at most.
pub const MOST_CACHED_ROUNDS: usize = 2;
/// Blocks for which one table of the second round holds: the fast counter byte's values.
const TABLE_BLOCKS: usize = 256;

/// What limits a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The AES pipes are always full.
    Throughput,
    /// Each round waits for the one before.
    Latency,
}

/// A lower bound on one call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemBound {
    /// Cycles a call.
    pub cycles: f64,
    /// Cycles a byte; for key set-ups the same as `cycles`.
    pub cycles_per_byte: f64,
    /// What limits it.
    pub limit: Limit,
    /// Rounds taken from a counter table (CTR only).
    pub cached_rounds: usize,
}

/// The bound of a call of `problem` on messages of `size` bytes each; `None` if the model knows no
/// AES instruction.
///
/// In counter mode the best number of cached rounds for that size is taken: two save two rounds a
/// block and cost two rounds of 256 blocks a message to build; one is built once a key.
///
/// A key schedule's bound is one call's latency (its S-boxes in sequence); independent calls back
/// to back may overlap and beat it, so it is no floor for what is measured that way.
pub fn bound(model: &MachineModel, problem: Problem, size: usize) -> Option<ProblemBound> {
    if problem.task == Task::Ctr {
        return (0..=MOST_CACHED_ROUNDS)
            .filter_map(|cached| ctr_bound(model, problem.key, size, cached))
            .min_by(|a, b| a.cycles.total_cmp(&b.cycles));
    }
    let per_round = block_round(model)?;
    let rounds = problem.key.rounds() as f64;
    let blocks = (size / 16) as f64;
    let streams = problem.streams() as f64;
    let throughput = rounds * per_round * blocks * streams;
    let (cycles, limit) = match problem.task {
        Task::CbcEncrypt { .. } => {
            let serial = rounds * latency(model)? * blocks;
            if serial > throughput { (serial, Limit::Latency) } else { (throughput, Limit::Throughput) }
        }
        Task::KeySchedule(_) => (sequential_s_boxes(problem.key) as f64 * latency(model)?, Limit::Latency),
        // The table is bytes of one column: 256 S-boxes, 16 in a lane of a last round.
        Task::CtrTable => (TABLE_BLOCKS as f64 / 16.0 * per_round, Limit::Throughput),
        Task::Ecb(_) | Task::CbcDecrypt | Task::Ctr => (throughput, Limit::Throughput),
    };
    Some(finish(problem, size, cycles, limit, 0))
}

/// The bound of counter mode with 0, 1 or 2 cached rounds.
pub fn ctr_bound(model: &MachineModel, key: KeySize, size: usize, cached: usize) -> Option<ProblemBound> {
    let blocks = size.div_ceil(16);
    let build = if cached == 2 { 2 * TABLE_BLOCKS } else { 0 };
    let rounds = (key.rounds() - cached) * blocks + build;
    let cycles = rounds as f64 * block_round(model)?;
    Some(finish(Problem::new(key, Task::Ctr), size, cycles, Limit::Throughput, cached))
}

fn finish(problem: Problem, size: usize, cycles: f64, limit: Limit, cached_rounds: usize) -> ProblemBound {
    let bytes = crate::native::bytes_per_call(problem, size).max(1) as f64;
    ProblemBound { cycles, cycles_per_byte: cycles / bytes, limit, cached_rounds }
}

/// Cycles a round of a block takes at best: the widest, or the most often issued, AES instruction.
fn block_round(model: &MachineModel) -> Option<f64> {
    [Vectors::Xmm, Vectors::Ymm, Vectors::Zmm]
        .into_iter()
        .filter_map(|vectors| {
            let timing = model.timing(Kind { class: TimingClass::Aes, vectors })?;
            Some(timing.reciprocal_throughput / vectors.lanes() as f64)
        })
        .min_by(f64::total_cmp)
}

fn latency(model: &MachineModel) -> Option<f64> {
    model
        .timings
        .iter()
        .filter(|t| t.kind.class == TimingClass::Aes)
        .filter_map(|t| t.latency)
        .min_by(f64::total_cmp)
}

/// S-box look-ups of a key expansion that each wait for the one before (FIPS-197, 5.2: one every
/// Nk words, and for 256-bit keys one more between).
fn sequential_s_boxes(key: KeySize) -> usize {
    let words = 4 * (key.rounds() + 1);
    let nk = key.bytes() / 4;
    let every = if nk > 6 { 4 } else { nk };
    (nk..words).filter(|i| i % every == 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::x86::timing::Timing;

    /// Two AES pipes on ymm, three cycles: the Sapphire Rapids core of the published figures.
    fn model() -> MachineModel {
        let aes = |vectors, reciprocal_throughput| Timing {
            kind: Kind { class: TimingClass::Aes, vectors },
            latency: Some(3.0),
            reciprocal_throughput,
        };
        MachineModel {
            timings: vec![aes(Vectors::Xmm, 0.5), aes(Vectors::Ymm, 0.5), aes(Vectors::Zmm, 1.0)],
            ..MachineModel::default()
        }
    }

    fn per_byte(problem: &str, size: usize) -> f64 {
        bound(&model(), problem.parse().unwrap(), size).unwrap().cycles_per_byte
    }

    #[test]
    fn bounds_by_hand() {
        assert_eq!(per_byte("aes128-ecb", 4096), 10.0 / 64.0);
        assert_eq!(per_byte("aes256-cbc-dec", 4096), 14.0 / 64.0);
        assert_eq!(per_byte("aes128-cbc", 4096), 30.0 / 16.0);
        assert_eq!(per_byte("aes128-cbc-x4", 4096), 30.0 / 64.0);
        // Sixteen streams: the pipes are the limit.
        assert_eq!(per_byte("aes128-cbc-x16", 4096), 10.0 / 64.0);
        assert_eq!(per_byte("aes128-key", 0), 30.0);
        assert_eq!(per_byte("aes192-key", 0), 24.0);
        assert_eq!(per_byte("aes256-key", 0), 39.0);
    }

    /// One cached round up to where saving another on every block pays for the message's table.
    #[test]
    fn counter_mode_caches_by_length() {
        let cached = |size| bound(&model(), "aes128-ctr".parse().unwrap(), size).unwrap().cached_rounds;
        assert_eq!(cached(4096), 1);
        assert_eq!(cached(32768), 2);
        assert_eq!(
            ctr_bound(&model(), KeySize::Aes128, 1 << 20, 2).unwrap().cycles,
            (8.0 * 65536.0 + 512.0) / 4.0
        );
        assert_eq!(bound(&MachineModel::default(), "aes128-ctr".parse().unwrap(), 16), None);
    }
}

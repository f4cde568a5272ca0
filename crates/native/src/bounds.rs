//! Lower bounds on the time of a problem on a machine, from the throughput and latency of its AES pipes.
//!
//! Only AES rounds are counted, and a round of a block is one lane of an AES instruction, so the bound holds for any
//! code that uses AES instructions, however the rest of it is written. Code that is allowed less (narrower registers,
//! fewer rounds from tables) has its own bound, by the same rules; it is never below that of code that is allowed more.

use aesmith_cipher::mode::KeyPart;
use aesmith_cipher::{KeySize, Problem};
use aesmith_processor::measured::{MachineModel, Timing};
use aesmith_processor::measured::{TimingClass, Vectors};
use serde::{Deserialize, Serialize};

use crate::native::{bytes_per_call, is_alone};

/// Maximum number of rounds that the counter table saves a block.
pub const MOST_CACHED_ROUNDS: usize = 2;
/// Number of blocks for which one table of the second round is valid: the values of the fast counter byte.
const TABLE_BLOCKS: usize = 256;

/// The resource that limits a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The AES pipes are always full.
    Throughput,
    /// Each round waits for the previous one.
    Latency,
}

/// A lower bound on one call.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProblemBound {
    /// Cycles a call.
    pub cycles: f64,
    /// Cycles a byte; for key set-ups equal to `cycles`.
    pub cycles_per_byte: f64,
    /// The limiting resource.
    pub limit: Limit,
    /// Rounds taken from a table over the counter's last byte (CTR and GCM).
    pub cached_rounds: usize,
}

/// Resources of a machine that code may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Blocks that the widest register holds.
    pub lanes: usize,
    /// Rounds of counter mode that may be taken from tables.
    pub cached_rounds: usize,
}

impl Allowed {
    /// All resources, with registers of at most `lanes` blocks.
    pub fn lanes(lanes: usize) -> Allowed {
        Allowed { lanes, cached_rounds: MOST_CACHED_ROUNDS }
    }
}

/// The bound of a call of `problem` on messages of `size` bytes each, as one of many independent calls, which is how
/// calls are measured; `None` if the model knows no AES instruction of an allowed width.
///
/// In modes with a counter the bound is for the best number of cached rounds at that size: two save two rounds a block, but
/// their table costs two rounds of 256 blocks a message; the table of one, of counter mode alone, is built once a key. Fewer resources never
/// reduce the bound: a variant's bound is computed with its own registers and tables, so that it is at least the
/// problem's.
///
/// Calls that are short enough to be measured back to back overlap, so that a chain within a call (CBC encryption, key
/// schedules) limits only calls that are measured one at a time.
pub fn bound(model: &MachineModel, problem: Problem, size: usize, allowed: Allowed) -> Option<ProblemBound> {
    let mode = problem.mode();
    if mode.has_counter() {
        // The table of one round is a part of the key.
        let has_table = |cached: &usize| *cached != 1 || mode.may_read(KeyPart::CounterTable);
        return (0..=allowed.cached_rounds.min(MOST_CACHED_ROUNDS))
            .filter(has_table)
            .filter_map(|cached| counted_bound(model, problem, size, cached, allowed.lanes))
            .min_by(|a, b| a.cycles.total_cmp(&b.cycles));
    }
    let per_round = block_round(model, problem, allowed.lanes)?;
    let rounds = problem.key.rounds() as f64;
    let blocks = (size / 16) as f64;
    let throughput = rounds * per_round * blocks * problem.streams() as f64;
    let alone = is_alone(problem, size);
    let (cycles, limit) = match mode.writes {
        None if mode.is_serial() && alone => {
            let serial = rounds * latency(model, allowed.lanes)? * blocks;
            if serial > throughput { (serial, Limit::Latency) } else { (throughput, Limit::Throughput) }
        }
        // Each S-box of the sequence needs an instruction of its own.
        Some(KeyPart::RoundKeys) => {
            let each = each_instruction(model, allowed.lanes)?;
            (sequential_s_boxes(problem.key) as f64 * each, Limit::Throughput)
        }
        // The table holds bytes of one column: 256 S-boxes, 16 in a lane of a last round.
        Some(KeyPart::CounterTable) => (TABLE_BLOCKS as f64 / 16.0 * per_round, Limit::Throughput),
        // The hash key is the cipher of a block. The model has no figure for products of polynomials.
        Some(KeyPart::HashTable) => (rounds * each_instruction(model, allowed.lanes)?, Limit::Throughput),
        None => (throughput, Limit::Throughput),
    };
    Some(finish(problem, size, cycles, limit, 0))
}

/// The bound of a mode with a counter, with 0, 1 or 2 cached rounds, on registers of at most `lanes` blocks.
pub fn counted_bound(
    model: &MachineModel,
    problem: Problem,
    size: usize,
    cached: usize,
    lanes: usize,
) -> Option<ProblemBound> {
    let blocks = size.div_ceil(16);
    let build = if cached == 2 { 2 * TABLE_BLOCKS } else { 0 };
    let rounds = (problem.key.rounds() - cached) * blocks + build;
    let cycles = rounds as f64 * block_round(model, problem, lanes)?;
    Some(finish(problem, size, cycles, Limit::Throughput, cached))
}

/// Lowers the figures behind the bound of `problem` so that it is at most `cycles` a call, which was measured of code
/// within what is allowed.
pub fn lower(model: &mut MachineModel, problem: Problem, size: usize, allowed: Allowed, cycles: f64) {
    // Both terms of a maximum may exceed the measured time: at most one of each kind of limit.
    for _ in 0..2 {
        let Some(bound) = bound(model, problem, size, allowed).filter(|b| b.cycles > cycles) else { return };
        let part = cycles / bound.cycles;
        // Lower only the figure that gives the bound, and not that of another width.
        let used = |t: &Timing| used_lanes(t.kind.vectors, problem);
        let throughput = |t: &Timing| Some(t.reciprocal_throughput);
        match bound.limit {
            Limit::Latency => {
                let Some((timing, least)) = least(model, allowed.lanes, |t| t.latency) else { return };
                timing.lower_latency(least * part);
            }
            Limit::Throughput if counts_instructions(problem) => {
                let Some((timing, least)) = least(model, allowed.lanes, throughput) else { return };
                timing.lower_throughput(least * part);
            }
            Limit::Throughput => {
                let a_block = |t: &Timing| Some(t.reciprocal_throughput / used(t));
                let Some((timing, least)) = least(model, allowed.lanes, a_block) else { return };
                let lanes = used(timing);
                timing.lower_throughput(least * part * lanes);
            }
        }
    }
}

/// True if instructions of any width count the same.
fn counts_instructions(problem: Problem) -> bool {
    matches!(problem.mode().writes, Some(KeyPart::RoundKeys | KeyPart::HashTable))
}

fn finish(problem: Problem, size: usize, cycles: f64, limit: Limit, cached_rounds: usize) -> ProblemBound {
    let bytes = bytes_per_call(problem, size).max(1) as f64;
    ProblemBound { cycles, cycles_per_byte: cycles / bytes, limit, cached_rounds }
}

/// The timing with the smallest `figure` among AES instructions on registers of at most `lanes` blocks, and that
/// figure.
fn least(
    model: &mut MachineModel,
    lanes: usize,
    figure: impl Fn(&Timing) -> Option<f64>,
) -> Option<(&mut Timing, f64)> {
    let timings = model.timings.iter_mut().filter(|t| is_allowed(t, lanes));
    timings.filter_map(|t| figure(t).map(|f| (t, f))).min_by(|a, b| a.1.total_cmp(&b.1))
}

fn is_allowed(timing: &Timing, lanes: usize) -> bool {
    timing.kind.class == TimingClass::Aes && timing.kind.vectors.lanes() <= lanes
}

/// Blocks that a register works on: chained messages fill at most as many lanes as there are streams.
fn used_lanes(vectors: Vectors, problem: Problem) -> f64 {
    let most = if problem.mode().is_serial() { problem.streams() } else { usize::MAX };
    vectors.lanes().min(most) as f64
}

/// Minimum cycles for a round of a block, on the AES instruction with the most lanes per cycle.
fn block_round(model: &MachineModel, problem: Problem, lanes: usize) -> Option<f64> {
    let timings = model.timings.iter().filter(|t| is_allowed(t, lanes));
    let used = |t: &Timing| used_lanes(t.kind.vectors, problem);
    timings.map(|t| t.reciprocal_throughput / used(t)).min_by(f64::total_cmp)
}

/// Minimum cycles per AES instruction.
fn each_instruction(model: &MachineModel, lanes: usize) -> Option<f64> {
    let timings = model.timings.iter().filter(|t| is_allowed(t, lanes));
    timings.map(|t| t.reciprocal_throughput).min_by(f64::total_cmp)
}

fn latency(model: &MachineModel, lanes: usize) -> Option<f64> {
    let timings = model.timings.iter().filter(|t| is_allowed(t, lanes));
    timings.filter_map(|t| t.latency).min_by(f64::total_cmp)
}

/// S-box look-ups of a key expansion of which each depends on the one before (FIPS-197, 5.2: one every Nk words, and
/// for 256-bit keys one more between).
fn sequential_s_boxes(key: KeySize) -> usize {
    let words = 4 * (key.rounds() + 1);
    let nk = key.bytes() / 4;
    let every = if nk > 6 { 4 } else { nk };
    (nk..words).filter(|i| i % every == 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::measured::Kind;

    const ALL: Allowed = Allowed { lanes: 4, cached_rounds: MOST_CACHED_ROUNDS };

    /// Two AES pipes on ymm, latency three cycles: the Sapphire Rapids core of the published figures.
    fn model() -> MachineModel {
        of_aes(0.5, 1.0, 3.0)
    }

    fn of_aes(narrow: f64, zmm: f64, latency: f64) -> MachineModel {
        let aes = |vectors, reciprocal_throughput| {
            Timing::new(Kind { class: TimingClass::Aes, vectors }, Some(latency), reciprocal_throughput)
        };
        MachineModel {
            timings: vec![
                aes(Vectors::Bits128, narrow),
                aes(Vectors::Bits256, narrow),
                aes(Vectors::Bits512, zmm),
            ],
            ..MachineModel::default()
        }
    }

    fn per_byte(problem: &str, size: usize) -> f64 {
        bound(&model(), problem.parse().unwrap(), size, ALL).unwrap().cycles_per_byte
    }

    #[test]
    fn bounds_by_hand() {
        assert_eq!(per_byte("aes128-ecb", 4096), 10.0 / 64.0);
        assert_eq!(per_byte("aes256-cbc-dec", 4096), 14.0 / 64.0);
        assert_eq!(per_byte("aes128-cbc", 8192), 30.0 / 16.0);
        assert_eq!(per_byte("aes128-cbc-x4", 4096), 30.0 / 64.0);
        // With sixteen streams, the pipes are the limit.
        assert_eq!(per_byte("aes128-cbc-x16", 4096), 10.0 / 64.0);
        assert_eq!(per_byte("aes128-key", 0), 5.0);
        assert_eq!(per_byte("aes192-key", 0), 4.0);
        assert_eq!(per_byte("aes256-key", 0), 6.5);
    }

    /// Independent calls on short messages overlap, so the chain within each call does not limit them.
    #[test]
    fn a_chain_does_not_bound_calls_that_overlap() {
        assert_eq!(per_byte("aes128-cbc", 1024), 5.0 / 16.0);
        assert_eq!(per_byte("aes128-cbc-x16", 256), 10.0 / 64.0);
    }

    /// One cached round, up to the length where saving another round on every block pays for the message's table.
    #[test]
    fn counter_mode_caches_by_length() {
        let ctr = "aes128-ctr".parse().unwrap();
        let cached = |size| bound(&model(), ctr, size, ALL).unwrap().cached_rounds;
        assert_eq!(cached(4096), 1);
        assert_eq!(cached(32768), 2);
        assert_eq!(
            counted_bound(&model(), ctr, 1 << 20, 2, 4).unwrap().cycles,
            (8.0 * 65536.0 + 512.0) / 4.0
        );
        // GCM has no table of one round.
        let gcm = "aes128-gcm".parse().unwrap();
        let cached = |size| bound(&model(), gcm, size, ALL).unwrap().cached_rounds;
        assert_eq!((cached(4096), cached(32768)), (0, 2));
        assert_eq!(bound(&MachineModel::default(), ctr, 16, ALL), None);
        assert_eq!(bound(&model(), ctr, 16, Allowed::lanes(0)), None, "no AES instruction is allowed");
    }

    /// `--width xmm` prints the bound for xmm, not the one for zmm.
    #[test]
    fn narrower_registers_are_bounded_by_their_own_pipes() {
        let ctr = "aes128-ctr".parse().unwrap();
        let at = |lanes| bound(&model(), ctr, 4096, Allowed::lanes(lanes)).unwrap().cycles_per_byte;
        assert_eq!((at(1), at(2), at(4)), (4.5 / 16.0, 4.5 / 32.0, 9.0 / 64.0));
    }

    /// All problems, sizes, widths and tables: more resources never give a higher bound.
    #[test]
    fn the_bound_of_a_problem_is_never_above_the_bound_of_a_variant() {
        // Zen 4 as in issue 11, with the minimum and the maximum of its calibrations.
        for model in
            [model(), of_aes(0.5, 0.987, 3.61), of_aes(0.51, 1.012, 4.01), of_aes(0.493, 1.012, 3.61)]
        {
            for problem in Problem::all() {
                for size in [16, 48, 256, 1024, 4096, 32 << 10, 1 << 20] {
                    let whole = bound(&model, problem, size, ALL).unwrap().cycles;
                    for lanes in [1, 2, 4] {
                        for cached_rounds in 0..=MOST_CACHED_ROUNDS {
                            let own = bound(&model, problem, size, Allowed { lanes, cached_rounds }).unwrap();
                            assert!(whole <= own.cycles, "{problem} at {size}: {whole} above {own:?}");
                        }
                    }
                }
            }
        }
    }

    /// A measurement on zmm does not bound xmm.
    #[test]
    fn a_bound_that_was_beaten_lowers_no_other_width() {
        for problem in ["aes128-ecb", "aes128-cbc-x16", "aes256-ctr"] {
            let mut model = of_aes(0.5, 1.0, 3.0);
            let problem: Problem = problem.parse().unwrap();
            let narrow = |model: &MachineModel| bound(model, problem, 4096, Allowed::lanes(1)).unwrap();
            let before = (narrow(&model), bound(&model, problem, 4096, ALL).unwrap().cycles);
            lower(&mut model, problem, 4096, ALL, 0.97 * before.1);
            assert_eq!(narrow(&model), before.0, "{problem}");
            assert!(bound(&model, problem, 4096, ALL).unwrap().cycles <= 0.97 * before.1 * (1.0 + 1e-9));
        }
    }

    #[test]
    fn a_bound_that_was_beaten_is_lowered_to_what_was_seen() {
        for problem in Problem::all() {
            for size in [256, 32 << 10] {
                let mut model = of_aes(0.51, 1.012, 4.01);
                let before = bound(&model, problem, size, ALL).unwrap();
                let seen = 0.93 * before.cycles;
                lower(&mut model, problem, size, ALL, seen);
                let after = bound(&model, problem, size, ALL).unwrap();
                assert!(after.cycles <= seen * (1.0 + 1e-9), "{problem} at {size}: {after:?}, seen {seen}");
                assert!(
                    after.cycles >= seen * (1.0 - 1e-9),
                    "{problem} at {size}: lowered too far: {after:?}"
                );
                let kept = model.clone();
                lower(&mut model, problem, size, ALL, 2.0 * seen);
                assert_eq!(model, kept, "a bound that holds is left alone");
            }
        }
    }
}

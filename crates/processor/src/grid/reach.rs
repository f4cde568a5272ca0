//! The fraction of the multiprocessors' bound that messages of a length can reach, with the losses to incomplete
//! iterations and to the filling of shared memory before the first iteration.
//!
//! It is a model from static counts, and an upper bound on the throughput: latency, memory other than shared memory,
//! and the launch itself are not modelled. Blocks of threads are spread evenly over the multiprocessors, the first
//! iteration of each before the second of any, in the order in which kernels take their text.

use aesmith_cipher::mode::Role;
use aesmith_isa::grid::GridProgram;
use aesmith_prove::grid::GridKind;

use super::certificate::ProvedGrid;
use super::machine::{Call, run};
use super::occupancy::Needs;
use super::{Architecture, Counted, Executed, Grids};

/// Units of a multiprocessor: shared memory first, as in [`Counted::units`].
const UNITS: usize = 4;

/// Resource use of threads of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct KindUse {
    /// Their share of the text.
    pub kind: GridKind,
    /// Blocks of text that a warp takes in an iteration.
    pub of_a_warp: u64,
    /// Blocks of text that these threads of a block take in an iteration.
    pub of_a_turn: u64,
    /// Clocks of each unit for a block of text.
    pub clocks: [f64; UNITS],
}

/// Use of a device by a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The resource use of each kind of threads.
    pub kinds: Vec<KindUse>,
    /// Clocks of each unit for a block of text, averaged over a text of which all kinds have their shares.
    pub clocks: [f64; UNITS],
    /// Clocks of each unit for filling a block's shared memory.
    pub filling: [f64; UNITS],
    /// Blocks of threads that a multiprocessor holds.
    pub resident: u64,
    /// Number of multiprocessors.
    pub multiprocessors: u64,
}

impl Reach {
    /// The use of an architecture's device by a proved kernel, from its counts there.
    ///
    /// # Errors
    /// The interpreter cannot execute it, or a multiprocessor cannot hold a block of it.
    pub fn of(
        grids: &Grids,
        proved: &ProvedGrid,
        counted: &Counted,
        architecture: &Architecture,
    ) -> Result<Reach, String> {
        let (program, proof) = (&proved.kernel().program, &proved.certificate().proof);
        let warp = u32::from(grids.launch.warp);
        let registers = (counted.registers > 0).then_some(counted.registers);
        let needs = Needs { threads: proof.threads, registers, shared: proof.shared };
        let resident = architecture.occupancy(warp, &needs).resident().0;
        if resident == 0 {
            return Err(format!(
                "a multiprocessor of {} has no room for a block of threads",
                architecture.name
            ));
        }
        let rounds = filling(grids, program)? as f64 * f64::from(grids.launch.banks);
        let taken = |(kind, executed): (GridKind, Executed)| KindUse {
            kind,
            of_a_warp: u64::from(warp.min(kind.threads)) * u64::from(kind.a_turn),
            of_a_turn: u64::from(kind.threads) * u64::from(kind.a_turn),
            clocks: executed.units(architecture).map(|unit| unit.clocks),
        };
        Ok(Reach {
            kinds: proof.kinds().into_iter().zip(counted.kinds()).map(taken).collect(),
            clocks: counted.units(architecture).map(|unit| unit.clocks),
            filling: [rounds / f64::from(architecture.shared), 0.0, 0.0, 0.0],
            resident: resident.into(),
            multiprocessors: architecture.device.multiprocessors.into(),
        })
    }

    /// Blocks of text that a block of threads takes in one iteration of each kind.
    pub fn of_a_turn(&self) -> u64 {
        self.kinds.iter().map(|taken| taken.of_a_turn).sum()
    }

    /// Minimum clocks of the busiest multiprocessor for a message of `blocks` blocks of text.
    pub fn clocks_of(&self, blocks: u64, with_filling: bool) -> f64 {
        let turns = |taken: &KindUse| taken.kind.text(blocks).div_ceil(taken.of_a_turn);
        let most = self.kinds.iter().map(turns).max().unwrap_or(0);
        let filled = most.div_ceil(self.multiprocessors).min(self.resident);
        // The first multiprocessor has the most complete iterations; an incomplete one goes to the multiprocessor after
        // the last complete one.
        let whole = |taken: &KindUse| taken.kind.text(blocks) / taken.of_a_turn;
        let busy = self.kinds.iter().map(|taken| whole(taken) % self.multiprocessors).chain([0]);
        let text = |taken: &KindUse, here: u64| {
            let turns = (whole(taken) + self.multiprocessors - 1 - here) / self.multiprocessors;
            let rest = (taken.kind.text(blocks) % taken.of_a_turn).next_multiple_of(taken.of_a_warp);
            let is_here = whole(taken) % self.multiprocessors == here;
            turns * taken.of_a_turn + if is_here { rest } else { 0 }
        };
        let of_unit = |here: u64, unit: usize| {
            let filling = if with_filling { filled as f64 * self.filling[unit] } else { 0.0 };
            let of = |taken: &KindUse| text(taken, here) as f64 * taken.clocks[unit];
            filling + self.kinds.iter().map(of).sum::<f64>()
        };
        busy.flat_map(|here| (0..UNITS).map(move |unit| (here, unit)))
            .map(|(here, unit)| of_unit(here, unit))
            .fold(0.0, f64::max)
    }

    /// The fraction of the multiprocessors' bound that such a message can reach.
    pub fn share(&self, blocks: u64, with_filling: bool) -> f64 {
        let bound = self.clocks.into_iter().fold(0.0, f64::max) * blocks as f64;
        let taken = self.clocks_of(blocks, with_filling) * self.multiprocessors as f64;
        if taken > 0.0 { bound / taken } else { 0.0 }
    }
}

/// Bank rounds of shared memory that a block of threads takes before its first iteration: those of a launch without
/// text.
fn filling(grids: &Grids, program: &GridProgram) -> Result<u64, String> {
    let key = vec![0; program.parameter(Role::Key).map_or(0, |key| key.bytes as usize)];
    let call = Call {
        blocks: 1,
        key: &key,
        iv: [0; 16],
        input: &[],
        elements: [16; 2],
        streams: &[],
        in_place: false,
    };
    Ok(run((grids.isa)(), grids.launch, program, &call)?.bank_rounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_prove::grid::Part;

    /// Reference model: blocks of threads take their iterations one after another, and each is assigned to its
    /// multiprocessor.
    fn one_by_one(reach: &Reach, blocks: u64) -> f64 {
        let mut busy = vec![[0.0; UNITS]; reach.multiprocessors as usize];
        let mut most = 0;
        for kind in &reach.kinds {
            let mut turns = vec![0; reach.multiprocessors as usize];
            let (mut left, mut turn) = (kind.kind.text(blocks), 0);
            while left > 0 {
                let taken = left.min(kind.of_a_turn);
                // The grid has as many blocks of threads as all multiprocessors hold; this is the index of the block.
                let block = turn % (reach.resident * reach.multiprocessors);
                let here = (block % reach.multiprocessors) as usize;
                let text = taken.div_ceil(kind.of_a_warp) * kind.of_a_warp;
                for (busy, clocks) in busy[here].iter_mut().zip(kind.clocks) {
                    *busy += text as f64 * clocks;
                }
                turns[here] += 1;
                (left, turn) = (left - taken, turn + 1);
            }
            most = most.max(turns[0]);
        }
        let filled = most.min(reach.resident) as f64;
        let clocks = |busy: &[f64; UNITS]| {
            (0..UNITS).map(|unit| filled * reach.filling[unit] + busy[unit]).fold(0.0, f64::max)
        };
        busy.iter().map(clocks).fold(0.0, f64::max)
    }

    /// Threads of a kind that take a block of text each in an iteration.
    fn taken(threads: u32, [from, until]: [Option<Part>; 2], clocks: [f64; UNITS]) -> KindUse {
        let kind = GridKind { threads, a_turn: 1, inner: 1, from, until };
        KindUse { kind, of_a_warp: 8, of_a_turn: threads.into(), clocks }
    }

    #[test]
    fn kinds_of_threads_have_their_shares() {
        let part = Some(Part { shift: 5, times: 8 });
        let kinds = vec![
            taken(16, [None, part], [0.0, 8.0, 1.0, 5.0]),
            taken(32, [part, None], [4.25, 3.5, 0.1, 2.9]),
        ];
        let clocks = [4.25 * 0.75, (8.0 + 3.0 * 3.5) / 4.0, 0.325, 3.425];
        let reach = Reach { kinds, clocks, filling: [100.0, 0.0, 0.0, 0.0], resident: 1, multiprocessors: 5 };
        for blocks in 1..1500 {
            let (told, found) = (reach.clocks_of(blocks, true), one_by_one(&reach, blocks));
            assert!((told - found).abs() < 1e-6, "{blocks} blocks: {told} and {found}");
            assert!(reach.share(blocks, false) <= 1.0 + 1e-9, "{blocks} blocks");
        }
        // Below 32 blocks, threads of one kind have no work.
        assert!((reach.clocks_of(31, false) - 32.0 * 4.25).abs() < 1e-9);
    }

    #[test]
    fn the_busiest_multiprocessor_decides() {
        for (resident, clocks) in [(1, [4.25, 3.5, 0.1, 2.9]), (3, [1.0, 6.0, 0.0, 2.0])] {
            let reach = Reach {
                kinds: vec![taken(32, [None; 2], clocks)],
                clocks,
                filling: [100.0, 0.0, 0.0, 0.0],
                resident,
                multiprocessors: 5,
            };
            for blocks in 1..1500 {
                let (told, found) = (reach.clocks_of(blocks, true), one_by_one(&reach, blocks));
                assert!((told - found).abs() < 1e-6, "{blocks} blocks, {resident}: {told} and {found}");
                assert!(reach.share(blocks, true) <= reach.share(blocks, false), "{blocks} blocks");
                assert!(reach.share(blocks, false) <= 1.0 + 1e-9, "{blocks} blocks");
            }
            // Complete iterations of all lose nothing; with one additional block all wait for one.
            assert!((reach.share(5 * 32, false) - 1.0).abs() < 1e-9);
            assert!(reach.share(5 * 32 + 1, false) < 0.82);
        }
    }
}

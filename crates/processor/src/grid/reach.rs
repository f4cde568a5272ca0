//! How much of the multiprocessors' bound messages of a length can reach: what is lost to turns that are not whole, and to
//! the filling of shared memory before the first.
//!
//! It is a model of static counts, and above any time: latency, memory beside the shared one and the launch itself are
//! not in it. Blocks of threads lie evenly on multiprocessors, the first turn of each before the second of any, as
//! the kernels take their text.

use aesmith_cipher::mode::Role;
use aesmith_isa::grid::GridProgram;

use super::certificate::ProvedGrid;
use super::machine::{Call, run};
use super::occupancy::Needs;
use super::{Architecture, Counted, Grids};

/// Units of a multiprocessor: shared memory first, as in [`Counted::units`].
const UNITS: usize = 4;

/// What a kernel takes of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// Blocks of text that a warp takes in a turn.
    pub of_a_warp: u64,
    /// Blocks of text that a block of threads takes in a turn.
    pub of_a_turn: u64,
    /// Clocks of each unit for a block of text.
    pub clocks: [f64; UNITS],
    /// Clocks of each unit for the filling of a block's shared memory.
    pub filling: [f64; UNITS],
    /// Blocks of threads that a multiprocessor holds.
    pub resident: u64,
    /// Multiprocessors.
    pub multiprocessors: u64,
}

impl Reach {
    /// What a proved kernel takes on an architecture's device, by its counts there.
    ///
    /// # Errors
    /// The interpreter cannot execute it, or a multiprocessor holds no block of it.
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
        Ok(Reach {
            of_a_warp: u64::from(warp.min(proof.threads)) * u64::from(proof.a_turn),
            of_a_turn: u64::from(proof.threads) * u64::from(proof.a_turn),
            clocks: counted.units(architecture).map(|unit| unit.clocks),
            filling: [rounds / f64::from(architecture.shared), 0.0, 0.0, 0.0],
            resident: resident.into(),
            multiprocessors: architecture.device.multiprocessors.into(),
        })
    }

    /// Clocks that the busiest multiprocessor takes at least for a message of so many blocks of text.
    pub fn clocks_of(&self, blocks: u64, with_filling: bool) -> f64 {
        let (whole, rest) = (blocks / self.of_a_turn, blocks % self.of_a_turn);
        // Whole turns of the busiest multiprocessor, and the one that is not whole, which the next multiprocessor takes.
        let most = whole.div_ceil(self.multiprocessors) * self.of_a_turn;
        let rest = rest.next_multiple_of(self.of_a_warp);
        let text = most.max(whole / self.multiprocessors * self.of_a_turn + rest);
        let turns = blocks.div_ceil(self.of_a_turn);
        let filled = turns.div_ceil(self.multiprocessors).min(self.resident);
        let of_unit = |unit: usize| {
            let filling = if with_filling { filled as f64 * self.filling[unit] } else { 0.0 };
            filling + text as f64 * self.clocks[unit]
        };
        (0..UNITS).map(of_unit).fold(0.0, f64::max)
    }

    /// The part of the multiprocessors' bound that such a message can reach.
    pub fn share(&self, blocks: u64, with_filling: bool) -> f64 {
        let bound = self.clocks.into_iter().fold(0.0, f64::max) * blocks as f64;
        let taken = self.clocks_of(blocks, with_filling) * self.multiprocessors as f64;
        if taken > 0.0 { bound / taken } else { 0.0 }
    }
}

/// Rounds of shared memory that a block of threads takes before its first turn: those of a launch that finds no text.
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

    /// Blocks of threads take their turns one after another, and each finds its multiprocessor.
    fn one_by_one(reach: &Reach, blocks: u64) -> f64 {
        let mut text = vec![0; reach.multiprocessors as usize];
        let mut turns = vec![0; reach.multiprocessors as usize];
        let (mut left, mut turn) = (blocks, 0);
        while left > 0 {
            let taken = left.min(reach.of_a_turn);
            // The grid has as many blocks of threads as all multiprocessors hold; the block's number says which it is.
            let block = turn % (reach.resident * reach.multiprocessors);
            let here = (block % reach.multiprocessors) as usize;
            text[here] += taken.div_ceil(reach.of_a_warp) * reach.of_a_warp;
            turns[here] += 1;
            (left, turn) = (left - taken, turn + 1);
        }
        let clocks = |(text, turns): (&u64, &u64)| {
            let filled = (*turns).min(reach.resident) as f64;
            let of_unit = |unit: usize| filled * reach.filling[unit] + *text as f64 * reach.clocks[unit];
            (0..UNITS).map(of_unit).fold(0.0, f64::max)
        };
        text.iter().zip(&turns).map(clocks).fold(0.0, f64::max)
    }

    #[test]
    fn the_busiest_multiprocessor_decides() {
        for (resident, clocks) in [(1, [4.25, 3.5, 0.1, 2.9]), (3, [1.0, 6.0, 0.0, 2.0])] {
            let reach = Reach {
                of_a_warp: 8,
                of_a_turn: 32,
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
            // Whole turns of all lose nothing, and one block more has them all wait for one.
            assert!((reach.share(5 * 32, false) - 1.0).abs() < 1e-9);
            assert!(reach.share(5 * 32 + 1, false) < 0.82);
        }
    }
}

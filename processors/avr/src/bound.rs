//! Lower bounds on the cycles of kernels with these dataflows: one instruction executes at a time, so a bound is a
//! sum.

use crate::dimensions;
use aesmith_cipher::problem::{Direction, Task};

use aesmith_arrange::Variant;

use aesmith_isa::timing::Timing;

/// The bound for a variant, in cycles, with the reasoning.
pub fn bound(variant: &Variant, timing: &Timing) -> Option<(f64, &'static str)> {
    let key = variant.problem.key;
    let rounds = key.rounds() as f64;
    let cycles = |class: &str| f64::from(timing.cycles(class));
    let (add, load, store) = (cycles("alu"), cycles("load"), cycles("store"));
    let look_up = if variant.is(dimensions::Sbox::Flash) { cycles("program") } else { load };
    let doubling = match variant.choice()? {
        dimensions::Doubling::Table => load,
        // A shift; then either a taken branch over the addition, or a branch that is not taken and the addition.
        dimensions::Doubling::Branch => add + cycles("branch") + add,
        // A shift; the carry is spread over a byte, masked and added.
        dimensions::Doubling::Mask => 4.0 * add,
    };
    // Round key bytes are loaded and added, bytes are looked up, columns are mixed.
    let keys = 16.0 * (rounds + 1.0) * (load + add);
    let columns = 4.0 * (rounds - 1.0) * (8.0 * add + 3.0 * doubling);
    let block = keys + 16.0 * rounds * look_up + columns;
    match variant.problem.task {
        Task::Ecb(_) if variant.is(dimensions::Schedule::Before) => Some((
            // Loads and stores of the text, and the return.
            block + 16.0 * (load + store) + cycles("return"),
            "each byte of a round key is loaded and added, each byte looked up, and a column \
             mixed by at least 8 additions (the least of any 4 x 4 MDS matrix: Duval and Leurent, ToSC \
             2018) and 3 doublings (the doubled sums have rank 3); text loaded and stored, and ret; no \
             move, no saved register, no index formed",
        )),
        Task::KeySchedule(Direction::Encrypt) => {
            let bytes = 16.0 * (rounds + 1.0);
            let given = key.bytes() as f64;
            let groups = ((bytes - given) / given).ceil();
            let substituted = 4.0 * groups * if key.bytes() == 32 { 2.0 } else { 1.0 }
                - if key.bytes() == 32 { 4.0 } else { 0.0 };
            Some((
                load * given
                    + store * bytes
                    + add * (bytes - given)
                    + substituted * look_up
                    + add * groups
                    + cycles("return"),
                "the key is loaded and all round keys stored, each new byte is one addition, \
                 each byte of the S-box a look-up, each round constant an addition; and ret",
            ))
        }
        _ => None,
    }
}

//! Cycles below which no kernel of these dataflows can run: there is one instruction at a time, so a
//! bound is a sum.

use aesmith_cipher::problem::{Direction, Task};

use aesmith_arrange::choices::Variant;

/// Of a variant, with the reasoning.
pub fn bound(variant: &Variant) -> Option<(f64, &'static str)> {
    let key = variant.problem.key;
    let rounds = key.rounds() as f64;
    let look_up = if variant.is("sbox", "flash") { 3.0 } else { 2.0 };
    let doubling = match variant.get("doubling") {
        "table" => 2.0,
        "branch" => 3.0,
        _ => 4.0,
    };
    // Round keys' bytes are loaded and added, bytes looked up, columns mixed.
    let block =
        16.0 * (rounds + 1.0) * 3.0 + 16.0 * rounds * look_up + 4.0 * (rounds - 1.0) * (8.0 + 3.0 * doubling);
    match variant.problem.task {
        Task::Ecb(_) if variant.is("schedule", "before") => Some((
            // The text in and out, and the return.
            block + 64.0 + 4.0,
            "each byte of a round key is loaded (2) and added (1), each byte looked up, and a column \
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
                2.0 * (given + bytes) + (bytes - given) + substituted * look_up + groups + 4.0,
                "the key is loaded and all round keys stored (2 a byte), each new byte is one addition, \
                 each byte of the S-box a look-up, each round constant an addition; and ret",
            ))
        }
        _ => None,
    }
}

//! The SCARV core, the five-stage one on which Marshall et al. (TCHES 2021(1)) measured their instructions,
//! according to its public RTL, and the overhead that their measurement counts around a function.
//!
//! Sources: github.com/scarv/scarv-cpu, `rtl/core/frv_pipeline.v` (hazards), `frv_pipeline_writeback` (jumps),
//! `frv_pipeline_fetch` and `frv_core_fetch_buffer` (refill); memories respond in the next cycle.
//!
//! | stage | cycle | relevant events |
//! |---|---|---|
//! | decode | 0 | operands are read, or forwarded from the next three stages |
//! | execute | 1 | arithmetic and AES: the result is forwarded |
//! | memory | 2 | the request of a load |
//! | write-back | 3 | a load's value, written to the registers and not forwarded; the jump |
//! | | 4 | the word at the target is requested |
//! | | 5 | it arrives in the fetch buffer |
//! | decode | 6 | the instruction there |

use aesmith_isa::timing::{Timing, class};

use super::cycles::CORE;

/// The sources of its figures.
const LOADS: &str = "rtl/core/frv_pipeline_writeback: loads, written and not forwarded";
const JUMPS: &str = "rtl/core/frv_pipeline_writeback, frv_pipeline_fetch: jumps and the refill after them";

/// A load's result is available after four cycles; a taken jump costs six.
pub(crate) static SCARV: Timing = Timing {
    source: "modelled: the SCARV core's public RTL (github.com/scarv/scarv-cpu, rtl/core), memories of one cycle; multiplication and division, which AES does not use, as of one cycle",
    classes: &[
        class("load", 1, 4, LOADS),
        class("loadb", 1, 4, LOADS),
        class("branch", 1, 1, JUMPS).taken(5),
        class("jal", 6, 6, JUMPS),
        class("jalr", 6, 6, JUMPS),
    ],
    ..CORE
};

/// The instructions counted around a function when its cycles are measured as in github.com/riscv/riscv-crypto
/// (`benchmarks/share/test.c`: a function reads the upper, the lower and again the upper half of the counter,
/// and compares), compiled by GCC 12 at -O3, with their cycles by the same rules.
const AROUND: [(&str, u64); 8] = [
    ("the counter's lower half is read", 1),
    ("its upper half is read again, and waited for as a load is", 4),
    ("the halves are compared", 1),
    ("return", 6),
    ("the count is put aside, arguments are set", 5),
    ("call of the function", 6),
    ("call of the function that reads the counter", 6),
    ("the counter's upper half is read, then the lower", 1),
];

/// The cycles that this measurement shows for a function that takes `cycles` cycles, including its return.
pub fn measured(cycles: u64) -> u64 {
    cycles + AROUND.iter().map(|(_, n)| n).sum::<u64>()
}

//! The kernels to be checked, and their figures.

use aesmith_arrange::Variant;
use aesmith_cipher::KeySize;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_processor::trial::built;
use aesmith_processor::trial::kernels::{Checks, core, steady, thirds, variants};

use super::CORES;
use super::dimensions::{Memory, Rounds, Sbox, Technique};

/// True for kernels without look-ups. Key schedules look up bytes of the key, unless their S-box is a circuit.
fn gates(v: &Variant) -> bool {
    is_bitsliced(v) || v.is(Sbox::Circuit)
}

fn is_bitsliced(v: &Variant) -> bool {
    v.is(Technique::Bitsliced) && v.problem.is_message()
}

/// True if a kernel differs from those of another processor: for ordering, the Cortex-M4 and M0+ use the timings of the M3 and
/// M0, so only the M4's kernels with byte lanes remain. The memory of a table changes only its address: one key size suffices.
fn is_own(core: &Core, v: &Variant) -> bool {
    core.name != "cortex-m0plus"
        && (core.name != "cortex-m4" || v.is(Technique::Bytewise))
        && (!v.is(Memory::Flash) || v.problem.key == KeySize::Aes128)
}

/// True if a kernel is proved. Rounds of slices are equal on all processors. The circuits of two counters in 33 cases take the
/// prover ten seconds, so one kernel of each mode is proved. Key sizes differ only in the number of rounds.
fn is_proved(core: &Core, v: &Variant) -> bool {
    let (has_iv, is_short) = (v.problem.has_iv(), v.problem.key == KeySize::Aes128);
    let is_v6m = core.name.starts_with("cortex-m0");
    let is_first = is_v6m || core.name == CORES[0].name;
    !is_bitsliced(v) || is_first && (!has_iv || is_short && (is_v6m || v.is(Rounds::Looped)))
}

#[test]
fn kernels_are_right_and_proved() {
    for core in CORES {
        let (own, others): (Vec<_>, Vec<_>) = thirds(core).into_iter().partition(|v| is_own(core, v));
        let (proved, unproved): (Vec<_>, Vec<_>) = own.into_iter().partition(|v| is_proved(core, v));
        let checks = Checks {
            bounded: false,
            stack_proved: true,
            constant: |v| Some(gates(v)),
            judged: 1,
            judged_calls: 40,
            same_stack: true,
            ..Checks::PROVED
        };
        checks.of(core, &proved);
        Checks { proved: 0, ..checks }.of(core, &unproved);
        Checks { proved: 0, judged: 0, ..checks }.of(core, &others);
    }
}

/// Constant time where it is claimed: the same number of cycles for each of a thousand keys and texts.
#[test]
fn slices_take_the_same_time_for_all_data() {
    let core = &CORES[0];
    for v in thirds(core).iter().filter(|v| gates(v) && !v.problem.has_iv() && v.is(Rounds::Looped)) {
        if built(core, v).is_ok_and(|kernel| kernel.contract.blocks == 2) {
            let count = if v.problem.key == KeySize::Aes128 { 1000 } else { 20 };
            steady(core, v, &Interpreter::new(core), count);
        }
    }
}

/// The published kernel with byte look-ups in a loop (github.com/jnk0le/cortexm-AES) takes 838 cycles by the
/// same rules, and 472 bytes plus its S-box.
#[test]
fn a_loop_of_bytes_is_shorter_and_faster_than_published_code() {
    let core = core(CORES, "cortex-m4");
    for (tail, cycles, flash) in [("own", 836, 464), ("shared", 841, 336)] {
        let text = format!("aes128-ecb technique=bytewise rounds=looped tail={tail} memory=flash seed=1");
        let variant = &variants(core, &[&text])[0];
        let answer = steady(core, variant, &Interpreter::new(core), 1);
        let kernel = built(core, variant).unwrap();
        assert_eq!((answer.cycles, kernel.flash((core.isa)()) - 256), (Some(cycles), flash));
    }
}

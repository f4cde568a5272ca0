//! Accesses of words at odd addresses have the same effect in the interpreter as on the named processor.

use aesmith_processor::cost::{BuiltKernel, LIMIT};
use aesmith_processor::interpreter::Interpreter;

/// Cycles of a call of the first kernel of a processor, with its input `behind` bytes after a multiple of 16.
fn called(processor: &str, behind: u32) -> Result<u64, String> {
    let core = aesmith_processors::core(processor).unwrap();
    let all = core.table.all("aes128-ecb".parse().unwrap());
    let kernel = all.iter().find_map(|variant| (core.build)(variant).ok()).unwrap();
    let made = BuiltKernel::new(core, kernel).unwrap();
    let (_, mut call) = made.timed(1).swap_remove(0);
    call.arguments[1] += behind;
    let trace = Interpreter::new(core).trace(&made.image, made.function, &call, LIMIT)?;
    Ok(trace.answer.unwrap().cycles.unwrap())
}

#[test]
fn words_at_odd_addresses_fault_where_the_processor_faults() {
    for (processor, what) in [
        ("cortex-m0", "HardFault"),
        ("cortex-m0plus", "HardFault"),
        ("arm7tdmi", "rotates the word"),
        ("rv32i", "may be a trap"),
        ("picorv32", "may be a trap"),
        ("fe310", "may be a trap"),
        ("microblaze-5", "drops the lowest bits"),
        ("ultrasparc3", "is a trap"),
    ] {
        assert!(called(processor, 0).is_ok() && called(processor, 16).is_ok(), "{processor}");
        let why = called(processor, 1).expect_err(processor);
        assert!(why.contains(what) && why.contains(processor), "{why}");
    }
}

#[test]
fn words_at_odd_addresses_are_read_where_the_processor_reads_them() {
    for processor in ["ibex", "ppc7410", "core2", "avr"] {
        assert!(called(processor, 1).is_ok(), "{processor}: {:?}", called(processor, 1));
    }
}

//! Counts on processors whose instructions stand in a table: in the interpreter, by the effects in each row.

use super::{Classes, Executed};
use crate::error::TuneError;
use aesmith_isa::execute::Executed as Executes;
use aesmith_processor::core::Core;
use aesmith_processor::cost::{BuiltKernel, LIMIT};
use aesmith_processor::interpreter::Interpreter;

/// Counts the instructions of a kernel for another processor in the interpreter of its table: per additional
/// block of a long message, or per call for key schedules.
///
/// # Errors
/// The kernel does not run to its end.
pub fn executed_on(core: &'static Core, made: &BuiltKernel) -> Result<Executed, TuneError> {
    let problem = made.kernel.contract.problem;
    let mut counts = Vec::new();
    for (blocks, call) in made.timed(1) {
        let mut classes = Classes::default();
        let mut see = |executed: &Executes, _, _| classes += class_of(executed);
        Interpreter::new(core)
            .watched(&made.image, made.function, &call, LIMIT, &mut see)
            .map_err(|why| TuneError::Unsupported(format!("the kernel stops in the interpreter: {why}")))?;
        counts.push((blocks as f64, classes));
    }
    let steady = match *counts.as_slice() {
        [(short, before), (long, after)] => (after - before).divided(long - short),
        [(blocks, all)] if problem.is_message() => all.divided(blocks),
        [(_, all)] => all,
        _ => return Err(TuneError::Unsupported(format!("{problem} is called with no message"))),
    };
    Ok(Executed { problem: problem.to_string(), steady, at_4096: None })
}

/// The class of an instruction by its reads and writes. A load of the program counter is a branch.
fn class_of(executed: &Executes) -> Classes {
    let row = executed.isa.of(executed.insn);
    let mut classes = Classes { instructions: 1.0, ..Classes::default() };
    // An instruction that computes with a loaded value sets flags by the result; a pure load sets none.
    let is_flag = |&r: &u8| executed.isa.about.registers[usize::from(r)].1 == 1;
    let computes = row.effects.loads && row.effects.writes.iter().any(is_flag);
    if computes && !row.effects.stores && !row.effects.jumps {
        classes.combined = 1.0;
    }
    let class = if row.class.starts_with("custom ") || row.name.starts_with("aes") {
        &mut classes.aes
    } else if row.effects.jumps || executed.jumped {
        &mut classes.branches
    } else if row.effects.stores {
        &mut classes.stores
    } else if row.effects.loads && !computes {
        &mut classes.loads
    } else if row.steps.is_empty() {
        &mut classes.other
    } else {
        &mut classes.integer
    };
    *class = 1.0;
    classes
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_cipher::Problem;

    /// Every block needs a minimum of work, on any processor.
    #[test]
    fn kernels_of_other_processors_are_counted_by_class() {
        for core in aesmith_processors::cores() {
            for problem in ["aes128-ecb", "aes128-ctr"] {
                let problem: Problem = problem.parse().unwrap();
                let plain = core.table.plain(problem);
                let Ok(kernel) = (core.build)(&plain) else { continue };
                let made = BuiltKernel::new(core, kernel).unwrap();
                let steady = executed_on(core, &made).unwrap().steady;
                let sum: f64 = steady.rows().iter().map(|(_, n)| n).sum();
                assert!((sum - steady.instructions).abs() < 1e-6, "{}: {steady:?}", core.name);
                let some = [steady.loads, steady.stores, steady.branches];
                assert!(some.iter().all(|&n| n > 0.0), "{} {problem}: {steady:?}", core.name);
            }
        }
    }
}

//! Proves a kernel and gives it the exam in an independent judge; the certificate records both. A kernel
//! without a certificate is neither stored as a winner nor delivered.

use aesmith_judge::judge::ExactJudge;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_prove::bits::Proof;

use crate::exam::{Exam, Marks, Spread};
use aesmith_processor::certificate::{Certificate, FORMAT, in_registers};
use aesmith_processor::cost::{BuiltKernel, Cost};
use aesmith_processor::timing::{self, class};

/// Seed of the random part of the exam.
const SEED: u64 = 197;

/// The judge that confirms kernels of a processor: the first that is present. Otherwise the messages of the
/// missing judges.
pub fn judge_of(core: &Core) -> Result<Box<dyn ExactJudge>, String> {
    let mut missing = Vec::new();
    for judge in (core.judges)() {
        match judge.present() {
            Ok(()) => return Ok(judge),
            Err(why) => missing.push(format!("{}: {why}", judge.name())),
        }
    }
    Err(match missing.as_slice() {
        [] => format!("{} has no independent judge", core.name),
        _ => missing.join("; "),
    })
}

/// Gives a proved kernel the exam.
pub fn confirm(
    core: &'static Core,
    made: &BuiltKernel,
    cost: Cost,
    proof: Proof,
) -> Result<Certificate, String> {
    examined(core, made, cost, proof, &Exam::new(&made.layout, made.kernel.contract, SEED))
}

/// Gives a proved kernel the exam without the chain, with vectors and random data only, for slow judges.
pub fn confirm_briefly(
    core: &'static Core,
    made: &BuiltKernel,
    cost: Cost,
    proof: Proof,
) -> Result<Certificate, String> {
    examined(core, made, cost, proof, &Exam::without_chain(&made.layout, made.kernel.contract, SEED))
}

/// Mean, least and most cycles of a block or key, where they depend on data.
fn uneven(made: &BuiltKernel, judge: &dyn ExactJudge, spread: Spread) -> Result<(f64, [f64; 2]), String> {
    let contract = made.kernel.contract;
    if !contract.counts_blocks() {
        let (mean, _) = made.per_block(&[(usize::from(contract.blocks.max(1)), spread.mean)]);
        let per = mean / spread.mean;
        return Ok((mean, [spread.least as f64 * per, spread.most as f64 * per]));
    }
    let (blocks, calls) = Exam::shorter(&made.layout, contract, SEED);
    let answers = judge.answer(&made.question(calls))?;
    let cycles: Option<Vec<u64>> = answers.iter().map(|answer| answer.cycles).collect();
    let shorter = cycles.as_deref().and_then(Spread::of);
    let shorter = shorter.ok_or_else(|| format!("{} counts no cycles", judge.name()))?;
    let long = made.layout.most;
    let (mean, once) = made.per_block(&[(blocks, shorter.mean), (long, spread.mean)]);
    Ok((mean, [spread.least, spread.most].map(|cycles| (cycles as f64 - once) / long as f64)))
}

fn examined(
    core: &'static Core,
    made: &BuiltKernel,
    cost: Cost,
    proof: Proof,
    exam: &Exam,
) -> Result<Certificate, String> {
    let mut notes = Vec::new();
    let (judge, independent): (Box<dyn ExactJudge>, bool) = match judge_of(core) {
        Ok(judge) => (judge, true),
        Err(missing) => {
            notes.push(format!("tested by our own interpreter only: {missing}"));
            (Box::new(Interpreter::new(core)), false)
        }
    };
    let marks = judge
        .answer(&made.question(exam.calls()))
        .and_then(|answers| exam.mark(&answers))
        .map_err(|e| format!("{} refuses it: {e}", judge.name()))?;
    let Marks { calls, same_cycles, spread, stack } = marks;
    if let Some(seen) = stack
        && seen > cost.stack
    {
        return Err(format!(
            "{} saw {seen} bytes of stack in use, and {} are stated",
            judge.name(),
            cost.stack
        ));
    }
    if proof.constant_time && same_cycles == Some(false) {
        return Err(format!(
            "{} counts different cycles for different data, and its time is proved not to depend on them: \
             the machine has a timing that its table does not know of",
            judge.name()
        ));
    }
    let counts = independent && judge.counts_cycles();
    let (judged, range) = match spread.filter(|_| same_cycles == Some(false)) {
        _ if !counts => (None, None),
        None => (Some(made.judged(&*judge)?.0), None),
        Some(spread) => {
            let (mean, range) = uneven(made, &*judge, spread)?;
            notes.push(format!(
                "{} counts from {:.0} to {:.0} cycles over random data, {mean:.1} in the mean",
                judge.name(),
                range[0],
                range[1]
            ));
            (Some(mean), Some(range))
        }
    };
    if let Some(cycles) = judged
        && (cycles - cost.cycles).abs() > 0.005
    {
        let percent = (cost.cycles / cycles - 1.0) * 100.0;
        notes.push(format!(
            "the machine model says {:.1} cycles, {} {cycles:.1}: the model is {percent:+.2} % off",
            cost.cycles,
            judge.name()
        ));
    }
    if !counts && independent {
        notes.push(format!("{} are modelled: {} counts none", core.timing.unit, judge.name()));
    }
    let kernel = &made.kernel;
    Ok(Certificate {
        format: FORMAT,
        level: "proved".into(),
        class: class(core, &proof).into(),
        constant_time: timing::about(core, &proof),
        tool_version: env!("CARGO_PKG_VERSION").into(),
        processor: core.name.into(),
        problem: kernel.variant.problem.to_string(),
        variant: kernel.variant.to_string(),
        symbol: kernel.symbol.clone(),
        sha256: made.sha256.clone(),
        convention: core.convention.source.into(),
        proof,
        cost,
        model: core.model_about.into(),
        judge: judge.name(),
        independent,
        tested_calls: calls as u64,
        judged_cycles: judged,
        judged_range: range,
        same_cycles: if counts { same_cycles } else { None },
        judged_stack: stack.filter(|_| independent),
        notes,
        in_registers: in_registers(core, made)?,
    })
}

//! The exact judge of a processor gives a proved kernel the exam, and counts its cycles; the certificate records proof and exam.
//! A kernel without a certificate is neither stored as a winner nor delivered.

use aesmith_cipher::firmware::Firmware;
use aesmith_judge::judge::{Emulator, Finding, Instrument, Judge, Kind, Outcome, Refusal, Trial};
use aesmith_processor::calls::Layout;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_prove::bits::Proof;
use std::convert::Infallible;

use crate::evaluate::exam::{Exam, Marks, Spread};
use aesmith_processor::bits_certificate::{BitsCertificate, FORMAT, in_registers, proved};
use aesmith_processor::cost::{BuiltKernel, Cost};
use aesmith_processor::timing::{self, Timing, class};

/// Seed of the random part of the exam.
const SEED: u64 = 197;

/// The judge that confirms kernels of a processor: the first that is present. Otherwise the messages of the
/// missing judges.
pub fn judge_of(core: &Core) -> Result<Box<dyn Emulator>, String> {
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

/// The exact judge of a processor: each kernel takes the exam, and its cycles are counted per block or key if the emulator
/// counts any.
pub struct Examiner {
    emulator: Box<dyn Emulator>,
    /// The reason why our own interpreter takes the place of an independent emulator.
    missing: Option<String>,
    /// The part of the exam.
    exam: fn(&Layout, Firmware, u64) -> Exam,
}

/// The facts of a kernel by its exam.
#[derive(Clone, Debug, PartialEq)]
pub struct Examined {
    /// The result of the exam.
    pub marks: Marks,
    /// Least and most cycles, if they depend on data.
    pub range: Option<[f64; 2]>,
}

impl Examiner {
    /// The judge with the whole exam.
    pub fn new(core: &'static Core) -> Examiner {
        Examiner::by(core, Exam::new)
    }

    /// The judge without the chain, with vectors and random data only, for slow emulators.
    pub fn brief(core: &'static Core) -> Examiner {
        Examiner::by(core, Exam::without_chain)
    }

    fn by(core: &'static Core, exam: fn(&Layout, Firmware, u64) -> Exam) -> Examiner {
        let (emulator, missing): (Box<dyn Emulator>, _) = match judge_of(core) {
            Ok(emulator) => (emulator, None),
            Err(missing) => (Box::new(Interpreter::new(core)), Some(missing)),
        };
        Examiner { emulator, missing, exam }
    }

    /// True if it is an emulator other than our own interpreter.
    pub(crate) fn is_independent(&self) -> bool {
        self.missing.is_none()
    }

    fn examine(&self, made: &BuiltKernel) -> Result<Finding<Examined>, String> {
        let emulator = &*self.emulator;
        let exam = (self.exam)(&made.layout, made.kernel.contract, SEED);
        let answers = emulator.answer(&made.question(exam.calls()));
        let marks = answers.and_then(|answers| exam.mark(&answers));
        let marks = marks.map_err(|e| format!("{} refuses it: {e}", emulator.name()))?;
        let (cost, range) = match marks.spread.filter(|_| marks.same_cycles == Some(false)) {
            _ if !self.counts_cycles() => (None, None),
            None => (Some(made.judged(emulator)?.0), None),
            Some(spread) => {
                let (mean, range) = uneven(made, emulator, spread)?;
                (Some(mean), Some(range))
            }
        };
        Ok(Finding { cost, ..Finding::of(0.0, Examined { marks, range }) })
    }
}

impl Instrument for Examiner {
    fn name(&self) -> String {
        self.emulator.name()
    }

    fn beneath(&self) -> Option<&dyn Instrument> {
        Some(&*self.emulator)
    }

    fn kind(&self) -> Kind {
        if self.is_independent() { self.emulator.kind() } else { Kind::Static }
    }
}

impl Judge for Examiner {
    type Kernel = BuiltKernel;
    type Facts = Examined;
    type Error = Infallible;

    fn measure(&mut self, trials: &[Trial<'_, BuiltKernel>]) -> Result<Vec<Outcome<Examined>>, Infallible> {
        Ok(trials.iter().map(|trial| self.examine(trial.kernel).map_err(Refusal::from)).collect())
    }
}

/// Mean, least and most cycles of a block or key, where they depend on data.
fn uneven(made: &BuiltKernel, judge: &dyn Emulator, spread: Spread) -> Result<(f64, [f64; 2]), String> {
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

/// Proves a kernel, and confirms it by a judge, whatever its timing.
///
/// # Errors
/// Its proof or its judge refuses it.
pub fn certify(
    core: &'static Core,
    judge: &mut Examiner,
    made: &BuiltKernel,
    cost: Cost,
) -> Result<BitsCertificate, String> {
    confirm(core, judge, made, cost, proved(core, made)?)
}

/// Reasons why a kernel has no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Uncertified {
    /// Its time is proved to depend on secrets in a way that is not allowed.
    Inadmissible,
    /// Its proof or its judge refuses it, with a sentence.
    Refused(String),
}

/// Proves a kernel, and confirms it by a judge if its time is allowed.
///
/// # Errors
/// See `Uncertified`.
pub(crate) fn certified(
    core: &'static Core,
    judge: &mut Examiner,
    made: &BuiltKernel,
    cost: Cost,
    timing: Timing,
) -> Result<BitsCertificate, Uncertified> {
    let proof = proved(core, made).map_err(Uncertified::Refused)?;
    if !timing.admits(core, &proof) {
        return Err(Uncertified::Inadmissible);
    }
    confirm(core, judge, made, cost, proof).map_err(Uncertified::Refused)
}

/// The certificate of a proved kernel by its judge.
///
/// # Errors
/// The judge refuses the kernel, or contradicts its proof or its costs.
fn confirm(
    core: &'static Core,
    judge: &mut Examiner,
    made: &BuiltKernel,
    cost: Cost,
    proof: Proof,
) -> Result<BitsCertificate, String> {
    let Ok(outcome) = judge.measure_one(made);
    let Finding { cost: judged, facts: Examined { marks, range }, .. } =
        outcome.map_err(|refusal| refusal.why)?;
    let Marks { calls, same_cycles, stack, .. } = marks;
    let name = judge.name();
    if let Some(seen) = stack
        && seen > cost.stack
    {
        return Err(format!("{name} saw {seen} bytes of stack in use, and {} are stated", cost.stack));
    }
    if proof.constant_time && same_cycles == Some(false) {
        return Err(format!(
            "{name} counts different cycles for different data, and its time is proved not to depend on them: \
             the machine has a timing that its table does not know of"
        ));
    }
    let (independent, counts) = (judge.is_independent(), judge.counts_cycles());
    let mut notes = Vec::new();
    if let Some(missing) = &judge.missing {
        notes.push(format!("tested by our own interpreter only: {missing}"));
    }
    if let (Some(mean), Some([least, most])) = (judged, range) {
        notes.push(format!(
            "{name} counts from {least:.0} to {most:.0} cycles over random data, {mean:.1} in the mean"
        ));
    }
    if let Some(cycles) = judged
        && (cycles - cost.cycles).abs() > 0.005
    {
        let percent = (cost.cycles / cycles - 1.0) * 100.0;
        notes.push(format!(
            "the machine model says {:.1} cycles, {name} {cycles:.1}: the model is {percent:+.2} % off",
            cost.cycles
        ));
    }
    if !counts && independent {
        notes.push(format!("{} are modelled: {name} counts none", core.timing.unit));
    }
    let kernel = &made.kernel;
    Ok(BitsCertificate {
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
        judge: name,
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

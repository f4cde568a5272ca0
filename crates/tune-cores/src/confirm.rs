//! A kernel is proved, then takes the exam in an independent judge; what comes of both is its
//! certificate. Nothing is stored as a winner or handed out without.

use aesmith_judge::judge::Judge;
use aesmith_processor::core::Core;
use aesmith_processor::interpreter::Interpreter;
use aesmith_prove_cores::{Proof, prove};
use serde::{Deserialize, Serialize};

use crate::cost::{Cost, Made};
use crate::exam::{Exam, FULL, Marks};
use crate::timing::{self, class};

/// Seed of the exam's random part.
const SEED: u64 = 197;

/// What is proved and tested of one kernel's bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// `proved`: the bytes compute the problem for every key and text.
    pub level: String,
    /// The class of its time on its processor: `CT`, or `VT` where it may depend on secrets. Older
    /// versions did not say.
    #[serde(default)]
    pub class: String,
    /// `proved`, or what decides the time: with `constant time` and why that does not matter on its
    /// processor, or with `variable time`.
    pub constant_time: String,
    /// The version that proved it.
    pub tool_version: String,
    /// The processor.
    pub processor: String,
    /// The problem.
    pub problem: String,
    /// The variant.
    pub variant: String,
    /// The function's name.
    pub symbol: String,
    /// SHA-256 of the assembled program.
    pub sha256: String,
    /// Its calling convention.
    pub convention: String,
    /// What is proved.
    pub proof: Proof,
    /// Costs by the machine model.
    pub cost: Cost,
    /// What kind of figure the model's cycles are.
    pub model: String,
    /// The independent judge that it was tested in; our interpreter if there is none here.
    pub judge: String,
    /// Whether that judge is independent.
    pub independent: bool,
    /// Calls that the judge answered rightly: vectors, a Monte-Carlo chain, random data.
    pub tested_calls: u64,
    /// Cycles by the judge, as the model's, where it counts them.
    pub judged_cycles: Option<f64>,
    /// Whether calls of equal lengths took equal numbers of cycles, where it counts them.
    pub same_cycles: Option<bool>,
    /// Bytes of stack as the judge saw them, where it does.
    pub judged_stack: Option<u64>,
    /// Sentences on what is missing or differs.
    pub notes: Vec<String>,
}

impl Certificate {
    /// Whether no secret decides an address, a branch or a shift's count.
    pub fn is_constant_time(&self) -> bool {
        self.proof.constant_time
    }

    /// Whether its time may depend on secrets on its processor.
    pub fn is_variable_time(&self) -> bool {
        self.class == "VT"
    }

    /// This certificate with the class and the sentence on its time that this version gives.
    pub fn classed(mut self, core: &Core) -> Certificate {
        self.class = class(core, &self.proof).into();
        self.constant_time = timing::about(core, &self.proof);
        self
    }

    /// Whether it took the full exam, the Monte-Carlo chain too: without, nothing is handed out.
    pub fn in_full(&self) -> bool {
        self.tested_calls >= FULL
    }

    /// Cycles of a block or key: the judge's if it counts, else the model's.
    pub fn cycles(&self) -> f64 {
        self.judged_cycles.unwrap_or(self.cost.cycles)
    }
}

/// Proves a kernel.
pub fn proved(core: &Core, made: &Made) -> Result<Proof, String> {
    let contract = &made.kernel.contract;
    let proof = prove((core.isa)(), core.convention, &made.image, made.function, contract);
    proof.map_err(|refutation| refutation.to_string())
}

/// The judge that confirms kernels of a processor: the first that is present. Without one, the
/// sentences of those that are missing.
pub fn judge_of(core: &Core) -> Result<Box<dyn Judge>, String> {
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
pub fn confirm(core: &'static Core, made: &Made, cost: Cost, proof: Proof) -> Result<Certificate, String> {
    examined(core, made, cost, proof, &Exam::new(&made.layout, made.kernel.contract, SEED))
}

/// The same with vectors and random data alone, for judges that take long.
pub fn confirm_briefly(
    core: &'static Core,
    made: &Made,
    cost: Cost,
    proof: Proof,
) -> Result<Certificate, String> {
    examined(core, made, cost, proof, &Exam::without_chain(&made.layout, made.kernel.contract, SEED))
}

fn examined(
    core: &'static Core,
    made: &Made,
    cost: Cost,
    proof: Proof,
    exam: &Exam,
) -> Result<Certificate, String> {
    let mut notes = Vec::new();
    let (judge, independent): (Box<dyn Judge>, bool) = match judge_of(core) {
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
    let Marks { calls, same_cycles, stack } = marks;
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
    let judged = if counts { Some(made.judged(&*judge)?.0) } else { None };
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
        notes.push(format!("cycles are modelled: {} counts none", judge.name()));
    }
    let kernel = &made.kernel;
    Ok(Certificate {
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
        same_cycles: if counts { same_cycles } else { None },
        judged_stack: stack.filter(|_| independent),
        notes,
    })
}

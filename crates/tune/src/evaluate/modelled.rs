//! Costs of kernels by the measured model of a machine, on any machine: the steady state of the main loop, scheduled ([`Schedule`]).

use std::convert::Infallible;

use aesmith_arrange::Variant;
use aesmith_judge::judge::{Finding, Instrument, Judge, Kind, Outcome as JudgeOutcome, Refusal, Trial};
use aesmith_processor::measured::{Kernel, KnownMachine, MachineModel, Target};
use aesmith_prove::certificate::sha256;
use aesmith_wisdom::Processor;

use crate::anatomy::Anatomy;
use crate::bound::of_variant;
use crate::schedule::Schedule;
use crate::workplace::TOOL_VERSION;

/// Added to the cost for each byte of code, in cycles per byte of text: it decides between kernels of equal loops.
const BYTE: f64 = 1e-9;

/// The machine model as a judge of kernels for messages of one size. Costs are cycles per byte of the main loop, in steady state.
/// Instructions without a timing in the model cost nothing.
#[derive(Clone, Copy, Debug)]
pub struct ModelledMachine<'a> {
    /// CPU features that kernels may use.
    pub target: Target,
    /// The costs of its instructions.
    pub model: &'a MachineModel,
    /// The machine.
    pub known: &'a KnownMachine,
    /// Bytes of a message.
    pub size: usize,
}

impl Instrument for ModelledMachine<'_> {
    fn name(&self) -> String {
        "machine model".into()
    }

    fn kind(&self) -> Kind {
        Kind::Static
    }
}

impl Judge for ModelledMachine<'_> {
    type Kernel = Kernel;
    type Facts = ();
    type Error = Infallible;

    fn measure(&mut self, trials: &[Trial<'_, Kernel>]) -> Result<Vec<JudgeOutcome<()>>, Infallible> {
        let one = |trial: &Trial<'_, Kernel>| {
            let kernel = trial.kernel;
            let unknown =
                || Refusal::from("it has no loop, or instructions in it that the table lacks".to_owned());
            let anatomy = Anatomy::of(kernel).filter(|anatomy| anatomy.bytes > 0).ok_or_else(unknown)?;
            let cycles = Schedule::of(&anatomy, self.model).cycles / anatomy.bytes as f64;
            // Work outside of the loop, such as counters whose first rounds are cached, is in the bound alone.
            let bound = of_variant(self.model, &self.target, &kernel.variant, self.size).unwrap_or(0.0);
            Ok(Finding::of(cycles.max(bound) + BYTE * kernel.bytes.len() as f64, ()))
        };
        Ok(trials.iter().map(one).collect())
    }
}

impl ModelledMachine<'_> {
    /// The machine in the wisdom, apart from CPUs that are measured: its name, the features that kernels may use, and the version
    /// of the program, by which costs may differ.
    pub(crate) fn processor(&self) -> Processor {
        let key = format!("model/{}/{}/{TOOL_VERSION}", self.known.name, self.target.cpu());
        Processor::named(&key, self.known.about)
    }

    /// The modelled cost of a variant in cycles per byte, and the SHA-256 of its code. `None` if it is no kernel here, or has no
    /// modelled cost.
    pub(crate) fn cost(mut self, variant: &Variant) -> Option<(f64, String)> {
        let kernel = self.target.build(variant).ok()?;
        let Ok(outcome) = self.measure_one(&kernel);
        Some((outcome.ok()?.cost?, sha256(&kernel.bytes)))
    }
}

//! The measuring process as a judge of kernels: it times calls of one kind.

use aesmith_judge::judge::{Finding, Instrument, Judge, Kind, Outcome, Refusal, Rounds, Trial};
use aesmith_processor::measured::Kernel;

use crate::fault::{Fault, JudgeError};
use crate::judge::NativeJudge;
use crate::native::{Candidate, Screening, Turns};
use crate::timing::Screen;

/// A judge by calls of one kind. Costs are in cycles per byte; per call for key set-ups.
pub struct Calls<'j> {
    judge: &'j mut NativeJudge,
    /// The calls and the number of samples of a measurement. A duel uses size and kind of the calls alone.
    how: Screening,
}

impl NativeJudge {
    /// A judge by calls of one kind.
    pub fn calls(&mut self, how: Screening) -> Calls<'_> {
        Calls { judge: self, how }
    }
}

fn candidates<'a>(trials: &[Trial<'a, Kernel>]) -> Vec<Candidate<'a>> {
    let candidate = |trial: &Trial<'a, Kernel>| {
        let Trial { kernel, floor } = *trial;
        Candidate { problem: kernel.variant.problem, code: &kernel.bytes, floor }
    };
    trials.iter().map(candidate).collect()
}

fn finding(screen: Screen) -> Finding<Screen> {
    Finding {
        cost: Some(screen.cycles_per_byte()),
        cycles: screen.timing.cycles().collect(),
        ticks: screen.timing.ticks.clone(),
        facts: screen,
    }
}

fn refusal(fault: Fault) -> Refusal {
    Refusal { why: format!("{}: {}", fault.class, fault.detail), in_full: fault.to_string() }
}

impl Instrument for Calls<'_> {
    fn name(&self) -> String {
        self.judge.name()
    }

    fn beneath(&self) -> Option<&dyn Instrument> {
        Some(&*self.judge)
    }

    fn kind(&self) -> Kind {
        Kind::Noisy
    }
}

impl Judge for Calls<'_> {
    type Kernel = Kernel;
    type Facts = Screen;
    type Error = JudgeError;

    fn measure(&mut self, trials: &[Trial<'_, Kernel>]) -> Result<Vec<Outcome<Screen>>, JudgeError> {
        let screened = self.judge.screen(&candidates(trials), &self.how)?;
        Ok(screened.into_iter().map(|screen| screen.map(finding).map_err(refusal)).collect())
    }

    fn duel(
        &mut self,
        trials: &[Trial<'_, Kernel>],
        rounds: usize,
    ) -> Result<Vec<Rounds<Screen>>, JudgeError> {
        let Screening { size, cold, .. } = self.how;
        let duel = self.judge.duel(&candidates(trials), Turns { size, rounds, cold })?;
        let rounds = duel.outcomes.into_iter().map(|outcome| {
            let samples = outcome.map_err(refusal)?;
            let bytes = samples.bytes;
            let screen = |timing| Screen { timing, bytes, turns: 1, cut: false };
            Ok(samples.rounds.into_iter().map(|timing| finding(screen(timing))).collect())
        });
        Ok(rounds.collect())
    }

    fn renew(&mut self) {
        self.judge.renew();
    }
}

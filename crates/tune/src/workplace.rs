//! The resources of a run: the store, this processor with its measured model, the judge, the prover.

use crate::bound::hold_known;
use crate::calibration::machine_model;
use crate::deliver::Delivery;
use crate::deliver::judged::Judged;
use crate::error::TuneError;
use crate::evaluate::record::{Origin, RunSubject, Started, start};
use crate::options::Event;
use crate::request::Request;
use aesmith_arrange::{Table, Variant};
use aesmith_cipher::{Calls, Problem};
use aesmith_native::{Config, NativeJudge};
use aesmith_processor::checked::Verdict;
use aesmith_processor::measured::MachineModel;
use aesmith_processor::measured::{Features, Target};
use aesmith_processors::this_machine;
use aesmith_prove::Prover;
use aesmith_wisdom::{Cpu, Processor, RunId, Store};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The version recorded with all results.
pub const TOOL_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The part of the time until a deadline in which a proof for the checker is looked for: it may take seconds.
const ASKING: f64 = 0.1;

/// Settings of a workplace.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The store's file.
    pub wisdom: PathBuf,
    /// Features that kernels may use; fewer than the machine's if requested.
    pub target: Target,
    /// Features of a lesser CPU to tune for on this one: its results are kept apart.
    pub cpu: Option<Features>,
    /// The kernels that may be delivered.
    pub request: Request,
    /// Seed of keys and messages.
    pub seed: u64,
    /// The program that becomes the judge's worker.
    pub worker: PathBuf,
    /// Folder for reproductions of faults.
    pub quarantine: Option<PathBuf>,
    /// The command line, for the record.
    pub command: String,
    /// True to measure the machine model again even if wisdom has one.
    pub remeasure: bool,
    /// True to work on a copy in memory if the store cannot be written: for work whose results are not
    /// stored.
    pub copy: bool,
}

/// Resources shared by runs.
pub struct Workplace {
    /// The store, for the kind of calls that kernels are compared by.
    pub store: Store,
    /// This processor.
    pub processor: Processor,
    /// Its key in the store.
    pub key: String,
    /// Its measured model.
    pub model: MachineModel,
    /// Runs kernels.
    pub judge: NativeJudge,
    /// Proves kernels.
    pub prover: Prover,
    /// Features that kernels may use.
    pub target: Target,
    /// Its settings.
    pub settings: Settings,
    /// The longest time that a proof for the checker took to find.
    asking: Duration,
    /// True once the observer has been told that the machine is not quiet.
    pub(crate) noise_said: bool,
}

impl Workplace {
    /// Opens the store, starts the judge, and measures the machine if wisdom has no model of it.
    ///
    /// # Errors
    /// No technique can be used with the CPU features, or the store or the judge failed.
    pub fn open(settings: Settings, observer: &mut dyn FnMut(Event)) -> Result<Workplace, TuneError> {
        if settings.target.techniques().next().is_none() {
            return Err(TuneError::without_technique(&settings.target));
        }
        let (store, copied) = match settings.copy {
            true => Store::open_or_copy(&settings.wisdom)?,
            false => (Store::open(&settings.wisdom)?, false),
        };
        if copied {
            observer(Event::Note("wisdom cannot be written: what is measured now is not kept"));
        }
        let mut store = store.about(settings.request.calls);
        let processor = this_processor(settings.cpu);
        let key = store.put_processor(&processor)?;
        let mut judge = judge(&settings, &[])?;
        let (model, noise_said) = machine_model(&mut store, &mut judge, settings.remeasure, observer)?;
        let target = settings.target;
        let prover = (settings.target.processor.prover)();
        let asking = Duration::ZERO;
        let mut place =
            Workplace { store, processor, key, model, judge, prover, target, settings, asking, noise_said };
        hold_known(&mut place, observer)?;
        Ok(place)
    }

    /// Works as on a CPU with only these features: results are stored as that CPU's.
    ///
    /// # Errors
    /// The store failed, or an error of `work`.
    pub fn on_cpu<T>(
        &mut self,
        cpu: Option<Features>,
        work: impl FnOnce(&mut Workplace) -> Result<T, TuneError>,
    ) -> Result<T, TuneError> {
        let Some(features) = cpu else { return work(self) };
        let processor = this_processor(cpu);
        let key = self.store.put_processor(&processor)?;
        let target = self.target.only(features);
        let before = (
            std::mem::replace(&mut self.processor, processor),
            std::mem::replace(&mut self.key, key),
            std::mem::replace(&mut self.target, target),
        );
        let result = work(self);
        (self.processor, self.key, self.target) = before;
        result
    }

    /// The dimensions of kernels for its target.
    pub fn table(&self) -> &'static Table {
        self.target.processor.table
    }

    /// The kind of calls that kernels are compared by, as requested when the store was opened.
    pub fn calls(&self) -> Calls {
        self.store.calls()
    }

    /// A variant that the request admits, proved, with the verdict of the checker of proofs. A proof is looked for if that is
    /// expected to take a small part of the time until a deadline.
    ///
    /// # Errors
    /// See [`Delivery::of_variant`].
    pub(crate) fn judged(&mut self, variant: &Variant, ends: Option<Instant>) -> Result<Judged, TuneError> {
        let kernel = Delivery::of_variant(variant, &self.target, &self.settings.request, &mut self.prover)?;
        let begun = Instant::now();
        let left = ends.map(|ends| ends.saturating_duration_since(begun).mul_f64(ASKING));
        if left.is_some_and(|left| self.asking > left) && kernel.claim().known().is_none() {
            return Ok(Judged { kernel, verdict: Verdict::not_asked() });
        }
        let judged = Judged::new(kernel, &self.settings.wisdom);
        self.asking = self.asking.max(begun.elapsed());
        Ok(judged)
    }

    /// True if the machine is quiet at this moment; if not, the observer is told why, once.
    ///
    /// # Errors
    /// The judge failed.
    pub fn is_quiet(&mut self, observer: &mut dyn FnMut(Event)) -> Result<bool, TuneError> {
        let quiet = self.judge.quiet()?;
        if !quiet.is_quiet() && !self.noise_said {
            self.noise_said = true;
            observer(Event::Note(&quiet.noise()));
        }
        Ok(quiet.is_quiet())
    }

    /// Starts a second judge whose worker has these environment variables.
    ///
    /// # Errors
    /// The judge failed.
    pub fn judge_in(&self, environment: &[(&str, &str)]) -> Result<NativeJudge, TuneError> {
        judge(&self.settings, environment)
    }

    /// Starts a run in the store.
    ///
    /// # Errors
    /// The store failed.
    pub fn start_run(
        &mut self,
        problem: &str,
        size: usize,
        strategy: &str,
        options: &str,
        seed: u64,
    ) -> Result<(RunId, String), TuneError> {
        let message = problem.parse::<Problem>().is_ok_and(|p| p.is_message());
        let subject = RunSubject {
            processor: &self.processor,
            problem: problem.to_owned(),
            size: size as u64,
            judge: "native".into(),
            unit: if message { "cycles per byte" } else { "cycles per key" }.into(),
            calls: self.calls(),
            command: self.settings.command.clone(),
        };
        let origin = Origin { strategy, options, seed, version: TOOL_VERSION };
        let Started { id, key } = start(&mut self.store, subject, origin)?;
        Ok((id, key))
    }
}

fn judge(settings: &Settings, environment: &[(&str, &str)]) -> Result<NativeJudge, TuneError> {
    // Libraries are restricted to the CPU that kernels are for, where possible.
    let withheld = settings.cpu.map_or_else(Vec::new, |cpu| (settings.target.processor.withheld)(cpu));
    let withheld = withheld.into_iter().map(|(name, value)| (name.to_owned(), value));
    let asked = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Ok(NativeJudge::start(Config {
        program: settings.worker.clone(),
        cpu: None,
        seed: settings.seed,
        environment: withheld.chain(asked).collect(),
        quarantine: settings.quarantine.clone(),
        ..Config::default()
    })?)
}

/// This CPU as named in the store, with only these features.
pub fn this_processor(only: Option<Features>) -> Processor {
    let id = (this_machine().here)();
    let here = Target::of(this_machine(), id.features);
    let features = only.map_or(here, |only| here.only(only)).features;
    let requirements = this_machine().requirements;
    // Features of every CPU do not characterize one that has more.
    let named = match features.missing_in(requirements.baseline) {
        beyond if beyond.is_empty() => features,
        beyond => beyond,
    };
    let cpu = Cpu {
        vendor: id.vendor,
        family: id.family.into(),
        model: id.model.into(),
        stepping: id.stepping.into(),
        features: requirements.names(named).map(str::to_owned).collect(),
    };
    cpu.processor(&id.brand)
}

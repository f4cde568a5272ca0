//! A run on the machine model alone: nothing is measured, so that kernels are tuned on any machine for a CPU whose
//! instructions were measured once.
//!
//! The cost of a variant is the steady state of its main loop, scheduled on the model (`crate::schedule`). The run's
//! beginning and end, and the caches, are not in it; a kernel that counts is measured on its CPU.

use std::sync::atomic::Ordering;
use std::time::Instant;

use aesmith_arrange::{Technique, Variant};
use aesmith_judge::judge::Instrument;
use aesmith_prove::Prover;
use aesmith_search::{Evaluate, Found, Outcome, Verdict, kernel_hash};
use aesmith_wisdom::{RunId, Sample, Store, WisdomError};
use serde::Serialize;

use crate::bound::of_variant;
use crate::deliver::Delivery;
use crate::error::TuneError;
use crate::evaluate::Plan;
use crate::evaluate::modelled::ModelledMachine;
use crate::evaluate::record::{self, Origin, RunSubject, command};
use crate::key_life::KeyLife;
use crate::options::{Event, RunRequest};
use crate::request::{Request, within};
use crate::run::begin::{self, Begun, begin};
use crate::run::{Judging, Tuned, run};
use crate::starts::{Patience, fitted_seeds, plainest, recalled};
use crate::workplace::TOOL_VERSION;

/// The most candidates that are shown.
const SHOWN: usize = 12;
/// A variant with its modelled cost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelledVariant {
    /// The variant.
    pub variant: String,
    /// Cycles per byte of its main loop, in steady state.
    pub cycles_per_byte: f64,
}

/// The decision of a run on the machine model.
#[derive(Clone, Debug, Serialize)]
pub struct ModelResult {
    /// Bytes of a message.
    pub size: u64,
    /// The judge.
    pub judge: String,
    /// The CPU of the model.
    pub machine: String,
    /// The restriction of the run in words; empty if none.
    pub restriction: String,
    /// Variants tried.
    pub variants_tried: u64,
    /// Modelled cost of the variant with the least optimization allowed.
    pub baseline_cycles_per_byte: f64,
    /// Modelled cost of the winner.
    pub best_cycles_per_byte: f64,
    /// Lower bound of the model for the winner's dataflow.
    pub bound_cycles_per_byte: Option<f64>,
    /// The best variants, the winner first.
    pub modelled: Vec<ModelledVariant>,
    /// Level of the winner's certificate.
    pub certificate_level: String,
    /// Timing class of the winner, from its proof.
    pub constant_time: String,
    /// The winner's kernel name.
    pub kernel: String,
    /// The winner's variant.
    pub variant: String,
    /// Implementation of its rounds.
    pub technique: String,
    /// The kernel to be packaged.
    #[serde(skip)]
    pub delivery: Delivery,
}

/// Tunes a problem by the model of a machine. Every cost is in the store when this returns, even with an error.
///
/// # Errors
/// See [`TuneError`]; also a key set-up, which has no loop.
pub fn tune_by_model(
    machine: ModelledMachine<'_>,
    (request, wanted): (&Request, &RunRequest),
    (store, prover): (&mut Store, &mut Prover),
    observer: &mut dyn FnMut(Event),
) -> Result<Tuned<ModelResult>, TuneError> {
    let (started, problem) = (Instant::now(), wanted.problem);
    wanted.check()?;
    if !problem.is_message() {
        return Err(TuneError::Usage(format!(
            "{problem} has no loop whose steady state the machine model could schedule: tune it by --judge native"
        )));
    }
    if request.calls.is_cold() {
        return Err(TuneError::Usage(
            "the machine model has the steady state of loops, and none of cold calls: leave --for cold out, or say \
             --judge native"
                .into(),
        ));
    }
    if request.key_life != KeyLife::default() {
        return Err(TuneError::Usage(
            "the machine model has no cost of a key's set-up, on which --key-life bears: leave it out, or say --judge native".into(),
        ));
    }
    let technique = technique(&machine, request, wanted)?;
    let begun = begin(request, wanted, (technique, &machine.target), |_| Ok(Vec::new()))?;
    let name = begin::strategy(wanted)?;
    let (processor, size) = (machine.processor(), wanted.bytes());
    let recalled = match wanted.knows_nothing() {
        true => Vec::new(),
        false => recalled(store, machine.target.processor.table, (&processor.key, problem, size))?,
    };
    if !recalled.is_empty() {
        observer(Event::Note(&format!(
            "{} variants of earlier runs are in wisdom and are not modelled again",
            recalled.len()
        )));
    }
    let subject = RunSubject {
        processor: &processor,
        problem: problem.to_string(),
        size: size as u64,
        judge: machine.name(),
        unit: "cycles per byte".into(),
        calls: request.calls,
        command: command(),
    };
    let options = request.restriction();
    let origin = Origin { strategy: &name, options: &options, seed: wanted.seed, version: TOOL_VERSION };
    let run_id = record::start(store, subject, origin)?.id;
    let modelling = Modelling {
        machine,
        request,
        wanted,
        store,
        run: run_id,
        trial: 0,
        failure: None,
        prover,
        begun,
        recalled,
        name,
    };
    run(modelling, wanted, started, observer)
}

/// The technique with the fastest starting point by the model, of those that wait for no look-up: the model has no latency of loads.
fn technique(
    machine: &ModelledMachine,
    request: &Request,
    wanted: &RunRequest,
) -> Result<Technique, TuneError> {
    let all = request.techniques(&machine.target)?;
    let modelled: Vec<Technique> = all.iter().copied().filter(|t| !t.looks_up_secrets()).collect();
    let cost = |technique: Technique| {
        let space = request.space(wanted.problem, technique, &machine.target, wanted.bytes()).ok()?;
        let starts = fitted_seeds(request, &space, &machine.target).into_iter();
        let starts = starts.chain(plainest(&space, &machine.target, &mut Patience::new()));
        starts.filter_map(|start| Some(machine.cost(&start)?.0)).min_by(f64::total_cmp)
    };
    if let [only] = modelled[..] {
        return Ok(only);
    }
    let costed = modelled.iter().filter_map(|technique| Some((cost(*technique)?, *technique)));
    let best = costed.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, technique)| technique);
    best.ok_or_else(|| {
        TuneError::Usage(format!(
            "the machine model has no technique for {} here: look-ups wait for loads, whose latency it lacks; say --judge native",
            wanted.problem
        ))
    })
}

struct Modelling<'a> {
    machine: ModelledMachine<'a>,
    request: &'a Request,
    wanted: &'a RunRequest,
    store: &'a mut Store,
    /// Its run in the store.
    run: RunId,
    /// Number of variants that were modelled.
    trial: u64,
    /// The store's error, if it failed: the search then ends.
    failure: Option<WisdomError>,
    prover: &'a mut Prover,
    begun: Begun,
    /// Outcomes of earlier runs.
    recalled: Vec<(Variant, Outcome)>,
    name: String,
}

impl Evaluate for Modelling<'_> {
    fn evaluate(&mut self, batch: &[Variant]) -> Vec<Outcome> {
        let mut samples = Vec::new();
        let one = |variant: &Variant| {
            self.trial += 1;
            let sample =
                Sample { trial: self.trial, ..record::sample("screen", variant, self.wanted.bytes()) };
            let Some((cost, sha256)) = self.machine.cost(variant) else {
                samples.push(Sample { verdict: Verdict::DoesNotFit.name().into(), ..sample });
                return Outcome::without_cost(Verdict::DoesNotFit);
            };
            let (cost, kernel_hash) = (Some(cost), kernel_hash(&sha256));
            samples.push(Sample { cost, sha256: Some(sha256), ..sample });
            Outcome { cost, verdict: Verdict::Measured, kernel_hash, instructions_in_loop: 0 }
        };
        let outcomes = batch.iter().map(one).collect();
        if let Err(error) = self.store.record(self.run, &samples) {
            self.failure.get_or_insert(error);
            self.wanted.interrupted.store(true, Ordering::Relaxed);
        }
        outcomes
    }
}

impl Judging for Modelling<'_> {
    type Result = ModelResult;

    fn plan(&self) -> (Plan, String) {
        let (wanted, seed) = (self.wanted, self.wanted.seed);
        let budget = begin::budget(wanted, self.begun.starts.len() as u64);
        let what = format!(
            "modelling {} at {} bytes on {}: {}, seed {seed}",
            wanted.problem,
            wanted.bytes(),
            self.machine.known.about,
            self.name
        );
        let (space, starts) = (self.begun.space.clone(), self.begun.starts.clone());
        (
            Plan {
                space,
                strategy: self.name.clone(),
                starts,
                recalled: self.recalled.clone(),
                budget,
                seed,
            },
            what,
        )
    }

    fn search(&mut self, plan: &Plan, observer: &mut dyn FnMut(Event)) -> Result<Found, TuneError> {
        let found = plan.search(self, observer);
        self.failure.take().map_or(found, |error| Err(error.into()))
    }

    fn decide(&mut self, found: Found, observer: &mut dyn FnMut(Event)) -> Result<ModelResult, TuneError> {
        observer(Event::Stage("proving the best"));
        let (wanted, target) = (self.wanted, self.machine.target);
        let admitted: Vec<_> =
            found.leaders.iter().filter(|leader| within(&leader.variant, &self.begun.space)).collect();
        let mut refused = None;
        for (place, leader) in admitted.iter().enumerate() {
            if place > 0 && wanted.is_interrupted() {
                break;
            }
            let delivery = match Delivery::of_variant(&leader.variant, &target, self.request, self.prover) {
                // The package says that nothing was measured.
                Ok(delivery) => Delivery { hint: format!("aesmith tune {}", wanted.problem), ..delivery },
                Err(error) => {
                    refused = Some(error);
                    continue;
                }
            };
            let cost = |variant: &Variant| self.machine.cost(variant).map_or(f64::NAN, |(cost, _)| cost);
            let bound = of_variant(self.machine.model, &target, &leader.variant, wanted.bytes());
            let shown = admitted.iter().skip(place).take(SHOWN);
            return Ok(ModelResult {
                size: wanted.bytes() as u64,
                judge: self.machine.name(),
                machine: self.machine.known.about.to_owned(),
                restriction: self.request.restriction(),
                variants_tried: found.trials,
                baseline_cycles_per_byte: cost(&self.begun.baseline),
                best_cycles_per_byte: leader.cost,
                bound_cycles_per_byte: bound,
                modelled: shown
                    .map(|l| ModelledVariant { variant: l.variant.to_string(), cycles_per_byte: l.cost })
                    .collect(),
                certificate_level: delivery.certificate.level.clone(),
                constant_time: delivery.certificate.constant_time.clone(),
                kernel: delivery.name.clone(),
                variant: leader.variant.to_string(),
                technique: leader.variant.technique_name().to_owned(),
                delivery,
            });
        }
        Err(refused.unwrap_or_else(|| TuneError::NoResult("the search found no kernel".into())))
    }

    fn end(&mut self, state: &str) -> Result<(), TuneError> {
        Ok(self.store.set_state(self.run, state)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aesmith_processor::measured::{MachineModel, Target};
    use aesmith_processors::this_machine;
    use aesmith_wisdom::Filter;
    use std::path::Path;

    fn machine(model: &MachineModel) -> ModelledMachine<'_> {
        let known = &this_machine().machines[0];
        let features = this_machine().requirements.level(known.level).unwrap();
        ModelledMachine { target: Target::of(this_machine(), features), model, known, size: 32 << 10 }
    }

    /// The published order on that CPU: AES instructions on wide registers first, and rounds cached beside them.
    #[test]
    fn the_model_orders_variants_as_the_machine_does() {
        let model: MachineModel = serde_json::from_str(this_machine().machines[0].model).unwrap();
        let machine = machine(&model);
        let cost = |text: &str| machine.cost(&this_machine().table.parse(text).unwrap()).unwrap().0;
        let [narrow, wide] = ["aes256-ctr interleave=8", "aes256-ctr width=zmm interleave=8"].map(cost);
        assert!(wide < narrow && narrow < cost("aes256-ctr"), "{wide} {narrow}");
        // Fourteen rounds of a register of four blocks, one a cycle.
        assert!((14.0 / 64.0 * 0.97..0.3).contains(&wide), "{wide}");
        assert!(machine.cost(&this_machine().table.parse("aes128-key").unwrap()).is_none());
    }

    #[test]
    fn a_run_finds_a_proved_kernel_and_the_same_one_again() {
        let model: MachineModel = serde_json::from_str(this_machine().machines[0].model).unwrap();
        let wanted = RunRequest { trials: Some(60), ..RunRequest::new("aes128-ecb".parse().unwrap()) };
        let (mut store, _) = Store::open_or_copy(Path::new("")).unwrap();
        let mut found = Vec::new();
        for _ in 0..2 {
            let (mut prover, mut notes) = ((this_machine().prover)(), String::new());
            let request = Request::default();
            let mut note = |event: Event<'_>| {
                if let Event::Note(note) = event {
                    notes += note;
                }
            };
            let means = (&mut store, &mut prover);
            let tuned = tune_by_model(machine(&model), (&request, &wanted), means, &mut note).unwrap();
            assert_eq!(notes.contains("not modelled again"), !found.is_empty(), "{notes}");
            let result = tuned.result;
            assert!(result.best_cycles_per_byte <= result.baseline_cycles_per_byte, "{result:?}");
            assert!(result.bound_cycles_per_byte <= Some(result.best_cycles_per_byte), "{result:?}");
            assert_eq!((&*result.certificate_level, result.variants_tried), ("E3", 60), "{result:?}");
            found.push((result.variant, result.best_cycles_per_byte));
        }
        assert_eq!(found[0], found[1]);
        let runs = store.all_runs(&Filter::default()).unwrap();
        let samples: Vec<u64> = runs.iter().map(|row| row.samples).collect();
        // Costs of the first run are those of the second; only variants that did not fit are tried again.
        let (of, key) = (this_machine().table, &runs[0].run.processor);
        let known = recalled(&store, of, (key, wanted.problem, wanted.bytes())).unwrap().len() as u64;
        assert!(known > 50);
        assert_eq!(samples, [60, 60 - known]);
        assert!(runs.iter().all(|row| row.run.processor.starts_with("model/")), "{runs:?}");
        let keys = RunRequest::new("aes128-key".parse().unwrap());
        let mut prover = (this_machine().prover)();
        let means = (&mut store, &mut prover);
        let refused =
            tune_by_model(machine(&model), (&Request::default(), &keys), means, &mut |_| {}).unwrap_err();
        assert!(refused.to_string().contains("--judge native"), "{refused}");
    }
}

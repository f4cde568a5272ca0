//! `aesmith tune --judge model`: the winner by the machine model alone, on any machine, with its package.

use super::{Tuning, add_verdict, folder, how};
use crate::arguments;
use crate::deliver::{Provider, write_verified};
use crate::failure::Failure;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::{grouped, show_size, unit};
use crate::sources::{What, store_or_copy, what_modelled, wisdom_path_to_read, without_checker};
use aesmith_emit::package::Form;
use aesmith_processor::checked::Verdict;
use aesmith_processor::measured::{KnownMachine, MachineModel};
use aesmith_processors::this_machine;
use aesmith_tune::evaluate::modelled::ModelledMachine;
use aesmith_tune::run::modelled::{ModelResult, tune_by_model};
use aesmith_tune::{RunRequest, TuneError, Tuned};
use aesmith_wisdom::Store;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A run on the model of a machine.
pub struct OnModel {
    wanted: RunRequest,
    what: What,
    machine: &'static KnownMachine,
    model: MachineModel,
    store: Store,
    provider: Provider,
    directory: PathBuf,
    force: bool,
    /// Paths of the written files.
    files: Vec<String>,
    /// The verdict of the checker of proofs on the winner.
    verdict: Option<Verdict>,
}

impl OnModel {
    /// Refuses what cannot be done before anything is written.
    pub fn new(
        options: &arguments::Tune,
        wanted: RunRequest,
        named: Option<&Path>,
    ) -> Result<OnModel, Failure> {
        let given = [("--via", !options.via.is_empty()), ("--figures", options.figures.is_some())];
        if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
            return Err(Failure::Usage(format!(
                "{option} is for measurements, and --judge model measures nothing: leave one of them out"
            )));
        }
        let Some(machine) = this_machine().machines.first() else {
            return Err(Failure::Other("no machine model comes with this version".into()));
        };
        let model = serde_json::from_str(machine.model)
            .map_err(|e| Failure::Other(format!("the machine model {} cannot be read: {e}", machine.name)))?;
        let directory = folder(options, "-model");
        overwrite::check(&directory, [("Makefile", None), ("README.md", None)], options.force)?;
        without_checker(machine.name, options.checked)?;
        let mut what =
            what_modelled(machine, &options.choice, Some(options.problem))?.limited(options.sought.max_flash);
        what = what.without_red_zone(options.no_red_zone);
        what.request.paper = options.paper;
        let provider = Provider::new(&wisdom_path_to_read(named)?, &what)?;
        let (store, force) = (store_or_copy(named)?, options.force);
        Ok(OnModel {
            wanted,
            what,
            machine,
            model,
            store,
            provider,
            directory,
            force,
            files: Vec::new(),
            verdict: None,
        })
    }
}

impl Tuning for OnModel {
    type Result = ModelResult;

    fn reporter(&self) -> Reporter {
        Reporter::new(unit(self.wanted.problem)).until(self.wanted.until(1.0))
    }

    fn tune(&mut self, reporter: &mut Reporter) -> Result<Tuned<ModelResult>, TuneError> {
        let machine = ModelledMachine {
            target: self.what.target,
            model: &self.model,
            known: self.machine,
            size: self.wanted.bytes(),
        };
        let asked = (&self.what.request, &self.wanted);
        let means = (&mut self.store, &mut self.provider.prover);
        tune_by_model(machine, asked, means, &mut |event| reporter.show(event))
    }

    fn deliver(
        &mut self,
        tuned: &mut Tuned<ModelResult>,
        _: &mut Reporter,
    ) -> Result<Option<Failure>, Failure> {
        let set = self.provider.set(tuned.result.delivery.clone(), None, None)?;
        let files = set.package()?.files(Form::Package);
        self.files = write_verified(&files, &self.directory, self.force)?;
        self.verdict = Some(set.main().verdict.clone());
        Ok(None)
    }

    fn add(&self, _: &Tuned<ModelResult>, object: &mut Value) {
        object["files"] = self.files.clone().into();
        add_verdict(self.verdict.as_ref(), object);
    }

    fn print(&self, tuned: &Tuned<ModelResult>, output: &mut Output) -> Result<(), Failure> {
        let result = &tuned.result;
        let unit = unit(self.wanted.problem);
        output.line(format!(
            "{} at {}, {unit} by the machine model: nothing is measured",
            tuned.problem,
            show_size(self.wanted.bytes() as u64)
        ))?;
        output.line("")?;
        let mut table = Table::with(&["variant", &format!(">{unit}")]);
        for one in &result.modelled {
            table.row([one.variant.clone(), format!("{:.4}", one.cycles_per_byte)]);
        }
        output.table(&table)?;
        output.line("")?;
        let bound = result
            .bound_cycles_per_byte
            .map_or(String::new(), |bound| format!("; the model's bound for its dataflow is {bound:.4}"));
        output.sentence(
            &format!(
                "The variant without any choice made takes {:.4} {unit}, {:.2} times the best's{bound}.",
                result.baseline_cycles_per_byte,
                result.baseline_cycles_per_byte / result.best_cycles_per_byte
            ),
            "",
        )?;
        output.sentence(
            &format!(
                "The model has the steady state of the main loop, by the instructions of this CPU: {}. Measure what counts on its \
                 CPU: `aesmith tune {}` there.",
                self.machine.about, tuned.problem
            ),
            "",
        )?;
        output.line(format!(
            "{} variants modelled; {}",
            grouped(result.variants_tried.into()),
            how(tuned)
        ))?;
        output.line(format!("proved: {}, {}", result.certificate_level, result.constant_time))?;
        if let Some(verdict) = &self.verdict {
            output.line(format!("checker: {}", verdict.line()))?;
        }
        output.line(format!("package: {}", self.directory.display()))
    }
}

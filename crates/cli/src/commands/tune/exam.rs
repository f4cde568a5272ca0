//! `aesmith tune --processor`: the winner or the front of a processor with exact judges, with its package and its
//! report.

use super::{Tuning, folder, how};
use crate::arguments::{self, Directions, Keys};
use crate::commands::emit::firmware::{Chosen, package};
use crate::deliver;
use crate::failure::Failure;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::{cycles, grouped};
use crate::sources::{request_within, wisdom_path, without_checker, without_red_zone};
use aesmith_emit::Naming;
use aesmith_emit::package::Form;
use aesmith_processor::core::Core;
use aesmith_tune::decide::exact::Winner;
use aesmith_tune::run::exact::{ExamResult, tune};
use aesmith_tune::wanted::checked;
use aesmith_tune::{Request, RunRequest, TuneError, Tuned};
use aesmith_wisdom::Store;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A run on a named processor.
pub struct Exam {
    core: &'static Core,
    request: Request,
    wanted: RunRequest,
    store: Store,
    directory: PathBuf,
    force: bool,
    /// Paths of the written files.
    files: Vec<String>,
    packaged: bool,
}

impl Exam {
    /// Refuses impossible requests before anything is opened or written.
    pub fn new(
        core: &'static Core,
        options: &arguments::Tune,
        wanted: RunRequest,
        named: Option<&Path>,
    ) -> Result<Exam, Failure> {
        let directory = folder(options, &format!("-{}", core.name));
        overwrite::allowed(&directory.join("report.html"), options.force)?;
        without_red_zone(core, options.no_red_zone)?;
        without_checker(core.name, options.checked)?;
        let request = request_within(core, options.problem, &options.choice, &options.sought)?;
        checked(core, &request, &wanted)?;
        let store = Store::open(&wisdom_path(named)?)?;
        let (force, files) = (options.force, Vec::new());
        Ok(Exam { core, request, wanted, store, directory, force, files, packaged: false })
    }
}

impl Tuning for Exam {
    type Result = ExamResult;

    fn reporter(&self) -> Reporter {
        Reporter::new("cycles").until(self.wanted.until(1.0))
    }

    fn tune(&mut self, reporter: &mut Reporter) -> Result<Tuned<ExamResult>, TuneError> {
        tune(self.core, &mut self.store, (&self.request, &self.wanted), &mut |event| reporter.show(event))
    }

    fn deliver(&mut self, _: &mut Tuned<ExamResult>, _: &mut Reporter) -> Result<Option<Failure>, Failure> {
        let report = self.directory.join("report.html");
        crate::commands::report::front::write(
            self.core,
            &self.store,
            Some(self.wanted.problem),
            &self.request,
            (&report, self.force),
        )?;
        self.files.push(report.display().to_string());
        let chosen = Chosen {
            problems: vec![self.wanted.problem],
            keys: Keys::One,
            directions: Directions::One,
            naming: Naming::default(),
            schedule: None,
            given: Vec::new(),
            untuned: Vec::new(),
            request: self.request.clone(),
            size: self.wanted.size,
            linked: false,
            in_c: false,
        };
        let files = package(self.core, Some(&self.store), &chosen)
            .map(|measured| measured.package.files(Form::Package));
        match files {
            Ok(files) => self.files.extend(deliver::write_verified(&files, &self.directory, self.force)?),
            Err(why) => return Ok(Some(why)),
        }
        self.packaged = true;
        Ok(None)
    }

    fn add(&self, _: &Tuned<ExamResult>, object: &mut Value) {
        object["files"] = self.files.clone().into();
    }

    fn print(&self, tuned: &Tuned<ExamResult>, output: &mut Output) -> Result<(), Failure> {
        print(self.core, tuned, output)?;
        output.line("")?;
        let what = if self.packaged { "package and report" } else { "report, without a package" };
        output.line(format!("{what}: {}", self.directory.display()))
    }
}

/// A table of winners.
pub fn table(core: &Core, winners: &[Winner]) -> Table {
    let cost = format!(">{}", core.timing.unit);
    let mut table =
        Table::new(&format!("kernel|{cost}|>bound|>model|>flash|>RAM|>stack|constant time|judged by"));
    for (number, winner) in (1..).zip(winners) {
        let c = &winner.certificate;
        let judged = if c.judged_cycles.is_some() { &c.judge } else { "machine model" };
        table.row([
            number.to_string(),
            cycles(c.cycles()),
            winner.bound.map_or("-".into(), cycles),
            cycles(c.cost.cycles),
            grouped(c.cost.flash.into()),
            grouped(c.cost.ram.into()),
            grouped(c.cost.stack.into()),
            c.short_time().to_owned(),
            judged.to_owned(),
        ]);
    }
    table
}

fn print(core: &Core, run: &Tuned<ExamResult>, output: &mut Output) -> Result<(), Failure> {
    let tuned = &run.result;
    let unit = match tuned.winners.first() {
        Some(w) if w.certificate.problem.contains("key") => "a key",
        _ => "a block of 16 bytes",
    };
    let cost = core.timing.unit;
    output.line(format!("{} on {}, {cost} of {unit}, bytes of memory", run.problem, core.name))?;
    output.line("")?;
    output.table(&table(core, &tuned.winners))?;
    output.line("")?;
    if let (Some(baseline), Some(best)) = (tuned.baseline, tuned.winners.first()) {
        output.line(format!(
            "The variant without any choice made takes {} {cost} by the model, {:.2} times the best's.",
            cycles(baseline),
            baseline / best.certificate.cost.cycles
        ))?;
    }
    let known = tuned.winners.iter().filter(|w| w.known).count();
    output.line(format!(
        "{} variants costed and {} known before, of a space of {}; {} cannot be built",
        grouped(tuned.tried.into()),
        grouped(tuned.remembered.into()),
        grouped(tuned.space.into()),
        grouped(tuned.unfit.into()),
    ))?;
    output.line(format!(
        "{} other orders of the best costed, {} known before; {}",
        grouped(tuned.orders.into()),
        grouped(tuned.orders_remembered.into()),
        how(run)
    ))?;
    if known > 0 {
        output.line(format!(
            "{known} of {} were proved and confirmed before, and their code is the same: not judged again",
            tuned.winners.len()
        ))?;
    }
    for note in &tuned.notes {
        output.sentence(note, "")?;
    }
    for (number, winner) in (1..).zip(&tuned.winners) {
        let c = &winner.certificate;
        output.line("")?;
        output.line(format!("{number}  {}", c.variant))?;
        let tested = format!(
            "proved, constant time: {}; {} calls right in {}{}",
            c.constant_time,
            grouped(c.tested_calls.into()),
            c.judge,
            match c.same_cycles {
                Some(true) => ", all of equal length in equal cycles",
                Some(false) => ", cycles depend on data",
                None => "",
            }
        );
        let once = (c.cost.once.abs() > 0.005)
            .then(|| format!("a message costs {} {cost} more", cycles(c.cost.once)));
        let bound = winner.bound.map(|b| {
            format!("{:.1} % above the bound: {}", (c.cycles() / b - 1.0) * 100.0, winner.bound_reason)
        });
        let notes = c.notes.iter().cloned();
        for text in [tested].into_iter().chain(once).chain(bound).chain(notes) {
            output.sentence(&text, "   ")?;
        }
    }
    Ok(())
}

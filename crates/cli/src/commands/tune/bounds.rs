//! `aesmith tune` on a processor of grids: the winner by static bounds, or of what a card in this machine was measured to take.

use super::{Tuning, add_verdict, folder, how};
use crate::arguments;
use crate::commands::grids::{NO_STACK, asked, deliver, measured, print_certificate, refuse};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::grouped;
use crate::sources::without_checker;
use aesmith_emit::grid::{grid_files, grid_symbol};
use aesmith_processor::checked::{GridClaim, Verdict};
use aesmith_processor::grid::card::About;
use aesmith_processor::grid::{Gives, Grids};
use aesmith_tune::decide::card::OnCard;
use aesmith_tune::decide::grids::GridDecision;
use aesmith_tune::run::grids::{Asked, GridResult, check_size, tune};
use aesmith_tune::{Event, Request, RunRequest, TuneError, Tuned};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The most candidates that are shown.
const SHOWN: usize = 12;

/// A run on a processor of grids.
pub struct Bounds<'a> {
    grids: &'static Grids,
    request: Request,
    wanted: RunRequest,
    wisdom: Option<&'a Path>,
    directory: PathBuf,
    force: bool,
    /// The card in this machine, or why there is none.
    card: Result<About, String>,
    /// The measurements, or the reason why there are none.
    on_card: Result<OnCard, String>,
    /// Paths of the written files.
    files: Vec<String>,
    /// The verdict of the checker of proofs on the winner.
    verdict: Option<Verdict>,
}

impl<'a> Bounds<'a> {
    /// Refuses what cannot be done before anything is written.
    pub fn new(
        grids: &'static Grids,
        options: &arguments::Tune,
        wanted: RunRequest,
        wisdom: Option<&'a Path>,
    ) -> Result<Bounds<'a>, Failure> {
        let given = [("--afresh", options.afresh), ("--alone", options.alone)];
        refuse(grids, &given, "static bounds are computed anew in each run")?;
        refuse(grids, &[("--no-red-zone", options.no_red_zone)], NO_STACK)?;
        without_checker(grids.name, options.checked)?;
        let request = asked(grids, options.problem, &options.choice, &options.sought)?;
        check_size(grids, &wanted)?;
        let directory = folder(options, &format!("-{}", grids.name));
        let file = format!("{}.{}", grid_symbol(options.problem, false), grids.language);
        overwrite::check(&directory, [(&*file, None)], options.force)?;
        let card = measured::card(grids)?;
        let (on_card, force) = (Err(String::new()), options.force);
        let (files, verdict) = (Vec::new(), None);
        Ok(Bounds { grids, request, wanted, wisdom, directory, force, card, on_card, files, verdict })
    }

    /// Measures the best on the card; the fastest is the winner from then on.
    fn measure(&self, tuned: &mut Tuned<GridResult>) -> Result<Result<OnCard, String>, Failure> {
        let card = match &self.card {
            Ok(card) => card,
            Err(why) => return Ok(Err(why.clone())),
        };
        if self.wanted.problem.mode().writes.is_some() {
            return Ok(
                Err("key schedules are not launched on a card yet: their static bounds decide".into()),
            );
        }
        if !self.request.objective.is_speed() {
            let objective = self.request.objective;
            return Ok(Err(format!("a card tells how fast kernels are, and the objective is `{objective}`")));
        }
        if self.wanted.size.is_some() {
            return Ok(Err(
                "a card is measured with long messages, and a length is given: static bounds decide".into(),
            ));
        }
        let ends = self.wanted.until(1.0);
        let mut goes_on = || interrupt::signal().is_none() && ends.is_none_or(|end| Instant::now() < end);
        let (found, how) = (&mut tuned.result.found, (self.wanted.effort, self.wanted.seed, self.wisdom));
        measured::race(self.grids, card, found, &self.request, how, &mut goes_on).map(Ok)
    }
}

impl Tuning for Bounds<'_> {
    type Result = GridResult;

    fn reporter(&self) -> Reporter {
        Reporter::new("clocks").until(self.wanted.until(1.0))
    }

    fn tune(&mut self, reporter: &mut Reporter) -> Result<Tuned<GridResult>, TuneError> {
        let gives = self
            .card
            .as_ref()
            .map_or(Gives::ANYTHING, |card| Gives { memory: card.shared, ..Gives::ANYTHING });
        let asked = Asked { request: &self.request, wanted: &self.wanted, gives, symbol: &grid_symbol };
        tune(self.grids, asked, &mut |event| reporter.show(event))
    }

    fn deliver(
        &mut self,
        tuned: &mut Tuned<GridResult>,
        reporter: &mut Reporter,
    ) -> Result<Option<Failure>, Failure> {
        if self.card.is_ok() {
            reporter.show(Event::Stage("measuring the best on the card"));
        }
        self.on_card = self.measure(tuned)?;
        let winner = &tuned.result.found.winner;
        let verdict = GridClaim::of(self.grids, winner).judge();
        let files = grid_files(self.grids, winner, None);
        self.files = deliver((winner, &verdict), files, (&self.directory, self.force))?;
        self.verdict = Some(verdict);
        Ok(None)
    }

    fn is_kept(&self) -> bool {
        false
    }

    fn add(&self, tuned: &Tuned<GridResult>, object: &mut Value) {
        object["files"] = self.files.clone().into();
        object["certificate"] = json!(tuned.result.found.winner.certificate());
        object["measured"] = json!(self.on_card.as_ref().ok());
        object["no_card"] = json!(self.on_card.as_ref().err());
        add_verdict(self.verdict.as_ref(), object);
    }

    fn print(&self, tuned: &Tuned<GridResult>, output: &mut Output) -> Result<(), Failure> {
        let result = &tuned.result;
        output.table(&table(&result.found))?;
        output.line(format!(
            "static bounds of {} variants; b/clk/SM is bits of output a clock of a multiprocessor",
            result.candidates.len()
        ))?;
        output.line(format!(
            "{} variants bounded by their text, of a space of {}; {} cannot be built; {}",
            grouped(result.tried.into()),
            grouped(result.space.into()),
            grouped(result.unfit.into()),
            how(tuned)
        ))?;
        output.line("")?;
        match &self.on_card {
            Ok(on_card) => measured::print(on_card, output)?,
            Err(why) => output.line(format!("nothing is measured. {why}"))?,
        }
        output.line("")?;
        let certificate = result.found.winner.certificate();
        output.line(format!("winner: {}", certificate.variant))?;
        print_certificate(certificate, output)?;
        if let Some(verdict) = &self.verdict {
            output.line(format!("checker: {}", verdict.line()))?;
        }
        output.line("")?;
        self.files.iter().try_for_each(|path| output.line(path))
    }
}

/// The best candidates with their bounds.
fn table(found: &GridDecision) -> Table {
    let certificate = found.winner.certificate();
    let mut table = Table::new("variant|on|>b/clk/SM|bound|>registers|>shared memory|constant time");
    for candidate in found.candidates.iter().take(SHOWN) {
        let name = candidate.variant.to_string();
        let time = if name == certificate.variant {
            certificate.class == "CT"
        } else {
            !found.variable.contains(&candidate.variant)
        };
        let known = name == certificate.variant || !time;
        let counted = &candidate.counted;
        table.row([
            name,
            counted.architecture.clone(),
            format!("{:.2}", counted.bits),
            counted.limit.clone(),
            counted.registers.to_string(),
            candidate.shared.to_string(),
            if !known {
                "not asked"
            } else if time {
                "yes"
            } else {
                "no"
            }
            .to_owned(),
        ]);
    }
    table
}

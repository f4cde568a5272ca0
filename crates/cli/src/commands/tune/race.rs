//! `aesmith tune` on this machine: the winner of a race, with its package and its report.

use super::{Tuning, add_verdict, folder, how};
use crate::arguments::{self, Via};
use crate::deliver::{Set, naming, write_verified};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, Table};
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::{grouped, show_size, unit};
use crate::sources::{What, settings, what, wisdom_path};
use aesmith_cipher::{Calls, Problem};
use aesmith_emit::package::Form;
use aesmith_processor::checked::Verdict;
use aesmith_tune::beside;
use aesmith_tune::evaluate::search_times::SearchTimes;
use aesmith_tune::key_life::SetUp;
use aesmith_tune::report_data::paper_figures;
use aesmith_tune::via::{Comparison, Compiler, compare};
use aesmith_tune::{Delivery, Event, RaceResult, RunRequest, TuneError, Tuned, Workplace};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Files that every package contains, and the report.
const FIXED: &[&str] = &["Makefile", "README.md", "selftest.c", "report.html"];

/// A run on this machine.
pub struct Race<'a> {
    options: &'a arguments::Tune,
    wanted: RunRequest,
    what: What,
    wisdom: PathBuf,
    directory: PathBuf,
    /// The workplace, open from the start of the run.
    place: Option<Workplace>,
    routes: Vec<Route>,
    /// The path of the winner's kernel, and the verdict of the checker of proofs on it.
    kernel: String,
    verdict: Option<Verdict>,
}

impl<'a> Race<'a> {
    /// Refuses impossible requests before minutes of work.
    pub fn new(
        options: &'a arguments::Tune,
        wanted: RunRequest,
        named: Option<&Path>,
    ) -> Result<Self, Failure> {
        let directory = folder(options, "");
        overwrite::check(&directory, FIXED.iter().map(|name| (*name, None)), options.force)?;
        wanted.check()?;
        let mut what = what(&options.choice, Some(options.problem))?
            .limited(options.sought.max_flash)
            .without_red_zone(options.no_red_zone)
            .checked(options.checked);
        what.request.paper = options.paper;
        figures_of(what.request.calls.is_cold(), options.figures)?;
        let (routes, kernel, wisdom) = (Vec::new(), String::new(), wisdom_path(named)?);
        let (place, verdict) = (None, None);
        Ok(Race { options, wanted, what, wisdom, directory, place, routes, kernel, verdict })
    }
}

impl Tuning for Race<'_> {
    type Result = RaceResult;

    fn reporter(&self) -> Reporter {
        let own = self.options.via.len() + usize::from(self.options.figures.is_some()) + 1;
        Reporter::of_stages(unit(self.options.problem), self.wanted.stages() + own)
            .until(self.wanted.until(1.0))
    }

    fn tune(&mut self, reporter: &mut Reporter) -> Result<Tuned<RaceResult>, TuneError> {
        let settings = settings(self.wisdom.clone(), self.wanted.seed, &self.what);
        let place = self.place.insert(Workplace::open(settings, &mut |event| reporter.show(event))?);
        aesmith_tune::tune(place, &self.wanted, &mut |event| reporter.show(event))
    }

    fn deliver(
        &mut self,
        tuned: &mut Tuned<RaceResult>,
        reporter: &mut Reporter,
    ) -> Result<Option<Failure>, Failure> {
        let Race { options, wanted, what, directory, place, routes, .. } = self;
        let Some(place) = place else { return Err(Failure::Other("the run has no workplace".into())) };
        let size = wanted.bytes();
        for &via in &options.via {
            if interrupt::signal().is_none() {
                routes.extend(route(place, &tuned.result, size, via, reporter)?);
            }
        }
        if let (Some(time), None) = (options.figures, interrupt::signal()) {
            let interrupted = interrupt::flag();
            reporter.show(Event::Stage("measuring what the report's figures lack"));
            paper_figures(place, options.problem, time, &interrupted, &mut |event| reporter.show(event))?;
        }
        reporter.show(Event::Stage("writing the kernel and the report"));
        let (kernel, verdict) =
            deliver(place, what, &tuned.result.delivery, (directory, options.force), reporter)?;
        (self.kernel, self.verdict) = (kernel, Some(verdict));
        let report = directory.join("report.html");
        let at = (&*report, options.force);
        let how = (size, tuned.result.room, &interrupt::flag());
        let shown = beside::measure(place, options.problem, how, &mut |event| reporter.show(event.inside()))?;
        crate::commands::report::write(place, (options.problem, size), &shown, at)?;
        tuned.result.take_openssl(&tuned.problem, &shown);
        tuned.result.report = Some(report.display().to_string());
        Ok(None)
    }

    fn add(&self, _: &Tuned<RaceResult>, object: &mut Value) {
        object["kernel_file"] = self.kernel.clone().into();
        add_verdict(self.verdict.as_ref(), object);
        object["via"] = self.routes.iter().map(Route::json).collect();
    }

    fn print(&self, tuned: &Tuned<RaceResult>, output: &mut Output) -> Result<(), Failure> {
        let written = (self.kernel.as_str(), self.verdict.as_ref());
        print(tuned, self.options.problem, written, &self.routes, output)
    }
}

/// A measurement of the winner's C form by one compiler.
struct Route {
    name: &'static str,
    measured: Comparison,
}

impl Route {
    fn json(&self) -> Value {
        json!({
            "compiler": self.name,
            "version": self.measured.version,
            "cycles_per_byte": self.measured.compiled,
            "direct_cycles_per_byte": self.measured.direct,
            "seconds": self.measured.compiling.as_secs_f64(),
            "direct_seconds": self.measured.building.as_secs_f64(),
        })
    }

    fn text(&self) -> String {
        let Comparison { version, compiling, building, compiled, direct } = &self.measured;
        format!(
            "via {}: {compiled:.4} cycles/byte against {direct:.4} written directly, in turns; made in {:.0} ms \
             against {:.2} ms with its proof ({version})",
            self.name,
            compiling.as_secs_f64() * 1e3,
            building.as_secs_f64() * 1e3
        )
    }
}

/// Measures the winner's C form. A missing or failing compiler is reported, but is not an error.
fn route(
    place: &mut Workplace,
    tuned: &RaceResult,
    size: usize,
    via: Via,
    reporter: &mut Reporter,
) -> Result<Option<Route>, Failure> {
    let compiler = match via {
        Via::Gcc => Compiler::Gcc,
        Via::Clang => Compiler::Clang,
    };
    let variant =
        place.table().parse(&tuned.variant).map_err(|e| Failure::Other(format!("{}: {e}", tuned.variant)))?;
    reporter.show(Event::Stage(&format!("measuring the C form through {}", compiler.name())));
    match compare(place, &variant, size, compiler) {
        Ok(measured) => Ok(Some(Route { name: compiler.name(), measured })),
        Err(TuneError::Unsupported(why)) => {
            reporter.show(Event::Note(&why));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Refuses measurements for the paper's figures, which are of calls in steady state, for cold calls.
///
/// # Errors
/// Both are requested.
pub fn figures_of(cold: bool, figures: Option<Duration>) -> Result<(), Failure> {
    match figures.filter(|_| cold) {
        None => Ok(()),
        Some(_) => Err(Failure::Usage(
            "--figures measures the paper\u{2019}s figures, which are of calls in steady state; leave it or --for cold out"
                .into(),
        )),
    }
}

/// Writes the package of the run's final kernel, and returns the path of its kernel, and the checker's verdict on it.
fn deliver(
    place: &mut Workplace,
    what: &What,
    main: &Delivery,
    (directory, force): (&Path, bool),
    reporter: &mut Reporter,
) -> Result<(String, Verdict), Failure> {
    main.notes.iter().for_each(|note| reporter.show(Event::Note(note)));
    let mut source = place.source();
    let main = source.given(main.clone())?;
    let set = Set::of(source.set(main, None, None)?, &naming(what), &place.target);
    let paths = write_verified(&set.package()?.files(Form::Package), directory, force)?;
    let kernel = paths.into_iter().find(|p| p.ends_with(".S")).unwrap_or_default();
    Ok((kernel, set.main().verdict.clone()))
}

/// The speed relative to OpenSSL, from alternating rounds.
fn against_openssl(tuned: &RaceResult, interrupted: bool) -> String {
    let (Some(version), Some(times)) = (&tuned.openssl_version, tuned.times_faster_than_openssl) else {
        let why = if interrupted { "interrupted" } else { "no libcrypto here that has this problem" };
        return format!("not measured: {why}");
    };
    if times >= 1.0 {
        format!("{version}, measured in turns with the best, which is {times:.2} times faster")
    } else {
        format!("{version}, measured in turns with the best: OpenSSL is {:.2} times faster", 1.0 / times)
    }
}

/// The cost of key setup, and the part of it that the comparison of kernels counted.
fn key_set_up(tuned: &RaceResult, set_up: &SetUp) -> String {
    let SetUp { schedule_cycles, table_cycles } = set_up;
    let each = table_cycles / (tuned.key_life as f64 * tuned.size.max(1) as f64);
    let counted = format!(
        "{table_cycles:.0} cycles more, {each:.5} cycles/byte over {} messages a key (--key-life)",
        grouped(tuned.key_life.into())
    );
    let table = if tuned.key_table {
        format!("its counter table takes {counted}, and 4 KiB")
    } else {
        format!("the kernel needs no counter table, which would take {counted}")
    };
    format!("key set-up: {schedule_cycles:.0} cycles for the round keys; {table}")
}

fn print(
    run: &Tuned<RaceResult>,
    problem: Problem,
    (kernel, verdict): (&str, Option<&Verdict>),
    routes: &[Route],
    output: &mut Output,
) -> Result<(), Failure> {
    let tuned = &run.result;
    let unit = if problem.is_message() { ">cycles/byte" } else { ">cycles/key" };
    let cold = tuned.calls == Calls::Cold.name();
    let title = match (problem.is_message(), cold) {
        (true, false) => format!("{problem}, independent calls of {}", show_size(tuned.size)),
        (true, true) => format!("{problem}, one call of {} after 100 us", show_size(tuned.size)),
        (false, false) => format!("{problem}, independent calls"),
        (false, true) => format!("{problem}, one call after 100 us"),
    };
    let mut table = Table::new(&format!("{title}|{unit}|>speedup|"));
    let base = tuned.baseline_cycles_per_byte;
    let mut row = |what: &str, cost: Option<f64>, note: String| {
        let cells =
            cost.map_or(["-".into(), "-".into()], |c| [format!("{c:.4}"), format!("{:.2}", base / c)]);
        let [cost, speedup] = cells;
        table.row([what.to_owned(), cost, speedup, note]);
    };
    let plain = if tuned.restriction.is_empty() {
        "the variant without any optimization".to_owned()
    } else {
        format!("the variant with the least optimization of {}", tuned.restriction)
    };
    row("baseline", Some(base), plain);
    row(
        "best",
        Some(tuned.best_cycles_per_byte),
        format!(
            "{} (quartiles {:.4} to {:.4}), {} the baseline, proved {}, {}",
            tuned.kernel,
            tuned.best_low,
            tuned.best_high,
            match tuned.against_baseline.as_str() {
                "no evidence" => "not shown to be faster than".to_owned(),
                verdict => format!("{verdict} than"),
            },
            tuned.certificate_level,
            tuned.constant_time
        ),
    );
    row("OpenSSL", tuned.openssl_cycles_per_byte, against_openssl(tuned, run.interrupted));
    let distance = tuned.bound_cycles_per_byte.map(|bound| {
        format!(
            "what this CPU allows; the best is {:.1} % above it",
            (tuned.best_cycles_per_byte / bound - 1.0) * 100.0
        )
    });
    let unknown = if cold { "of calls in steady state alone" } else { "not known" };
    row("bound", tuned.bound_cycles_per_byte, distance.unwrap_or_else(|| unknown.into()));
    output.table(&table)?;
    if let Some(set_up) = &tuned.key_set_up {
        output.line("")?;
        output.line(key_set_up(tuned, set_up))?;
    }
    if tuned.by_size.len() > 1 {
        output.line("")?;
        let first = match cold {
            true => "delivered by length, one call",
            false => "delivered by length, independent calls",
        };
        let mut table = Table::new(&format!("{first}|{unit}|>dependent calls, cycles"));
        for best in &tuned.by_size {
            let dependent = best.dependent_call_cycles.map_or("-".into(), |cycles| format!("{cycles:.1}"));
            table.row([show_size(best.bytes), format!("{:.4}", best.cycles_per_byte), dependent]);
        }
        output.table(&table)?;
    }
    let outcomes: Vec<String> =
        tuned.outcomes.iter().map(|(what, count)| format!("{} {what}", grouped((*count).into()))).collect();
    output.line("")?;
    output.line(format!(
        "{} variants ({:.0}/s, {} different kernels; {}); {}",
        grouped(tuned.variants_tried.into()),
        tuned.variants_per_second,
        grouped(tuned.kernels.into()),
        outcomes.join(", "),
        how(run)
    ))?;
    output.line(times(&tuned.search))?;
    routes.iter().try_for_each(|route| output.line(route.text()))?;
    output.line(format!("variant  {}", tuned.variant))?;
    output.line(format!("kernel   {kernel}"))?;
    if let Some(verdict) = verdict {
        output.line(format!("checker  {}", verdict.line()))?;
    }
    output.line(format!("report   {}", tuned.report.as_deref().unwrap_or("-")))
}

/// The time of the search, by stage.
fn times(search: &SearchTimes) -> String {
    format!(
        "{} kernels built in {:.1} s; {} reduced to others in {:.1} s, {} proved in {:.1} s, {} parts of \
         rounds simplified and {} times found again; measured in {:.1} s on another CPU meanwhile",
        grouped(search.built.into()),
        search.generate_seconds,
        grouped(search.reduced.into()),
        search.reduce_seconds,
        grouped((search.proved - search.reduced).into()),
        search.prove_seconds,
        grouped(search.cones.into()),
        grouped(search.cones_found_again.into()),
        search.measure_seconds
    )
}

//! `aesmith tune`: runs a search, then hands out the winner and its report.

pub mod exact;

use crate::arguments::{self, Via};
use crate::failure::Failure;
use crate::handout::{Smith, write};
use crate::interrupt;
use crate::output::{Output, Table, say};
use crate::overwrite;
use crate::progress::Reporter;
use crate::quantity::{grouped, show_size};
use crate::sources::{What, processor, what, wisdom_path};
use aesmith_cipher::Problem;
use aesmith_tune::key_life::SetUp;
use aesmith_tune::options::DEFAULT_SIZE;
use aesmith_tune::report_data::paper_figures;
use aesmith_tune::via::{Comparison, Compiler, compare};
use aesmith_tune::{Delivery, Effort, Event, Options, Settings, TuneError, Tuned, Workplace};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Tunes, writes the package and the report, and prints the result.
pub fn run(options: &arguments::Tune, named: Option<&Path>, output: &mut Output) -> Result<(), Failure> {
    if let Some(core) = processor(options.sought.processor.as_deref())? {
        return exact::run(core, options, named, output);
    }
    searched(options)?;
    let directory = options.output.clone().unwrap_or_else(|| format!("aesmith-{}", options.problem).into());
    // Before minutes of work, as far as names are known.
    overwrite::check(&directory, FIXED.iter().map(|name| (*name, None)), options.force)?;
    let wanted = wanted(options);
    wanted.check()?;
    let mut what = what(&options.choice, Some(options.problem))?.limited(options.sought.max_flash);
    what.request.paper = options.paper;
    let settings = settings(wisdom_path(named)?, options.seed, &what);
    let own = options.via.len() + usize::from(options.figures.is_some()) + 1;
    let mut reporter = Reporter::of_stages(unit(options.problem), wanted.stages() + own);
    let mut place = Workplace::open(settings, &mut |event| reporter.show(event))?;
    let tuned = aesmith_tune::tune(&mut place, &wanted, &mut |event| reporter.show(event));
    let mut tuned = match (tuned, interrupt::signal()) {
        (Ok(tuned), _) => tuned,
        (Err(error), Some(signal)) => {
            reporter.finish();
            say(format!(
                "aesmith: interrupted before there was a result ({error}); what was measured is kept"
            ));
            return Err(Failure::Interrupted(signal));
        }
        (Err(error), None) => return Err(error.into()),
    };
    let mut routes = Vec::new();
    for &via in &options.via {
        if interrupt::signal().is_none() {
            routes.extend(route(&mut place, &tuned, wanted.size, via, &mut reporter)?);
        }
    }
    if let (Some(time), None) = (options.figures, interrupt::signal()) {
        let interrupted = interrupt::flag();
        reporter.show(Event::Stage("measuring what the report's figures lack"));
        paper_figures(&mut place, options.problem, time, &interrupted, &mut |event| reporter.show(event))?;
    }
    reporter.show(Event::Stage("writing the kernel and the report"));
    let kernel = hand_out(&place, &what, &tuned.handout, (&directory, options.force), &mut reporter)?;
    let report = directory.join("report.html");
    let at = (&*report, options.force);
    let shown = super::report::write(&mut place, options.problem, wanted.size, at, &mut reporter)?;
    tuned.take_openssl(&shown);
    tuned.report = Some(report.display().to_string());
    reporter.finish();
    if output.json {
        let mut object = serde_json::to_value(&tuned).map_err(|e| Failure::Other(e.to_string()))?;
        object["kernel_file"] = kernel.into();
        object["via"] = routes.iter().map(Route::json).collect();
        output.object(&object)?;
    } else {
        print(&tuned, options.problem, &kernel, &routes, output)?;
    }
    interrupt::signal().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}

/// Files of every package, and the report.
const FIXED: &[&str] = &["Makefile", "README.md", "selftest.c", "report.html"];

/// What the library is asked for.
fn wanted(options: &arguments::Tune) -> Options {
    Options {
        problem: options.problem,
        effort: options.effort,
        time: options.time,
        trials: options.trials,
        seed: options.seed,
        strategy: options.strategy.clone(),
        size: options.size.unwrap_or(DEFAULT_SIZE),
        afresh: options.afresh,
        interrupted: interrupt::flag(),
        ..Options::new(options.problem)
    }
}

/// Refuses options of a search where there is none; on processors other than this machine every effort searches.
fn searched(options: &arguments::Tune) -> Result<(), Failure> {
    if options.effort != Effort::Estimate || options.sought.processor.is_some() {
        return Ok(());
    }
    let given = [
        ("--trials", options.trials.is_some()),
        ("--strategy", options.strategy.is_some()),
        ("--time", options.time.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
    if given.is_empty() {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "--effort estimate measures the known-good variants and searches nothing, so that {} would do nothing; \
         --effort measure searches",
        given.join(" and ")
    )))
}

/// How a workplace is set up for this command.
pub fn settings(wisdom: PathBuf, seed: u64, what: &What) -> Settings {
    Settings {
        quarantine: wisdom.parent().map(|d| d.join("quarantine")),
        wisdom,
        target: what.target,
        cpu: what.cpu,
        request: what.request.clone(),
        seed,
        worker: aesmith_native::Config::default().program,
        command: std::env::args().collect::<Vec<_>>().join(" "),
        remeasure: false,
    }
}

/// The unit of a problem's costs, short.
pub fn unit(problem: Problem) -> &'static str {
    if problem.is_message() { "c/B" } else { "cycles/key" }
}

/// The winner through a compiler.
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
    tuned: &Tuned,
    size: usize,
    via: Via,
    reporter: &mut Reporter,
) -> Result<Option<Route>, Failure> {
    let compiler = match via {
        Via::Gcc => Compiler::Gcc,
        Via::Clang => Compiler::Clang,
    };
    let variant = tuned.variant.parse().map_err(|e| Failure::Other(format!("{}: {e}", tuned.variant)))?;
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

/// Writes the package of the kernel that the run ended with, and says where its kernel is.
fn hand_out(
    place: &Workplace,
    what: &What,
    main: &Delivery,
    (directory, force): (&Path, bool),
    reporter: &mut Reporter,
) -> Result<String, Failure> {
    let mut smith = Smith::new(&place.settings.wisdom, what)?;
    main.notes.iter().for_each(|note| reporter.show(Event::Note(note)));
    let paths = write(&smith.set(main.clone())?.package()?, directory, force)?;
    Ok(paths.into_iter().find(|p| p.ends_with(".S")).unwrap_or_default())
}

/// Which of the two is faster, and by how much, from rounds in turns.
fn against_openssl(tuned: &Tuned) -> String {
    let (Some(version), Some(times)) = (&tuned.openssl_version, tuned.times_faster_than_openssl) else {
        let why = if tuned.interrupted { "interrupted" } else { "no libcrypto here" };
        return format!("not measured: {why}");
    };
    if times >= 1.0 {
        format!("{version}, measured in turns with the best, which is {times:.2} times faster")
    } else {
        format!("{version}, measured in turns with the best: OpenSSL is {:.2} times faster", 1.0 / times)
    }
}

/// What the set-up of a key takes, and what of it the comparison of kernels counted.
fn key_set_up(tuned: &Tuned, set_up: &SetUp) -> String {
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
    tuned: &Tuned,
    problem: Problem,
    kernel: &str,
    routes: &[Route],
    output: &mut Output,
) -> Result<(), Failure> {
    let unit = if problem.is_message() { ">cycles/byte" } else { ">cycles/key" };
    let title = match problem.is_message() {
        true => format!("{problem}, independent calls of {}", show_size(tuned.size)),
        false => format!("{problem}, independent calls"),
    };
    let mut table = Table::new(&[title.as_str(), unit, ">speedup", ""]);
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
            "{} (quartiles {:.4} to {:.4}), {} than the baseline, proved {}, {}",
            tuned.kernel,
            tuned.best_low,
            tuned.best_high,
            tuned.against_baseline,
            tuned.certificate_level,
            tuned.constant_time
        ),
    );
    row("OpenSSL", tuned.openssl_cycles_per_byte, against_openssl(tuned));
    let distance = tuned.bound_cycles_per_byte.map(|bound| {
        format!(
            "what this CPU allows; the best is {:.1} % above it",
            (tuned.best_cycles_per_byte / bound - 1.0) * 100.0
        )
    });
    row("bound", tuned.bound_cycles_per_byte, distance.unwrap_or_else(|| "not known".into()));
    output.table(&table)?;
    if let Some(set_up) = &tuned.key_set_up {
        output.line("")?;
        output.line(key_set_up(tuned, set_up))?;
    }
    if tuned.by_size.len() > 1 {
        output.line("")?;
        let mut table = Table::new(&["handed out by length, independent calls", unit]);
        for best in &tuned.by_size {
            table.row([show_size(best.bytes), format!("{:.4}", best.cycles_per_byte)]);
        }
        output.table(&table)?;
    }
    let outcomes: Vec<String> =
        tuned.outcomes.iter().map(|(what, count)| format!("{} {what}", grouped((*count).into()))).collect();
    output.line("")?;
    output.line(format!(
        "{} variants in {:.1} s ({:.0}/s, {} different kernels; {}) by {}, seed {}{}",
        grouped(tuned.variants_tried.into()),
        tuned.seconds,
        tuned.variants_per_second,
        grouped(tuned.kernels.into()),
        outcomes.join(", "),
        tuned.strategy,
        tuned.seed,
        if tuned.interrupted { "; interrupted" } else { "" }
    ))?;
    routes.iter().try_for_each(|route| output.line(route.text()))?;
    output.line(format!("variant  {}", tuned.variant))?;
    output.line(format!("kernel   {kernel}"))?;
    output.line(format!("report   {}", tuned.report.as_deref().unwrap_or("-")))
}

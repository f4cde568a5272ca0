//! `replay`: comparison of strategies on a recorded space.

use crate::arguments;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Output, Table, say};
use crate::overwrite;
use crate::quantity::grouped;
use aesmith_arrange::Space;
use aesmith_processors::this_machine;
use aesmith_report::{ComparedPage, PageLine, PageLines, PageTable, render_compared};
use aesmith_search::Recording;
use aesmith_search::replay::{Comparison, Line, compare};
use aesmith_tune::Weights;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::Ordering;

/// The default strategies: `tune`'s, the paper's annealing in two forms, and the baseline that all must beat.
const STRATEGIES: [&str; 4] = [aesmith_search::DEFAULT, "annealing", "annealing-budget", RANDOM];
/// The baseline of the ranking.
const RANDOM: &str = "random";
/// Trials at which costs are shown, up to the number of trials.
const SHOWN: [u64; 12] = [10, 20, 50, 100, 150, 300, 600, 1000, 1501, 3000, 10_000, 100_000];

/// Compares and prints; `record` makes a requested recording that does not exist.
pub fn run(
    options: &arguments::Replay,
    record: impl FnOnce(&Path) -> Result<(), Failure>,
    output: &mut Output,
) -> Result<(), Failure> {
    if !(options.within >= 0.0 && options.within < 1.0) {
        return Err(Failure::Usage(format!("--within {} is not from 0 to less than 1", options.within)));
    }
    if let Some(page) = &options.output {
        overwrite::allowed(page, options.force)?;
    }
    let file = match (&options.record, &options.file) {
        (Some(file), _) => {
            if !file.exists() {
                record(file)?;
            }
            file
        }
        (None, Some(file)) => file,
        (None, None) => return Err(Failure::Usage("name a recording, or --record one".into())),
    };
    let cannot = |why: String| Failure::Other(format!("{} cannot be replayed: {why}", file.display()));
    let bytes = std::fs::read(file).map_err(|why| cannot(why.to_string()))?;
    let recording = Recording::read_file(&bytes, this_machine().table).map_err(cannot)?;
    let mut space = recording.space().ok_or_else(|| cannot("it has no variant".into()))?;
    holds(options, &recording, &space).map_err(cannot)?;
    Weights::read(&options.weight)?.apply(&mut space)?;
    let mut strategies = options.strategy.clone();
    if strategies.is_empty() {
        strategies = STRATEGIES.map(str::to_owned).to_vec();
    }
    if !strategies.iter().any(|name| name == RANDOM) {
        strategies.push(RANDOM.into());
    }
    let flag = interrupt::flag();
    let mut stop = || flag.load(Ordering::Relaxed);
    let compared = compare(&recording, &space, &strategies, options.trials, 1..options.seeds + 1, &mut stop);
    let compared = match (compared, interrupt::signal()) {
        (Ok(compared), _) => compared,
        (Err(why), Some(signal)) => {
            say(format!("aesmith: {why}"));
            return Err(Failure::Interrupted(signal));
        }
        (Err(why), None) => return Err(cannot(why)),
    };
    let shown = Shown { options, file, recording: &recording, space: &space, compared: &compared };
    if let Some(page) = &options.output {
        overwrite::put(page, &render_compared(&shown.page()), options.force)?;
    }
    if output.json { output.object(&shown.json()) } else { shown.print(output) }
}

/// Checks that a recording matches the request: an existing one is not replaced.
fn holds(options: &arguments::Replay, recording: &Recording, space: &Space) -> Result<(), String> {
    match options.problem {
        Some(problem) if space.plain.problem != problem => Err(format!(
            "it is there already and is of {}, not of {problem}; move it away or name another file",
            space.plain.problem
        )),
        Some(_) if recording.header().is_some_and(|header| header.size != options.size as u64) => {
            Err("it is there already and is of messages of another length; move it away or name another file"
                .into())
        }
        _ => Ok(()),
    }
}

/// The data of the output, in any format.
struct Shown<'a> {
    options: &'a arguments::Replay,
    file: &'a Path,
    recording: &'a Recording,
    space: &'a Space,
    compared: &'a Comparison,
}

impl Shown<'_> {
    /// Trials at which costs are shown.
    fn trials(&self) -> Vec<u64> {
        let most = self.compared.trials;
        let mut trials: Vec<u64> = SHOWN.into_iter().filter(|trial| *trial < most).collect();
        trials.push(most);
        trials
    }

    /// The cost that counts as close enough to the optimum.
    fn near(&self) -> f64 {
        self.compared.optimum * (1.0 + self.options.within)
    }

    fn random(&self) -> &Line {
        self.compared.lines.iter().find(|line| line.strategy == RANDOM).expect("it is always compared")
    }

    fn about(&self) -> Vec<String> {
        let mut about = vec![format!(
            "{}: {} variants of {}, lowest cost {:.4} cycles/byte. {} seeds of each strategy, {} trials per search, \
             starting without optimizations.",
            self.file.display(),
            grouped(self.recording.len() as u128),
            self.space.plain.problem,
            self.compared.optimum,
            self.options.seeds,
            self.compared.trials
        )];
        if let Some(header) = self.recording.header() {
            about.push(format!("Recorded on {}, {}, by {}.", header.machine, header.made, header.by));
        }
        let missing: u64 = self.compared.lines.iter().map(|line| line.not_recorded).sum();
        if missing > 0 {
            about
                .push(format!("{missing} proposed variants were not recorded; they do not count as trials."));
        }
        about
    }

    /// Headings, and rows of plain text.
    fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut headings = vec!["strategy".to_owned()];
        headings.extend(self.trials().iter().map(|trial| format!("{trial} trials")));
        headings.extend(["quartiles at the end".into(), format!("within {} %", 100.0 * self.options.within)]);
        headings.extend(["seeds so near".into(), "against random".into()]);
        let row = |line: &Line| {
            let mut row = vec![line.strategy.clone()];
            let cost = |trial| line.quartiles(trial).map_or("-".to_owned(), |q| format!("{:.4}", q.median));
            row.extend(self.trials().into_iter().map(cost));
            let end = line.quartiles(self.compared.trials);
            row.push(end.map_or("-".into(), |q| format!("{:.4} to {:.4}", q.low, q.high)));
            let near = line.median_reached(self.near());
            row.push(near.map_or("never".into(), |trial| format!("{trial} trials")));
            let reached = line.reached(self.near()).into_iter().flatten().count();
            row.push(format!("{reached} of {}", line.seeds.len()));
            row.push(match line.against(self.random(), self.compared.trials) {
                Some(rank) if line.strategy != RANDOM => format!("{} (z = {:.1})", rank.words(), rank.z),
                _ => String::new(),
            });
            row
        };
        (headings, self.compared.lines.iter().map(row).collect())
    }

    fn print(&self, output: &mut Output) -> Result<(), Failure> {
        for sentence in self.about() {
            output.line(sentence)?;
        }
        let (headings, rows) = self.table();
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let mut table = Table::with(&headings);
        rows.into_iter().for_each(|row| table.row(row));
        output.table(&table)?;
        output.line(
            "    (median over the seeds of the lowest cost so far, in cycles/byte; rank test of Mann and Whitney",
        )?;
        output.line("    on the final costs)")?;
        self.options.output.iter().try_for_each(|page| output.line(page.display().to_string()))
    }

    fn json(&self) -> Value {
        let one = |line: &Line| {
            let quartiles = self.trials().into_iter().filter_map(|trial| {
                let q = line.quartiles(trial)?;
                Some(json!({ "trials": trial, "low": q.low, "median": q.median, "high": q.high }))
            });
            json!({
                "strategy": line.strategy,
                "quartiles": quartiles.collect::<Vec<_>>(),
                "ends": line.at(self.compared.trials).into_iter().map(|c| c.is_finite().then_some(c)).collect::<Vec<_>>(),
                "near_after_trials": line.median_reached(self.near()),
                "near": line.reached(self.near()).into_iter().flatten().count(),
                "against_random": line.against(self.random(), self.compared.trials),
                "not_recorded": line.not_recorded,
            })
        };
        json!({
            "recording": self.file.display().to_string(),
            "problem": self.space.plain.problem.to_string(),
            "machine": self.recording.header().map(|header| &header.machine),
            "variants": self.recording.len(),
            "optimum": self.compared.optimum,
            "within": self.options.within,
            "seeds": self.options.seeds,
            "trials": self.compared.trials,
            "strategies": self.compared.lines.iter().map(one).collect::<Vec<_>>(),
            "page": self.options.output.as_ref().map(|page| page.display().to_string()),
        })
    }

    fn page(&self) -> ComparedPage {
        let (headings, rows) = self.table();
        let mut about = self.about();
        let line = |line: &Line| {
            let mut trials: Vec<u64> = line.seeds.iter().flatten().map(|(trial, _)| *trial).collect();
            trials.sort_unstable();
            trials.dedup();
            let point = |trial| line.quartiles(trial).map(|q| (trial, q.median, q.low, q.high));
            PageLine { name: line.strategy.clone(), points: trials.into_iter().filter_map(point).collect() }
        };
        ComparedPage {
            title: format!("Strategies on recorded {}", self.space.plain.problem),
            processor: about.remove(0),
            lead: about,
            tables: vec![PageTable {
                id: "strategies".into(),
                heading: "Strategies".into(),
                caption: "Lowest cost so far in cycles/byte, as the median over the seeds, after numbers of trials; the \
                          number of trials after which half of the seeds were near the lowest recorded cost; and the rank \
                          test of Mann and Whitney on the final costs."
                    .into(),
                columns: headings.into_iter().enumerate().map(|(at, name)| (name, at > 0)).collect(),
                rows,
            }],
            lines: Some(PageLines {
                behind: "strategies".into(),
                caption: "Lowest cost so far: medians over the seeds with quartile bands.".into(),
                lines: self.compared.lines.iter().map(line).collect(),
            }),
            ..ComparedPage::default()
        }
    }
}

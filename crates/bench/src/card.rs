//! The records of a run of `scripts/card.sh` on a machine with a card: one object per line, the first
//! describing the machine.

use serde::Deserialize;

use aesmith_tune::decide::card::{CardRow, OnCard};

/// The schema of files that can be read.
const SCHEMA: &str = "aesmith-card/1";

/// A run.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The machine.
    pub machine: Machine,
    /// The measurements on the card for each problem, the last if a task was repeated.
    pub tunes: Vec<Tuned>,
    /// Tasks without figures: the name of each, and its output.
    pub without: Vec<(String, String)>,
    /// Self-tests of packages, some of them run under a sanitizer.
    pub tests: Vec<Tested>,
    /// Copies over the bus, and functions that include them.
    pub copies: Vec<Copied>,
    /// Sentences on the origin of the file.
    pub notes: Vec<String>,
}

/// The machine of a run.
#[derive(Clone, Debug, Deserialize)]
pub struct Machine {
    /// The day.
    pub date: String,
    /// The card.
    pub card: String,
    /// The version of its driver.
    pub driver: String,
    /// The version of CUDA's compiler there.
    pub cuda: String,
    /// The processor beside it.
    #[serde(default)]
    pub processor: String,
}

/// A task that measured kernels.
#[derive(Clone, Debug)]
pub struct Tuned {
    /// The problem.
    pub problem: String,
    /// The measurements.
    pub on_card: OnCard,
}

/// A self-test.
#[derive(Clone, Debug)]
pub struct Tested {
    /// `cuda`, `opencl` or `sanitizer`.
    pub part: String,
    /// The package.
    pub name: String,
    /// The outcome.
    pub came: Came,
    /// The last output, or why it was not run.
    pub said: String,
}

/// Outcome of a self-test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Came {
    /// It passed.
    Passed,
    /// It failed, or could not be built.
    Failed,
    /// It was stopped at its time limit.
    Stopped,
    /// It was not run.
    NotRun,
}

/// The exit code that `timeout` reports for a stopped command.
const STOPPED: i32 = 124;

/// A copy, or a function with copies.
#[derive(Clone, Debug)]
pub struct Copied {
    /// Its name.
    pub name: String,
    /// Throughput in gigabytes per second; bytes of text count once.
    pub gigabytes: f64,
}

/// A line of the file. Unknown fields are ignored.
#[derive(Deserialize)]
struct Line {
    part: String,
    #[serde(default)]
    name: String,
    schema: Option<String>,
    code: Option<i32>,
    #[serde(default)]
    said: String,
    skipped: Option<String>,
    gigabytes_a_second: Option<f64>,
    result: Option<Tune>,
}

#[derive(Deserialize)]
struct Tune {
    problem: String,
    measured: Option<OnCard>,
}

/// Replaces the value with the same name, or appends it.
fn put<T>(all: &mut Vec<T>, value: T, same: impl Fn(&T, &T) -> bool) {
    match all.iter_mut().find(|other| same(other, &value)) {
        Some(other) => *other = value,
        None => all.push(value),
    }
}

impl Recorded {
    /// Reads a file.
    ///
    /// # Errors
    /// A line is not from such a run, or no line describes the machine.
    pub fn read(text: &str) -> Result<Recorded, String> {
        let mut machine = None;
        let (mut tunes, mut tests, mut copies) = (Vec::new(), Vec::new(), Vec::new());
        let (mut notes, mut without) = (Vec::new(), Vec::new());
        let mut names: Vec<String> = Vec::new();
        for (number, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let wrong =
                |e: serde_json::Error| format!("line {number} is not of a run of scripts/card.sh: {e}");
            let line: Line = serde_json::from_str(text).map_err(wrong)?;
            match line.part.as_str() {
                "machine" => match line.schema.as_deref() {
                    Some(SCHEMA) => machine = Some(serde_json::from_str(text).map_err(wrong)?),
                    other => {
                        let other = other.unwrap_or("none");
                        return Err(format!(
                            "line {number} is of the form {other}, and this version reads {SCHEMA}; run scripts/card.sh of this version again"
                        ));
                    }
                },
                "note" => notes.push(line.said),
                "tune" => {
                    without.retain(|(name, _)| *name != line.name);
                    let Some(Tune { problem, measured: Some(on_card) }) = line.result else {
                        without.push((line.name, line.skipped.unwrap_or(line.said)));
                        continue;
                    };
                    let tuned = Tuned { problem, on_card };
                    match names.iter().position(|name| *name == line.name) {
                        Some(at) => tunes[at] = tuned,
                        None => {
                            names.push(line.name);
                            tunes.push(tuned);
                        }
                    }
                }
                "cuda" | "opencl" | "sanitizer" => {
                    let came = match line.code {
                        _ if line.skipped.is_some() => Came::NotRun,
                        None => Came::NotRun,
                        Some(0) => Came::Passed,
                        Some(STOPPED) => Came::Stopped,
                        Some(_) => Came::Failed,
                    };
                    let said = line.skipped.unwrap_or(line.said);
                    let test = Tested { part: line.part, name: line.name, came, said };
                    put(&mut tests, test, |a: &Tested, b| (&a.part, &a.name) == (&b.part, &b.name));
                }
                "bus" => {
                    let Some(gigabytes) = line.gigabytes_a_second else { continue };
                    put(&mut copies, Copied { name: line.name, gigabytes }, |a: &Copied, b| a.name == b.name);
                }
                _ => {}
            }
        }
        let machine = machine.ok_or(
            "no line says the machine: the file is not of a run of scripts/card.sh, or that ended before it began",
        )?;
        Ok(Recorded { machine, tunes, without, tests, copies, notes })
    }

    /// The fastest wanted kernel that was measured for a problem, with its run.
    pub fn fastest(&self, problem: &str, wanted: impl Fn(&str) -> bool) -> Option<(&OnCard, &CardRow)> {
        let of_problem = self.tunes.iter().filter(|tuned| tuned.problem == problem);
        let kernels =
            of_problem.flat_map(|tuned| tuned.on_card.kernels.iter().map(|kernel| (&tuned.on_card, kernel)));
        kernels
            .filter(|(_, kernel)| wanted(&kernel.variant))
            .max_by(|(_, a), (_, b)| a.bits.total_cmp(&b.bits))
    }

    /// The card, its driver and the date, as each figure states them.
    pub fn who(&self) -> String {
        let Machine { date, card, driver, .. } = &self.machine;
        format!("{card}, driver {driver}, {date}")
    }

    /// All records in Markdown, for documents.
    pub fn markdown(&self) -> String {
        let Machine { cuda, processor, .. } = &self.machine;
        let beside = if processor.is_empty() { String::new() } else { format!(", beside {processor}") };
        let mut out = format!("Measured on {} (CUDA {cuda}{beside}).", self.who());
        for note in &self.notes {
            out.push(' ');
            out.push_str(note);
        }
        out.push('\n');
        let tables = [self.rates(), self.kernels(), self.unmeasured(), self.self_tests(), self.bus()];
        for table in tables.iter().flatten() {
            out.push('\n');
            out.push_str(table);
        }
        out
    }

    fn rates(&self) -> Option<String> {
        let OnCard { rates, clocks, card, .. } = &self.tunes.last()?.on_card;
        let rows: Vec<Vec<String>> = [
            ("loads of shared memory", rates.shared),
            ("three-input logic", rates.logic),
            ("permutations of bytes", rates.permutation),
            ("products with a sum", rates.product),
            ("logic and products in turn", rates.issued),
        ]
        .map(|(name, rate)| vec![name.into(), format!("{rate:.2}")])
        .into();
        Some(format!(
            "Its rates, in threads that execute an instruction in a clock of a multiprocessor ({} of them, at {:.0} to {:.0} MHz); \
             its memory copies {:.2} bytes a clock of a multiprocessor:\n\n{}",
            card.multiprocessors,
            clocks[0],
            clocks[1],
            rates.memory,
            markdown(&["what", ">threads"], &rows)
        ))
    }

    fn kernels(&self) -> Option<String> {
        let row = |tuned: &Tuned| {
            let kernel = tuned.on_card.kernels.first()?;
            let choices: Vec<&str> =
                kernel.variant.split(' ').skip(1).filter(|word| !word.starts_with("processor=")).collect();
            let bound = kernel.bound.as_ref();
            Some(vec![
                tuned.problem.clone(),
                choices.join(" "),
                format!("{:.2}", kernel.bits),
                format!("{:.2} to {:.2}", kernel.low, kernel.high),
                format!("{:.2}", kernel.gbps / 1000.0),
                bound.map_or(String::new(), |bound| format!("{:.2}", bound.bits)),
                bound.map_or(String::new(), |bound| bound.limit.clone()),
                kernel.of_bound.map_or(String::new(), |part| format!("{part:.2}")),
                format!("{:.0}", tuned.on_card.streamed_gbps),
            ])
        };
        let rows: Vec<Vec<String>> = self.tunes.iter().filter_map(row).collect();
        let heads = [
            "problem",
            "the fastest of those measured",
            ">b/clk/SM",
            ">quartiles",
            ">Tbit/s",
            ">bound by the card's rates",
            "by",
            ">of it",
            ">Gbit/s with copies",
        ];
        let table = (!rows.is_empty()).then(|| markdown(&heads, &rows))?;
        Some(format!("Kernels, text and result in the card's memory; each result was right:\n\n{table}"))
    }

    fn unmeasured(&self) -> Option<String> {
        let row = |(name, said): &(String, String)| {
            vec![name.clone(), said.lines().last().unwrap_or_default().trim().to_owned()]
        };
        let rows: Vec<Vec<String>> = self.without.iter().map(row).collect();
        let table = (!rows.is_empty()).then(|| markdown(&["task", "said"], &rows))?;
        Some(format!("Tasks that ended without figures:\n\n{table}"))
    }

    fn self_tests(&self) -> Option<String> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for test in &self.tests {
            let verdict = match test.came {
                Came::NotRun => "not run",
                Came::Passed => "passed",
                Came::Stopped => "stopped after its time",
                Came::Failed => "FAILED",
            };
            let said = test.said.lines().last().unwrap_or_default().replace('=', "").trim().to_owned();
            // Tests that were skipped for the same reason share a row.
            let beside = rows.last_mut().filter(|row| {
                test.came == Came::NotRun && row[0] == test.part && row[2] == verdict && row[3] == said
            });
            match beside {
                Some(row) => row[1] = format!("{}; {}", row[1], test.name),
                None => rows.push(vec![test.part.clone(), test.name.clone(), verdict.into(), said]),
            }
        }
        let table = (!rows.is_empty()).then(|| markdown(&["part", "package", "self-test", "said"], &rows))?;
        Some(format!("Packages:\n\n{table}"))
    }

    fn bus(&self) -> Option<String> {
        let row = |copied: &Copied| vec![copied.name.clone(), format!("{:.1}", copied.gigabytes)];
        let rows: Vec<Vec<String>> = self.copies.iter().map(row).collect();
        let table = (!rows.is_empty()).then(|| markdown(&["what", ">GB/s"], &rows))?;
        Some(format!("Bytes a second, by the host's clock, those of the text counted once:\n\n{table}"))
    }
}

/// A table. Headings of columns of numbers begin with `>`.
fn markdown(heads: &[&str], rows: &[Vec<String>]) -> String {
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | ").replace('\n', " "));
    let names: Vec<String> = heads.iter().map(|head| head.trim_start_matches('>').to_owned()).collect();
    let rule: String = heads.iter().map(|head| if head.starts_with('>') { "--:|" } else { "---|" }).collect();
    let rows: String = rows.iter().map(|cells| row(cells)).collect();
    format!("{}|{rule}\n{rows}", row(&names))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: &str = r#"{"schema":"aesmith-card/1","part":"machine","date":"2026-11-27","card":"A card","driver":"1.2","cuda":"13.0"}"#;

    fn tune(name: &str, kernels: &[(&str, f64)]) -> String {
        let kernel = |(variant, bits): &(&str, f64)| {
            format!(
                r#"{{"variant":"{variant}","bits":{bits},"low":1.0,"high":2.0,"gbps":3000.0,"mhz":1980.0,"times":1.0,"evidence":false,"bound":{{"architecture":"sm_90","clocks":5.0,"bits":25.6,"limit":"shared memory"}},"of_bound":0.8}}"#
            )
        };
        let kernels: Vec<String> = kernels.iter().map(kernel).collect();
        format!(
            r#"{{"part":"tune","name":"{name}","code":0,"seconds":9,"result":{{"problem":"aes128-ecb","measured":{{"card":{{"name":"A card","uuid":"","architecture":"sm_90","multiprocessors":132,"memory":1,"shared":1,"driver":"13.0","rated_mhz":1980.0}},"rates":{{"shared":32.0,"logic":64.0,"permutation":64.0,"product":64.0,"issued":128.0,"memory":10.0,"mhz":1980.0}},"bytes":16,"rounds":5,"checked":1,"noise":0.001,"clocks":[1970.0,1980.0],"kernels":[{}],"streamed_gbps":350.0}}}}}}"#,
            kernels.join(",")
        )
    }

    #[test]
    fn a_run_is_read_and_the_last_of_a_task_counts() {
        let (table, group) =
            ("aes128-ecb processor=gpu technique=table", "aes128-ecb processor=gpu keys=group");
        let lines = [
            MACHINE.to_owned(),
            r#"{"part":"tune","name":"a","code":1,"seconds":2,"said":"aesmith: no"}"#.into(),
            tune("a", &[(table, 30.0)]),
            tune("b", &[(group, 25.0)]),
            tune("a", &[(table, 20.0), (table, 19.0)]),
            r#"{"part":"cuda","name":"ctr","code":1,"seconds":2,"said":"FAILED: x"}"#.into(),
            r#"{"part":"cuda","name":"ctr","code":0,"seconds":2,"said":"right on A card"}"#.into(),
            r#"{"part":"opencl","name":"ctr","skipped":"there is no CL/cl.h"}"#.into(),
            r#"{"part":"opencl","name":"ecb","skipped":"there is no CL/cl.h"}"#.into(),
            r#"{"part":"sanitizer","name":"ctr","code":124,"said":"slow"}"#.into(),
            r#"{"part":"tune","name":"c","code":1,"seconds":2,"said":"aesmith:\nno result"}"#.into(),
            r#"{"part":"bus","name":"there","code":0,"bytes":16,"seconds":0.1,"gigabytes_a_second":54.8}"#
                .into(),
            r#"{"part":"note","said":"One run."}"#.into(),
        ];
        let run = Recorded::read(&lines.join("\n")).expect("is read");
        let (_, fastest) = run.fastest("aes128-ecb", |_| true).expect("one");
        assert_eq!((fastest.variant.as_str(), fastest.bits), (group, 25.0));
        let (_, fastest) = run.fastest("aes128-ecb", |variant| !variant.contains("keys=")).expect("one");
        assert_eq!(fastest.bits, 20.0, "what was measured again replaces what was");
        assert!(run.fastest("aes128-ctr", |_| true).is_none());
        let text = run.markdown();
        for part in [
            "Measured on A card, driver 1.2, 2026-11-27 (CUDA 13.0). One run.\n",
            "| loads of shared memory | 32.00 |",
            "| aes128-ecb | technique=table | 20.00 | 1.00 to 2.00 | 3.00 | 25.60 | shared memory | 0.80 | 350 |",
            "| cuda | ctr | passed | right on A card |",
            "| opencl | ctr; ecb | not run | there is no CL/cl.h |",
            "| sanitizer | ctr | stopped after its time | slow |",
            "Tasks that ended without figures:\n\n| task | said |\n|---|---|\n| c | no result |\n\n",
            "| there | 54.8 |",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn what_is_no_run_is_refused_with_its_line() {
        for (text, why) in [
            ("", "no line says the machine"),
            (r#"{"part":"cuda","name":"ctr","code":0}"#, "no line says the machine"),
            ("{\"part\":\"note\"}\nhello", "line 2 is not of a run of scripts/card.sh"),
            (&MACHINE.replace("card/1", "card/2"), "line 1 is of the form aesmith-card/2"),
            (&tune("a", &[("v", 1.0)]).replace("\"rounds\":5,", ""), "missing field `rounds`"),
        ] {
            let said = Recorded::read(text).expect_err(text);
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}

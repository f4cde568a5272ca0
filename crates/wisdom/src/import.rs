//! Import of what [`crate::export`] wrote: all of it or nothing. Each line is checked before
//! anything is stored, and the whole is one transaction.

use crate::described::Described;
use crate::record::{Best, MachineModel, Processor, Run, Sample};
use crate::write::{
    insert_best, insert_model, insert_processor, insert_run, insert_sample, processor_id, run_id,
};
use crate::{Store, WisdomError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, Read};

/// Version of the export's format.
pub const FORMAT: u32 = 1;

/// One line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Line {
    /// The first line.
    AesmithWisdom(Header),
    /// A processor; before anything that names it.
    Processor(Processor),
    /// A machine model.
    MachineModel(MachineModel),
    /// A run; before its samples.
    Run(Run),
    /// A sample.
    Sample(Numbered),
    /// A confirmed best.
    Best(Best),
    /// A variant of a described processor.
    Described(Described),
    /// The last line, so that a file that was cut short is noticed.
    End(End),
}

/// The first line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub version: u32,
    /// Version of the tool that wrote it.
    pub tool_version: String,
    /// When, in milliseconds since 1970.
    pub exported_ms: u64,
}

/// The last line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Lines before this one.
    pub lines: u64,
}

/// A sample, and where it belongs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Numbered {
    /// Key of its run.
    pub run: String,
    /// Its number in the run, from 1.
    pub number: u64,
    /// The sample.
    #[serde(flatten)]
    pub sample: Sample,
    /// Names that mean nothing here; a line with any is refused.
    #[serde(flatten)]
    pub unknown: BTreeMap<String, serde_json::Value>,
}

/// What an import brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Processors that were not known.
    pub processors: u64,
    /// Runs that were not known.
    pub runs: u64,
    /// Samples that were not known.
    pub samples: u64,
    /// Bests that were not known.
    pub bests: u64,
    /// Variants of described processors of which nothing newer was known.
    pub described: u64,
    /// Samples that were here already.
    pub known_samples: u64,
}

/// Reads and checks one line by itself, without a store. What a line says of others (that its run
/// is known, that a sample's variant is of the run's problem) is checked by [`Store::import`].
pub fn parse_line(text: &str) -> Result<Line, String> {
    let line: Line = serde_json::from_str(text).map_err(|e| e.to_string())?;
    match &line {
        Line::AesmithWisdom(header) if header.version != FORMAT => {
            return Err(format!(
                "the export has format {}, and this aesmith ({}) reads format {FORMAT}",
                header.version,
                env!("CARGO_PKG_VERSION")
            ));
        }
        Line::AesmithWisdom(_) | Line::End(_) | Line::MachineModel(_) => {}
        Line::Processor(processor) => processor.check()?,
        Line::Run(run) => run.check()?,
        Line::Best(best) => best.check()?,
        Line::Described(described) => described.check()?,
        Line::Sample(numbered) => {
            if numbered.number == 0 || numbered.number > i64::MAX as u64 {
                return Err(format!("`{}` is no number of a sample", numbered.number));
            }
            if let Some(name) = numbered.unknown.keys().next() {
                return Err(format!("`{name}` is no field of a sample"));
            }
            numbered.sample.check()?;
            let problem = numbered.sample.variant.split(' ').next().unwrap_or_default();
            numbered.sample.check_variant(problem)?;
        }
    }
    Ok(line)
}

/// Bytes of the longest line: those that are exported have some thousands, and a model of a machine
/// some ten thousands.
const LONGEST: u64 = 4 << 20;

/// The next line without its end, or none behind the last.
fn next_line(from: &mut impl BufRead) -> Result<Option<String>, String> {
    let mut line = Vec::new();
    from.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line).map_err(|e| e.to_string())?;
    if line.len() as u64 > LONGEST {
        return Err(format!("it is longer than {LONGEST} bytes"));
    }
    if line.is_empty() {
        return Ok(None);
    }
    while line.last().is_some_and(|last| [b'\n', b'\r'].contains(last)) {
        line.pop();
    }
    String::from_utf8(line).map(Some).map_err(|_| "it is no text in UTF-8".into())
}

impl Store {
    /// Imports an export, all or nothing. What is here already stays; a sample or run that is here
    /// with another content refuses the import.
    pub fn import(&mut self, mut from: impl BufRead) -> Result<Imported, WisdomError> {
        let path = self.path.clone();
        // An early return drops the transaction, and that takes everything back.
        let write = self.transaction()?;
        let mut importer = Importer { db: &write, runs: HashMap::new(), imported: Imported::default() };
        let (mut lines, mut ended) = (0u64, false);
        loop {
            lines += 1;
            let wrong = |why: String| WisdomError::Import { line: lines, why };
            let Some(text) = next_line(&mut from).map_err(wrong)? else { break };
            if ended {
                return Err(wrong("there is more after the end line".into()));
            }
            let line = parse_line(&text).map_err(wrong)?;
            match (lines, &line) {
                (1, Line::AesmithWisdom(_)) => continue,
                (1, _) | (_, Line::AesmithWisdom(_)) => {
                    return Err(wrong(
                        "the header line `aesmith-wisdom` must be the first, and only there".into(),
                    ));
                }
                (_, Line::End(end)) => {
                    if end.lines != lines - 1 {
                        return Err(wrong(format!(
                            "the end line counts {} lines before it, and there are {}",
                            end.lines,
                            lines - 1
                        )));
                    }
                    ended = true;
                    continue;
                }
                _ => {}
            }
            importer.add(line).map_err(|e| match e {
                Refusal::Because(why) => wrong(why),
                Refusal::Store(e) => WisdomError::sqlite(&path, e),
            })?;
        }
        if !ended {
            let why = "the file ends without its end line: it was cut short".into();
            return Err(WisdomError::Import { line: lines - 1, why });
        }
        let imported = importer.imported;
        write.commit().map_err(|e| WisdomError::sqlite(&path, e))?;
        Ok(imported)
    }
}

enum Refusal {
    Because(String),
    Store(rusqlite::Error),
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Refusal::Store(error)
    }
}

struct Importer<'a> {
    db: &'a rusqlite::Connection,
    /// Row and problem of each run that this file has brought.
    runs: HashMap<String, (i64, String)>,
    imported: Imported,
}

impl Importer<'_> {
    fn add(&mut self, line: Line) -> Result<(), Refusal> {
        match line {
            Line::AesmithWisdom(_) | Line::End(_) => {}
            Line::Processor(processor) => {
                self.imported.processors += insert_processor(self.db, &processor)? as u64;
            }
            Line::MachineModel(model) => {
                self.processor(&model.processor)?;
                insert_model(self.db, &model)?;
            }
            Line::Described(row) => {
                self.imported.described += crate::described::insert(self.db, &row)? as u64;
            }
            Line::Run(run) => self.run(&run)?,
            Line::Sample(numbered) => self.sample(&numbered)?,
            Line::Best(best) => {
                let (id, problem) = self.known_run(&best.run)?;
                if problem != best.problem {
                    return Err(Refusal::Because(format!(
                        "a best of {} in a run of {problem}",
                        best.problem
                    )));
                }
                self.imported.bests += insert_best(self.db, id, &best)? as u64;
            }
        }
        Ok(())
    }

    fn processor(&self, key: &str) -> Result<(), Refusal> {
        match processor_id(self.db, key)? {
            Some(_) => Ok(()),
            None => Err(Refusal::Because(format!("no line before names the processor {key}"))),
        }
    }

    fn known_run(&self, key: &str) -> Result<(i64, String), Refusal> {
        let found = self.runs.get(key).cloned();
        found.ok_or_else(|| Refusal::Because(format!("no line before names the run {key}")))
    }

    fn run(&mut self, run: &Run) -> Result<(), Refusal> {
        self.processor(&run.processor)?;
        let id = match run_id(self.db, &run.key)? {
            Some(id) => {
                let (problem, seed, started): (String, i64, i64) = self.db.query_row(
                    "SELECT problem, seed, started_ms FROM run WHERE id = ?1",
                    [id],
                    |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
                )?;
                if (problem, seed as u64, started as u64) != (run.problem.clone(), run.seed, run.started_ms) {
                    return Err(Refusal::Because(format!(
                        "the store has another run with the key {}",
                        run.key
                    )));
                }
                id
            }
            None => {
                insert_run(self.db, run)?;
                self.imported.runs += 1;
                self.db.last_insert_rowid()
            }
        };
        self.runs.insert(run.key.clone(), (id, run.problem.clone()));
        Ok(())
    }

    fn sample(&mut self, numbered: &Numbered) -> Result<(), Refusal> {
        let (id, problem) = self.known_run(&numbered.run)?;
        numbered.sample.check_variant(&problem).map_err(Refusal::Because)?;
        match crate::read::sample_at(self.db, id, numbered.number)? {
            Some(here) if here == numbered.sample => self.imported.known_samples += 1,
            Some(_) => {
                return Err(Refusal::Because(format!(
                    "the store has another sample {} of the run {}",
                    numbered.number, numbered.run
                )));
            }
            None => {
                insert_sample(self.db, id, numbered.number as i64, &numbered.sample)?;
                self.imported.samples += 1;
            }
        }
        Ok(())
    }
}

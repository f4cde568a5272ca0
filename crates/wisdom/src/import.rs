//! Imports an export of [`crate::export`], completely or not at all. Each line is checked before anything is stored,
//! and the whole import is one transaction.

use crate::earlier::VariantLine;
use crate::record::{Best, MachineModel, Processor, Run, Sample, processor_of, technique_of, unit_of};
use crate::write::{
    insert_best, insert_model, insert_processor, insert_run, insert_sample, processor_id, run_id,
};
use crate::{Store, WisdomError};
use aesmith_arrange::Table;
use aesmith_cipher::Calls;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufRead, Read};

/// Version of the export's format. Older formats are read too: 1 had processors by the fields of CPUID, and lines
/// `described`; 2 had runs for calls in steady state only.
pub const FORMAT: u32 = 3;

/// One line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Line {
    /// The first line.
    AesmithWisdom(Header),
    /// A processor; it precedes everything that names it.
    Processor(Processor),
    /// A machine model.
    MachineModel(MachineModel),
    /// A run; it precedes its samples.
    Run(Run),
    /// A sample.
    Sample(Numbered),
    /// A confirmed best.
    Best(Best),
    /// A record of format 1 about a variant of a processor with exact judges; never written.
    #[serde(rename = "described")]
    Earlier(VariantLine),
    /// The last line, by which truncated files are detected.
    End(End),
}

/// The first line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`], or an older one.
    pub version: u32,
    /// Version of the tool that wrote it.
    pub tool_version: String,
    /// Time of the export, in milliseconds since 1970.
    pub exported_ms: u64,
}

/// The last line of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Number of lines before this one.
    pub lines: u64,
}

/// A sample, with its run and number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Numbered {
    /// Key of its run.
    pub run: String,
    /// Its number in the run, from 1.
    pub number: u64,
    /// The sample.
    #[serde(flatten)]
    pub sample: Sample,
    /// Unknown names; a line with any is refused.
    #[serde(flatten)]
    pub unknown: BTreeMap<String, serde_json::Value>,
}

/// Numbers of imported records.
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
    /// New lines of format 1 about variants of processors with exact judges; their contents are counted among the
    /// samples and bests.
    pub earlier: u64,
    /// Samples that the store already had.
    pub known_samples: u64,
}

/// Parses and checks one line by itself, without a store. [`Store::import`] checks its relations to other lines (the
/// run is known, a sample's variant is of the run's problem). Fields that an older format lacks are filled in. Variants
/// that name no processor are read by `table`.
pub fn parse_line(text: &str, table: &'static Table) -> Result<Line, String> {
    let mut line: Line = serde_json::from_str(text).map_err(|e| e.to_string())?;
    match &mut line {
        Line::Run(run) => {
            if run.unit.is_empty() {
                run.unit = unit_of(&run.problem).into();
            }
            if run.calls.is_empty() {
                run.calls = Calls::Steady.name().into();
            }
        }
        Line::Sample(Numbered { sample: Sample { technique, variant, .. }, .. })
        | Line::Best(Best { technique, variant, .. })
            if technique.is_empty() =>
        {
            *technique = technique_of(variant);
        }
        _ => {}
    }
    match &line {
        Line::AesmithWisdom(header) if !(1..=FORMAT).contains(&header.version) => {
            return Err(format!(
                "the export has format {}, and this aesmith ({}) reads formats 1 to {FORMAT}",
                header.version,
                env!("CARGO_PKG_VERSION")
            ));
        }
        Line::AesmithWisdom(_) | Line::End(_) | Line::MachineModel(_) => {}
        Line::Processor(processor) => processor.check()?,
        Line::Run(run) => run.check()?,
        Line::Best(best) => {
            best.check_variant(table)?;
            best.check()?;
        }
        Line::Earlier(variant) => variant.check()?,
        Line::Sample(numbered) => {
            if numbered.number == 0 || numbered.number > i64::MAX as u64 {
                return Err(format!("`{}` is no number of a sample", numbered.number));
            }
            if let Some(name) = numbered.unknown.keys().next() {
                return Err(format!("`{name}` is no field of a sample"));
            }
            numbered.sample.check()?;
            let variant = &numbered.sample.variant;
            let problem = variant.split(' ').next().unwrap_or_default();
            numbered.sample.check_variant(problem, processor_of(variant).unwrap_or_default(), table)?;
        }
    }
    Ok(line)
}

/// Maximum bytes of a line: exported ones have some thousands, and a machine model some ten thousands.
const LONGEST: u64 = 4 << 20;

/// The next line without its end, or `None` after the last.
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
    /// Imports an export, completely or not at all. Existing records stay; a sample or run that exists with different
    /// content makes the import fail. Variants that name no processor are read by `table`.
    pub fn import(&mut self, mut from: impl BufRead, table: &'static Table) -> Result<Imported, WisdomError> {
        let path = self.path.clone();
        // An early return drops the transaction, which rolls everything back.
        let write = self.transaction()?;
        let mut importer = Importer {
            db: &write,
            table,
            exported_ms: 0,
            runs: HashMap::new(),
            known: HashMap::new(),
            imported: Imported::default(),
        };
        let (mut lines, mut ended) = (0u64, false);
        loop {
            lines += 1;
            let wrong = |why: String| WisdomError::Import { line: lines, why };
            let Some(text) = next_line(&mut from).map_err(wrong)? else { break };
            if ended {
                return Err(wrong("there is more after the end line".into()));
            }
            let line = parse_line(&text, table).map_err(wrong)?;
            match (lines, &line) {
                (1, Line::AesmithWisdom(header)) => {
                    importer.exported_ms = header.exported_ms;
                    continue;
                }
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
            importer.add(lines, line).map_err(|e| match e {
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
    /// The dimensions of variants that name no processor.
    table: &'static Table,
    /// Time of the export, in milliseconds since 1970.
    exported_ms: u64,
    /// Row, problem and processor of each run in this file.
    runs: HashMap<String, (i64, String, String)>,
    /// Texts of the samples of exact judges that existed before, by the run that lines of format 1 are added to.
    known: HashMap<String, HashSet<String>>,
    imported: Imported,
}

impl Importer<'_> {
    fn add(&mut self, number: u64, line: Line) -> Result<(), Refusal> {
        match line {
            Line::AesmithWisdom(_) | Line::End(_) => {}
            Line::Processor(processor) => {
                self.imported.processors += insert_processor(self.db, &processor)? as u64;
            }
            Line::MachineModel(model) => {
                self.processor(&model.processor)?;
                insert_model(self.db, &model)?;
            }
            Line::Earlier(variant) => self.earlier(number, &variant)?,
            Line::Run(run) => self.run(&run)?,
            Line::Sample(numbered) => self.sample(&numbered)?,
            Line::Best(best) => {
                let (id, problem, _) = self.known_run(&best.run)?;
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

    fn known_run(&self, key: &str) -> Result<(i64, String, String), Refusal> {
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
        self.runs.insert(run.key.clone(), (id, run.problem.clone(), run.processor.clone()));
        Ok(())
    }

    fn sample(&mut self, numbered: &Numbered) -> Result<(), Refusal> {
        let (id, problem, processor) = self.known_run(&numbered.run)?;
        numbered.sample.check_variant(&problem, &processor, self.table).map_err(Refusal::Because)?;
        match crate::rows::sample_at(self.db, id, numbered.number)? {
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

    /// Converts a line of format 1 to samples and possibly a best of a run that is named after the file. Records that
    /// any run already has are left out: the numbers of samples follow from the line's, so that the run is equal in
    /// every store into which the file is imported.
    fn earlier(&mut self, line: u64, variant: &VariantLine) -> Result<(), Refusal> {
        let VariantLine { processor, problem, tool_version, .. } = variant;
        let key = format!("{processor} {problem} {tool_version}, exported at {}", self.exported_ms);
        if !self.known.contains_key(&key) {
            let known = crate::rows::texts_of(self.db, [processor, problem, tool_version])?;
            self.known.insert(key.clone(), known);
        }
        let known = &self.known[&key];
        let samples = (2 * line..).zip(variant.samples());
        let (old, new): (Vec<_>, Vec<_>) = samples.partition(|(_, sample)| known.contains(&sample.text()));
        self.imported.known_samples += old.len() as u64;
        let best = variant.best(&key);
        let best = match best {
            Some(best) if crate::rows::has_best(self.db, &best)? => None,
            best => best,
        };
        if new.is_empty() && best.is_none() {
            return Ok(());
        }
        let named = Processor::named(processor, processor);
        self.imported.processors += insert_processor(self.db, &named)? as u64;
        let run = variant.run(key.clone(), self.exported_ms);
        run.check().map_err(Refusal::Because)?;
        self.run(&run)?;
        for (number, sample) in new {
            let run = key.clone();
            self.sample(&Numbered { run, number, sample, unknown: BTreeMap::new() })?;
        }
        if let Some(best) = best {
            let (id, ..) = self.known_run(&key)?;
            self.imported.bests += insert_best(self.db, id, &best)? as u64;
        }
        self.imported.earlier += 1;
        Ok(())
    }
}

//! Exports the store as readable lines of JSON, with a header first and an end line last.

use crate::import::{End, FORMAT, Header, Line, Numbered};
use crate::read::Filter;
use crate::write::now_ms;
use crate::{Store, WisdomError};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The reason why an export failed.
#[derive(Debug)]
pub enum ExportError {
    /// The store could not be read.
    Store(WisdomError),
    /// The output could not be written.
    Output(io::Error),
}

impl std::fmt::Display for ExportError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ExportError::Store(e) => e.fmt(f),
            ExportError::Output(e) => write!(f, "the export could not be written: {e}"),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<WisdomError> for ExportError {
    fn from(error: WisdomError) -> Self {
        ExportError::Store(error)
    }
}

/// Counts the lines that it writes.
struct Lines<W: Write> {
    to: W,
    lines: u64,
}

impl<W: Write> Lines<W> {
    fn put(&mut self, line: &Line) -> io::Result<()> {
        serde_json::to_writer(&mut self.to, line)?;
        self.to.write_all(b"\n")?;
        self.lines += 1;
        Ok(())
    }
}

impl Store {
    /// Writes the records that a filter selects, from one snapshot, and returns the number of samples.
    pub fn export(&self, filter: &Filter, to: impl Write) -> Result<u64, ExportError> {
        // One read transaction, because another process may be writing.
        let snapshot = self.db.unchecked_transaction().map_err(|e| self.error(e))?;
        let mut out = Lines { to, lines: 0 };
        let mut put = |line: &Line| out.put(line).map_err(ExportError::Output);
        put(&Line::AesmithWisdom(Header {
            version: FORMAT,
            tool_version: env!("CARGO_PKG_VERSION").into(),
            exported_ms: now_ms(),
        }))?;
        let runs = self.all_runs(filter)?;
        for processor in self.processors()? {
            let key = processor.key.clone();
            let wanted = match &filter.processor {
                Some(wanted) => *wanted == key,
                None => filter.problem.is_none() || runs.iter().any(|r| r.run.processor == key),
            };
            if wanted {
                put(&Line::Processor(processor))?;
                let mut models = Vec::new();
                self.each_machine_model(Some(&key), |model| {
                    models.push(model);
                    Ok(())
                })?;
                models.into_iter().try_for_each(|m| put(&Line::MachineModel(m)))?;
            }
        }
        let mut samples = 0;
        for row in runs {
            let key = row.run.key.clone();
            put(&Line::Run(row.run))?;
            let mut failed = None;
            self.each_sample(row.id, |number, sample| {
                samples += 1;
                if failed.is_none() {
                    failed = put(&Line::Sample(Numbered {
                        run: key.clone(),
                        number,
                        sample,
                        unknown: BTreeMap::new(),
                    }))
                    .err();
                }
                Ok(())
            })?;
            failed.map_or(Ok(()), Err)?;
        }
        for best in self.all_best_history(filter)? {
            put(&Line::Best(best))?;
        }
        let lines = out.lines;
        out.put(&Line::End(End { lines })).and_then(|()| out.to.flush()).map_err(ExportError::Output)?;
        drop(snapshot);
        Ok(samples)
    }
}

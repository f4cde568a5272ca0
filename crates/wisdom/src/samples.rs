//! Samples as one flat table, for spreadsheets and statistics: one row a sample, with the properties of its run.

use crate::Store;
use crate::export::ExportError;
use crate::read::Filter;
use serde_json::Value;
use std::io::Write;

/// Format of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values (RFC 4180) with a header line.
    Csv,
    /// One JSON object per line.
    Json,
}

/// The columns, in order.
pub const COLUMNS: [&str; 24] = [
    "run",
    "started_ms",
    "processor",
    "problem",
    "bytes",
    "calls",
    "strategy",
    "seed",
    "unit",
    "sample",
    "trial",
    "phase",
    "technique",
    "variant",
    "sha256",
    "verdict",
    "cost",
    "judge",
    "flash",
    "ram",
    "stack",
    "instructions",
    "time_ms",
    "message",
];

impl Store {
    /// Writes the samples that a filter selects as a table, from one snapshot, and returns their number.
    ///
    /// # Errors
    /// The store cannot be read, or the output not written.
    pub fn export_samples(
        &self,
        filter: &Filter,
        format: Format,
        mut to: impl Write,
    ) -> Result<u64, ExportError> {
        let snapshot = self.db.unchecked_transaction().map_err(|e| self.error(e))?;
        if format == Format::Csv {
            writeln!(to, "{}", COLUMNS.join(",")).map_err(ExportError::Output)?;
        }
        let mut samples = 0;
        for row in self.all_runs(filter)? {
            let run = &row.run;
            let mut failed = None;
            self.each_sample(row.id, |number, sample| {
                samples += 1;
                let costs = sample.costs;
                let values: [Value; COLUMNS.len()] = [
                    run.key.clone().into(),
                    run.started_ms.into(),
                    run.processor.clone().into(),
                    run.problem.clone().into(),
                    sample.size.into(),
                    run.calls.clone().into(),
                    run.strategy.clone().into(),
                    run.seed.into(),
                    run.unit.clone().into(),
                    number.into(),
                    sample.trial.into(),
                    sample.phase.into(),
                    sample.technique.into(),
                    sample.variant.into(),
                    sample.sha256.into(),
                    sample.verdict.into(),
                    sample.cost.into(),
                    if sample.judge.is_empty() { run.judge.clone().into() } else { sample.judge.into() },
                    costs.map(|c| c.flash).into(),
                    costs.map(|c| c.ram).into(),
                    costs.map(|c| c.stack).into(),
                    sample.instructions.into(),
                    sample.time_ms.into(),
                    sample.message.into(),
                ];
                if failed.is_none() {
                    failed = writeln!(to, "{}", line(format, values)).err();
                }
                Ok(())
            })?;
            failed.map_or(Ok(()), |e| Err(ExportError::Output(e)))?;
        }
        to.flush().map_err(ExportError::Output)?;
        drop(snapshot);
        Ok(samples)
    }
}

fn line(format: Format, values: [Value; COLUMNS.len()]) -> String {
    match format {
        Format::Csv => values.iter().map(field).collect::<Vec<_>>().join(","),
        Format::Json => {
            let object = COLUMNS.into_iter().map(str::to_owned).zip(values).collect();
            Value::Object(object).to_string()
        }
    }
}

/// A CSV field: empty for an unknown value, quoted if it contains a comma, a quote or a line break.
fn field(value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        assert_eq!(field(&Value::Null), "");
        assert_eq!(field(&0.25.into()), "0.25");
        assert_eq!(field(&"plain text=1".into()), "plain text=1");
        assert_eq!(field(&"a,b \"c\"\nd".into()), "\"a,b \"\"c\"\"\nd\"");
    }
}

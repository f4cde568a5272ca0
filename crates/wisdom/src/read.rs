//! Queries: the contents of the store, the samples of a run (to resume it), and the data of reports.

use crate::preferred::preferred;
use crate::record::{Best, MachineModel, Processor, Run, Sample};
use crate::rows::{
    BEST_COLUMNS, RUN_COLUMNS, RUN_WIDTH, SAMPLE_COLUMNS, SAMPLE_WIDTH, json, read_best, read_run,
    read_sample,
};
use crate::{RunId, Store, WisdomError};
use aesmith_arrange::{Dimension, Technique, Values};
use aesmith_cipher::{Calls, Problem};
use rusqlite::{Row, types::Value};
use std::collections::BTreeMap;

/// Selects runs. A field that is `None` restricts nothing.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Key of a processor.
    pub processor: Option<String>,
    /// A problem.
    pub problem: Option<Problem>,
    /// Bytes of a message.
    pub size: Option<u64>,
}

impl Filter {
    /// Selects all runs of one problem, size and processor.
    pub fn exactly(processor: &str, problem: Problem, size: u64) -> Filter {
        Filter { processor: Some(processor.into()), problem: Some(problem), size: Some(size) }
    }

    /// An SQL condition over the tables `run` and `processor`, and its values.
    pub(crate) fn clause(&self) -> (String, Vec<Value>) {
        let parts = [
            ("processor.key", self.processor.clone().map(Value::Text)),
            ("run.problem", self.problem.map(|p| Value::Text(p.to_string()))),
            ("run.size", self.size.map(|s| Value::Integer(s as i64))),
        ];
        let mut clause = String::from("TRUE");
        let mut values = Vec::new();
        for (column, value) in parts {
            if let Some(value) = value {
                values.push(value);
                clause.push_str(&format!(" AND {column} = ?{}", values.len()));
            }
        }
        (clause, values)
    }

    /// Like `clause`, but only for runs of the given calls.
    fn clause_about(&self, calls: Calls) -> (String, Vec<Value>) {
        let (mut clause, mut values) = self.clause();
        values.push(Value::Text(calls.name().into()));
        clause.push_str(&format!(" AND run.calls = ?{}", values.len()));
        (clause, values)
    }
}

/// A run with a summary of its samples.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its handle in this store.
    pub id: RunId,
    /// The run.
    pub run: Run,
    /// Number of its samples.
    pub samples: u64,
    /// Its lowest screened or modelled cost.
    pub best: Option<f64>,
}

/// The stored result of one screened variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    /// Number of the trial.
    pub trial: u64,
    /// The variant in text form.
    pub variant: String,
    /// SHA-256 of its kernel.
    pub sha256: Option<String>,
    /// Its verdict.
    pub verdict: String,
    /// The reason why there is no cost.
    pub message: String,
    /// Number of movable instructions of its main loop.
    pub instructions: u16,
    /// Its cost.
    pub cost: Option<f64>,
}

/// One cell of a surface over two dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Value of the first dimension; for a mask, its number of bits.
    pub x: u16,
    /// Value of the second dimension.
    pub y: u16,
    /// The cell's kernels by SHA-256, each with its lowest screened cost. Cells may share kernels.
    pub kernels: BTreeMap<String, f64>,
    /// Number of samples in the cell.
    pub samples: u64,
}

/// Condition for the samples of a search: measured ones, or modelled ones if the judge is exact.
const SEARCHED: &str = "phase IN ('screen', 'model')";

impl Store {
    /// Processors, in order of first appearance.
    pub fn processors(&self) -> Result<Vec<Processor>, WisdomError> {
        let mut all = Vec::new();
        let sql = "SELECT key, name, attributes FROM processor ORDER BY id";
        self.each_row(sql, &[], |row| {
            all.push(Processor { key: row.get(0)?, name: row.get(1)?, attributes: json(row, 2)? });
            Ok(())
        })?;
        Ok(all)
    }

    /// The newest machine model of a processor.
    pub fn machine_model(&self, processor: &str) -> Result<Option<MachineModel>, WisdomError> {
        let mut newest = None;
        self.each_machine_model(Some(processor), |model| {
            newest = Some(model);
            Ok(())
        })?;
        Ok(newest)
    }

    /// The finding of a processor under a name.
    pub fn finding(&self, processor: &str, name: &str) -> Result<Option<serde_json::Value>, WisdomError> {
        let sql = "SELECT json FROM finding JOIN processor ON processor.id = finding.processor
                   WHERE key = ?1 AND finding.name = ?2";
        let mut text: Option<String> = None;
        self.each_row(sql, &[Value::Text(processor.into()), Value::Text(name.into())], |row| {
            text = Some(row.get(0)?);
            Ok(())
        })?;
        Ok(text.and_then(|t| serde_json::from_str(&t).ok()))
    }

    /// Calls `visit` with the machine models of one processor or of all, oldest first.
    pub fn each_machine_model(
        &self,
        processor: Option<&str>,
        mut visit: impl FnMut(MachineModel) -> rusqlite::Result<()>,
    ) -> Result<(), WisdomError> {
        let sql = "SELECT key, made_ms, tool_version, json FROM machine_model JOIN processor
                   ON processor.id = machine_model.processor WHERE ?1 IS NULL OR key = ?1 ORDER BY made_ms";
        let key = processor.map_or(Value::Null, |p| Value::Text(p.into()));
        self.each_row(sql, &[key], |row| {
            visit(MachineModel {
                processor: row.get(0)?,
                made_ms: row.get::<_, i64>(1)? as u64,
                tool_version: row.get(2)?,
                model: json(row, 3)?,
            })
        })
    }

    /// The selected runs that are for the store's calls, oldest first, with summaries.
    pub fn runs(&self, filter: &Filter) -> Result<Vec<RunRow>, WisdomError> {
        self.runs_where(filter.clause_about(self.calls))
    }

    /// The selected runs, for all calls.
    pub fn all_runs(&self, filter: &Filter) -> Result<Vec<RunRow>, WisdomError> {
        self.runs_where(filter.clause())
    }

    fn runs_where(&self, (clause, values): (String, Vec<Value>)) -> Result<Vec<RunRow>, WisdomError> {
        let sql = format!(
            "SELECT {RUN_COLUMNS}, (SELECT count(*) FROM sample WHERE run = run.id),
                    (SELECT min(cost) FROM sample WHERE run = run.id AND {SEARCHED})
             FROM run JOIN processor ON processor.id = run.processor WHERE {clause} ORDER BY run.id"
        );
        let mut all = Vec::new();
        self.each_row(&sql, &values, |row| {
            all.push(RunRow {
                id: RunId(row.get(15)?),
                run: read_run(row)?,
                samples: row.get::<_, i64>(RUN_WIDTH)? as u64,
                best: row.get(RUN_WIDTH + 1)?,
            });
            Ok(())
        })?;
        Ok(all)
    }

    /// Calls `visit` with every sample of a run, in order of arrival.
    pub fn each_sample(
        &self,
        run: RunId,
        mut visit: impl FnMut(u64, Sample) -> rusqlite::Result<()>,
    ) -> Result<(), WisdomError> {
        let sql = format!("SELECT {SAMPLE_COLUMNS}, number FROM sample WHERE run = ?1 ORDER BY number");
        self.each_row(&sql, &[Value::Integer(run.0)], |row| {
            visit(row.get::<_, i64>(SAMPLE_WIDTH)? as u64, read_sample(row)?)
        })
    }

    /// The screened samples of a run, in order of trial: enough to resume it.
    pub fn screened(&self, run: RunId) -> Result<Vec<Sampled>, WisdomError> {
        let sql = "SELECT trial, variant, sha256, verdict, message, instructions, cost FROM sample
                   WHERE run = ?1 AND phase = 'screen' ORDER BY trial, number";
        self.sampled(sql, &[Value::Integer(run.0)])
    }

    /// The variants of a problem, size and processor in all runs for the store's calls: each variant once, with the
    /// lowest cost that a search found.
    pub fn known(&self, filter: &Filter) -> Result<Vec<Sampled>, WisdomError> {
        let (clause, values) = filter.clause_about(self.calls);
        let sql = format!(
            "SELECT trial, variant, sha256, verdict, message, instructions, min(cost) FROM sample
             JOIN run ON run.id = sample.run JOIN processor ON processor.id = run.processor
             WHERE {SEARCHED} AND {clause} GROUP BY variant"
        );
        self.sampled(&sql, &values)
    }

    /// The lowest screened cost of a run as a function of the trial: the improvements and the last trial.
    pub fn convergence(&self, run: RunId) -> Result<Vec<(u64, f64)>, WisdomError> {
        let sql = format!(
            "SELECT trial, cost FROM sample WHERE run = ?1 AND {SEARCHED} AND trial > 0 ORDER BY trial, number"
        );
        let (mut line, mut last): (Vec<(u64, f64)>, u64) = (Vec::new(), 0);
        self.each_row(&sql, &[Value::Integer(run.0)], |row| {
            last = row.get::<_, i64>(0)? as u64;
            let cost: Option<f64> = row.get(1)?;
            if let Some(cost) = cost
                && line.last().is_none_or(|(_, best)| cost < *best)
            {
                line.push((last, cost));
            }
            Ok(())
        })?;
        if let Some(&(trial, best)) = line.last()
            && trial < last
        {
            line.push((last, best));
        }
        Ok(line)
    }

    /// Numbers of screened samples of a run by verdict.
    pub fn verdicts(&self, run: RunId) -> Result<Vec<(String, u64)>, WisdomError> {
        let sql = format!(
            "SELECT verdict, count(*) FROM sample WHERE run = ?1 AND {SEARCHED}
             GROUP BY verdict ORDER BY 2 DESC"
        );
        let mut all = Vec::new();
        self.each_row(&sql, &[Value::Integer(run.0)], |row| {
            all.push((row.get(0)?, row.get::<_, i64>(1)? as u64));
            Ok(())
        })?;
        Ok(all)
    }

    /// The kernels for each pair of values of two dimensions of a problem with their lowest screened costs; masks count
    /// by their number of bits. `keep` selects variants (by their text form). Empty if the problem lacks one of the
    /// dimensions.
    pub fn surface(
        &self,
        (processor, problem, size): (&str, Problem, u64),
        x: &Dimension,
        y: &Dimension,
        mut keep: impl FnMut(&str) -> bool,
    ) -> Result<Vec<Cell>, WisdomError> {
        if ![x, y].iter().all(|d| Technique::ALL.iter().any(|&t| (d.has)(problem, t))) {
            return Ok(Vec::new());
        }
        let (clause, values) = Filter::exactly(processor, problem, size).clause_about(self.calls);
        let sql = format!(
            "SELECT variant, cost, sha256 FROM sample JOIN run ON run.id = sample.run
             JOIN processor ON processor.id = run.processor
             WHERE phase = 'screen' AND cost IS NOT NULL AND sha256 IS NOT NULL AND {clause}"
        );
        let mut cells: BTreeMap<(u16, u16), Cell> = BTreeMap::new();
        self.each_row(&sql, &values, |row| {
            let text = row.get_ref(0)?.as_str()?;
            let cost: f64 = row.get(1)?;
            if let (true, Some(x), Some(y)) = (keep(text), value_of(text, x), value_of(text, y)) {
                let start = Cell { x, y, kernels: BTreeMap::new(), samples: 0 };
                let cell = cells.entry((x, y)).or_insert(start);
                let lowest = cell.kernels.entry(row.get(2)?).or_insert(f64::INFINITY);
                *lowest = lowest.min(cost);
                cell.samples += 1;
            }
            Ok(())
        })?;
        Ok(cells.into_values().collect())
    }

    /// The last confirmation, for each restriction, of each selected kernel that was ever a run's best, oldest first,
    /// from runs for the store's calls. The caller decides which of them is the best for its purpose.
    pub fn bests(&self, filter: &Filter) -> Result<Vec<Best>, WisdomError> {
        self.read_bests("best_now", filter.clause_about(self.calls))
    }

    /// Like [`Store::bests`], but from runs for all calls: variants that are worth trying, but whose costs are not
    /// comparable.
    pub fn all_bests(&self, filter: &Filter) -> Result<Vec<Best>, WisdomError> {
        self.read_bests("best_now", filter.clause())
    }

    /// All confirmed bests that a filter selects, from runs for the store's calls, oldest first.
    pub fn best_history(&self, filter: &Filter) -> Result<Vec<Best>, WisdomError> {
        self.read_bests("best_history", filter.clause_about(self.calls))
    }

    /// All confirmed bests that a filter selects, from runs for all calls, oldest first.
    pub fn all_best_history(&self, filter: &Filter) -> Result<Vec<Best>, WisdomError> {
        self.read_bests("best_history", filter.clause())
    }

    fn read_bests(
        &self,
        view: &str,
        (clause, values): (String, Vec<Value>),
    ) -> Result<Vec<Best>, WisdomError> {
        let clause = clause.replace("processor.key", "processor").replace("run.", "");
        let sql =
            format!("SELECT {BEST_COLUMNS} FROM {view} WHERE {clause} ORDER BY problem, size, confirmed_ms");
        let mut all = Vec::new();
        self.each_row(&sql, &values, |row| {
            all.push(read_best(row)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn sampled(&self, sql: &str, values: &[Value]) -> Result<Vec<Sampled>, WisdomError> {
        let mut all = Vec::new();
        self.each_row(sql, values, |row| {
            all.push(Sampled {
                trial: row.get::<_, i64>(0)? as u64,
                variant: row.get(1)?,
                sha256: row.get(2)?,
                verdict: row.get(3)?,
                message: row.get(4)?,
                instructions: row.get(5)?,
                cost: row.get(6)?,
            });
            Ok(())
        })?;
        Ok(all)
    }

    pub(crate) fn each_row(
        &self,
        sql: &str,
        values: &[Value],
        mut visit: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), WisdomError> {
        let mut all = || {
            let mut statement = self.db.prepare_cached(sql)?;
            let mut rows = statement.query(rusqlite::params_from_iter(values))?;
            while let Some(row) = rows.next()? {
                visit(row)?;
            }
            Ok(())
        };
        all().map_err(|e| self.error(e))
    }
}

/// The preferred kernel of each processor, problem, size, restriction and technique among confirmed kernels, in the
/// order of these; runs without restriction first.
pub fn leaders(mut bests: Vec<Best>) -> Vec<Best> {
    let group = |b: &Best| {
        (b.problem.clone(), b.size, b.processor.clone(), b.restriction.clone(), b.technique.clone())
    };
    bests.sort_by(|a, b| group(a).cmp(&group(b)).then(a.median.total_cmp(&b.median)));
    let groups = bests.chunk_by(|a, b| group(a) == group(b));
    groups.filter_map(|group| Some(group[preferred(group, Best::merits)?].clone())).collect()
}

/// The value of a dimension in a variant's text form; for a mask, its number of bits.
fn value_of(text: &str, dimension: &Dimension) -> Option<u16> {
    let word = text.split(' ').find_map(|w| w.strip_prefix(dimension.name)?.strip_prefix('='));
    let value = word.map_or(Some(dimension.default), |w| dimension.read(w).ok())?;
    Some(if let Values::Mask(_) = dimension.values { value.count_ones() as u16 } else { value })
}

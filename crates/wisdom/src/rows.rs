//! Conversion of rows of the store to records: the columns and their order, and queries for single rows.

use crate::record::{Best, Costs, Run, Sample};
use rusqlite::{Connection, OptionalExtension, Row};
use std::collections::HashSet;

/// The columns of a run, as [`read_run`] reads them, including its row id; and their number.
pub(crate) const RUN_COLUMNS: &str =
    "run.key, processor.key, run.problem, run.size, strategy, seed, options, judge,
    run.tool_version, session, command, state, started_ms, finished_ms, unit, run.id, run.calls, run.search";
pub(crate) const RUN_WIDTH: usize = 18;
/// The columns of a sample, as [`read_sample`] reads them, and their number.
pub(crate) const SAMPLE_COLUMNS: &str =
    "trial, phase, sample.size, variant, technique, sha256, verdict, message, instructions, cost,
    cycles, ticks, sample.time_ms, sample.judge, once, flash, ram, stack, same_path, blocks";
pub(crate) const SAMPLE_WIDTH: usize = 20;
/// The columns of a best, as [`read_best`] reads them.
pub(crate) const BEST_COLUMNS: &str =
    "processor, problem, size, run_key, confirmed_ms, variant, technique, sha256, certificate, judge, low,
    median, high, baseline, bound, restriction, code, noise";
/// One sample of a run by its number.
pub(crate) fn sample_at(db: &Connection, run: i64, number: u64) -> rusqlite::Result<Option<Sample>> {
    let sql = format!("SELECT {SAMPLE_COLUMNS} FROM sample WHERE run = ?1 AND number = ?2");
    db.prepare_cached(&sql)?.query_row([run, number as i64], read_sample).optional()
}

/// The texts of all samples of exact judges of a processor, problem and version.
pub(crate) fn texts_of(db: &Connection, run: [&str; 3]) -> rusqlite::Result<HashSet<String>> {
    let sql = format!(
        "SELECT {SAMPLE_COLUMNS} FROM sample JOIN run ON run.id = sample.run
         JOIN processor ON processor.id = run.processor WHERE processor.key = ?1 AND run.problem = ?2
         AND run.tool_version = ?3 AND phase IN ('model', 'judge')"
    );
    let mut statement = db.prepare_cached(&sql)?;
    statement.query_map(run, |row| Ok(read_sample(row)?.text()))?.collect()
}

/// True if any run confirmed this kernel at this time.
pub(crate) fn has_best(db: &Connection, best: &Best) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM best_history WHERE processor = ?1 AND problem = ?2 AND variant = ?3
               AND confirmed_ms = ?4 AND sha256 = ?5";
    let values =
        rusqlite::params![best.processor, best.problem, best.variant, best.confirmed_ms as i64, best.sha256];
    db.prepare_cached(sql)?.exists(values)
}

pub(crate) fn read_run(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        key: row.get(0)?,
        processor: row.get(1)?,
        problem: row.get(2)?,
        size: row.get::<_, i64>(3)? as u64,
        strategy: row.get(4)?,
        seed: row.get::<_, i64>(5)? as u64,
        options: row.get(6)?,
        judge: row.get(7)?,
        tool_version: row.get(8)?,
        session: row.get(9)?,
        command: row.get(10)?,
        state: row.get(11)?,
        started_ms: row.get::<_, i64>(12)? as u64,
        finished_ms: row.get::<_, Option<i64>>(13)?.map(|t| t as u64),
        unit: row.get(14)?,
        calls: row.get(16)?,
        search: match row.get_ref(17)? {
            rusqlite::types::ValueRef::Null => None,
            _ => Some(json(row, 17)?),
        },
    })
}

pub(crate) fn read_sample(row: &Row<'_>) -> rusqlite::Result<Sample> {
    let whole = |column: usize| row.get::<_, i64>(column).map(|n| n as u64);
    let costs = match row.get::<_, Option<f64>>(14)? {
        Some(once) => Some(Costs {
            once,
            flash: whole(15)?,
            ram: whole(16)?,
            stack: whole(17)?,
            same_path: row.get(18)?,
            blocks: row.get(19)?,
        }),
        None => None,
    };
    Ok(Sample {
        trial: whole(0)?,
        phase: row.get(1)?,
        size: whole(2)?,
        variant: row.get(3)?,
        technique: row.get(4)?,
        sha256: row.get(5)?,
        verdict: row.get(6)?,
        message: row.get(7)?,
        instructions: row.get(8)?,
        cost: row.get(9)?,
        cycles: json(row, 10)?,
        ticks: json(row, 11)?,
        time_ms: whole(12)?,
        judge: row.get(13)?,
        costs,
    })
}

pub(crate) fn read_best(row: &Row<'_>) -> rusqlite::Result<Best> {
    Ok(Best {
        processor: row.get(0)?,
        problem: row.get(1)?,
        size: row.get::<_, i64>(2)? as u64,
        run: row.get(3)?,
        confirmed_ms: row.get::<_, i64>(4)? as u64,
        variant: row.get(5)?,
        technique: row.get(6)?,
        sha256: row.get(7)?,
        certificate: json(row, 8)?,
        judge: row.get(9)?,
        low: row.get(10)?,
        median: row.get(11)?,
        high: row.get(12)?,
        baseline: row.get(13)?,
        bound: row.get(14)?,
        restriction: row.get(15)?,
        code: row.get::<_, Option<i64>>(16)?.map(|bytes| bytes as u64),
        noise: row.get(17)?,
    })
}

pub(crate) fn json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(row.get_ref(column)?.as_str()?).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}

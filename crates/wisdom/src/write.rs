//! Writes to the store: processors, runs, samples and bests; and deletes runs.

use crate::read::Filter;
use crate::record::{Best, MachineModel, Processor, Run, STATES, Sample};
use crate::{RunId, Store, WisdomError};
use aesmith_cipher::Problem;
use rusqlite::{Connection, OptionalExtension, params};
use std::time::{SystemTime, UNIX_EPOCH};

/// The current time, in milliseconds since 1970.
pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}

impl Store {
    /// Stores a processor; the last name given to it is kept. Returns its key, which identifies it everywhere else.
    pub fn put_processor(&mut self, processor: &Processor) -> Result<String, WisdomError> {
        processor.check().map_err(WisdomError::Invalid)?;
        let stored = || -> rusqlite::Result<()> {
            if insert_processor(&self.db, processor)? == 0 {
                self.db
                    .prepare_cached("UPDATE processor SET name = ?2, attributes = ?3 WHERE key = ?1")?
                    .execute(params![processor.key, processor.name, attributes(processor)])?;
            }
            Ok(())
        };
        stored().map_err(|e| self.error(e))?;
        Ok(processor.key.clone())
    }

    /// Stores a measured machine model; the newest of a processor is the one in use.
    pub fn put_machine_model(&mut self, model: &MachineModel) -> Result<(), WisdomError> {
        insert_model(&self.db, model).map_err(|e| self.error(e))
    }

    /// Stores a finding of a processor under a name, replacing an older one of that name.
    pub fn put_finding(
        &mut self,
        processor: &str,
        name: &str,
        tool_version: &str,
        finding: &serde_json::Value,
    ) -> Result<(), WisdomError> {
        let known = processor_id(&self.db, processor).map_err(|e| self.error(e))?;
        let Some(id) = known else {
            return Err(WisdomError::Invalid(format!("the processor {processor} is not known")));
        };
        let sql = "INSERT OR REPLACE INTO finding VALUES (?1, ?2, ?3, ?4, ?5)";
        let row = rusqlite::params![id, name, now_ms() as i64, tool_version, finding.to_string()];
        self.db.execute(sql, row).map(|_| ()).map_err(|e| self.error(e))
    }

    /// Starts a run. Its processor must be known, and its key unused.
    pub fn start_run(&mut self, run: &Run) -> Result<RunId, WisdomError> {
        run.check().map_err(WisdomError::Invalid)?;
        let known = processor_id(&self.db, &run.processor).map_err(|e| self.error(e))?;
        if known.is_none() {
            return Err(WisdomError::Invalid(format!("the processor {} is not known", run.processor)));
        }
        if self.run_id(&run.key)?.is_some() {
            return Err(WisdomError::Invalid(format!("there is already a run with the key {}", run.key)));
        }
        insert_run(&self.db, run).map_err(|e| self.error(e))?;
        Ok(RunId(self.db.last_insert_rowid()))
    }

    /// The run with this key, if it exists, to continue it.
    pub fn run_id(&self, key: &str) -> Result<Option<RunId>, WisdomError> {
        run_id(&self.db, key).map(|id| id.map(RunId)).map_err(|e| self.error(e))
    }

    /// Sets the state of a run: `finished` or `interrupted`; or `running` again.
    pub fn set_state(&mut self, run: RunId, state: &str) -> Result<(), WisdomError> {
        if !STATES.contains(&state) {
            return Err(WisdomError::Invalid(format!("`{state}` is no state of a run")));
        }
        let end = (state != "running").then(now_ms).map(|t| t as i64);
        self.db
            .execute("UPDATE run SET state = ?2, finished_ms = ?3 WHERE id = ?1", params![run.0, state, end])
            .map(|_| ())
            .map_err(|e| self.error(e))
    }

    /// Stores the times of the parts of a run's search.
    pub fn set_search(&mut self, run: RunId, search: &serde_json::Value) -> Result<(), WisdomError> {
        self.db
            .execute("UPDATE run SET search = ?2 WHERE id = ?1", params![run.0, search.to_string()])
            .map(|_| ())
            .map_err(|e| self.error(e))
    }

    /// Stores samples, all or none. Once this returns, they survive a kill of the process.
    pub fn record(&mut self, run: RunId, samples: &[Sample]) -> Result<(), WisdomError> {
        for sample in samples {
            sample.check().map_err(WisdomError::Invalid)?;
        }
        let path = self.path.clone();
        let write = self.transaction()?;
        let all = || -> rusqlite::Result<()> {
            let mut number = last_number(&write, run.0)?;
            for sample in samples {
                number += 1;
                insert_sample(&write, run.0, number, sample)?;
            }
            Ok(())
        };
        all().and_then(|()| write.commit()).map_err(|e| WisdomError::sqlite(&path, e))
    }

    /// Stores a confirmed kernel; its latest confirmation is the current one for its problem, size and processor.
    /// Earlier ones stay as history.
    pub fn put_best(&mut self, best: &Best) -> Result<(), WisdomError> {
        best.check().map_err(WisdomError::Invalid)?;
        let Some(run) = self.run_id(&best.run)? else {
            return Err(WisdomError::Invalid(format!("the run {} is not known", best.run)));
        };
        let inserted = insert_best(&self.db, run.0, best).map_err(|e| self.error(e))?;
        if inserted == 0 {
            return Err(WisdomError::Invalid(format!(
                "the run {} is not of {} on {}, or has confirmed the kernel at this millisecond before",
                best.run, best.problem, best.processor
            )));
        }
        Ok(())
    }

    /// Deletes the runs that the filter selects, with their samples and bests, and the findings about its problems and sizes
    /// ([`finding_of`]); an empty filter selects all. A filter for a processor also deletes its machine models. Returns the
    /// number of runs.
    pub fn forget(&mut self, filter: &Filter) -> Result<u64, WisdomError> {
        let path = self.path.clone();
        let write = self.transaction()?;
        let (clause, values) = filter.clause();
        let whole = filter.problem.is_none() && filter.size.is_none();
        let problem = filter.problem.map_or("*".to_owned(), |problem| problem.to_string());
        let size = filter.size.map_or("*".to_owned(), |size| size.to_string());
        let findings = format!("{ABOUT} {problem} {size} *");
        let all = || -> rusqlite::Result<u64> {
            let runs = write.execute(
                &format!(
                    "DELETE FROM run WHERE id IN (SELECT run.id FROM run JOIN processor
                     ON processor.id = run.processor WHERE {clause})"
                ),
                rusqlite::params_from_iter(values.iter()),
            )?;
            write.execute(
                "DELETE FROM finding WHERE name GLOB ?1
                 AND (?2 IS NULL OR processor IN (SELECT id FROM processor WHERE key = ?2))",
                params![findings, filter.processor],
            )?;
            if whole {
                write.execute(
                    &format!("DELETE FROM processor WHERE {clause}"),
                    rusqlite::params_from_iter(values.iter()),
                )?;
            }
            Ok(runs as u64)
        };
        let done = all().and_then(|runs| write.commit().map(|()| runs));
        done.map_err(|e| WisdomError::sqlite(&path, e))
    }
}

/// First word of the names of findings about a problem at a size.
const ABOUT: &str = "bench";

/// The name of a finding about a problem for messages of some bytes (0 for keys), which is forgotten with its runs. `what`
/// tells it from others.
pub fn finding_of(problem: Problem, size: u64, what: &str) -> String {
    format!("{ABOUT} {problem} {size} {what}")
}

pub(crate) fn processor_id(db: &Connection, key: &str) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM processor WHERE key = ?1")?.query_row([key], |r| r.get(0)).optional()
}

pub(crate) fn run_id(db: &Connection, key: &str) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT id FROM run WHERE key = ?1")?.query_row([key], |r| r.get(0)).optional()
}

pub(crate) fn last_number(db: &Connection, run: i64) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT coalesce(max(number), 0) FROM sample WHERE run = ?1")?
        .query_row([run], |r| r.get(0))
}

pub(crate) fn insert_processor(db: &Connection, p: &Processor) -> rusqlite::Result<usize> {
    db.prepare_cached(
        "INSERT INTO processor (key, name, attributes) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING",
    )?
    .execute(params![p.key, p.name, attributes(p)])
}

fn attributes(processor: &Processor) -> String {
    serde_json::to_string(&processor.attributes).expect("an object has a text form")
}

pub(crate) fn insert_model(db: &Connection, m: &MachineModel) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO machine_model (processor, made_ms, tool_version, json)
         SELECT id, ?2, ?3, ?4 FROM processor WHERE key = ?1",
    )?
    .execute(params![m.processor, m.made_ms as i64, m.tool_version, m.model.to_string()])
    .map(|_| ())
}

pub(crate) fn insert_run(db: &Connection, r: &Run) -> rusqlite::Result<usize> {
    db.prepare_cached(
        "INSERT INTO run (key, processor, problem, size, strategy, seed, options, judge, tool_version, session,
                          command, state, started_ms, finished_ms, unit, calls, search)
         SELECT ?1, id, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17
         FROM processor WHERE key = ?2",
    )?
    .execute(params![
        r.key,
        r.processor,
        r.problem,
        r.size as i64,
        r.strategy,
        r.seed as i64,
        r.options,
        r.judge,
        r.tool_version,
        r.session,
        r.command,
        r.state,
        r.started_ms as i64,
        r.finished_ms.map(|t| t as i64),
        r.unit,
        r.calls,
        r.search.as_ref().map(serde_json::Value::to_string)
    ])
}

pub(crate) fn insert_sample(db: &Connection, run: i64, number: i64, s: &Sample) -> rusqlite::Result<usize> {
    let array = |json: serde_json::Result<String>| json.expect("an array of numbers has a text form");
    let costs = s.costs.as_ref();
    db.prepare_cached(
        "INSERT INTO sample (run, number, trial, phase, size, variant, technique, sha256, verdict, message,
                             instructions, cost, cycles, ticks, time_ms, judge, once, flash, ram, stack,
                             same_path, blocks)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
                 ?22)",
    )?
    .execute(params![
        run,
        number,
        s.trial as i64,
        s.phase,
        s.size as i64,
        s.variant,
        s.technique,
        s.sha256,
        s.verdict,
        s.message,
        s.instructions,
        s.cost,
        array(serde_json::to_string(&s.cycles)),
        array(serde_json::to_string(&s.ticks)),
        s.time_ms as i64,
        s.judge,
        costs.map(|c| c.once),
        costs.map(|c| c.flash as i64),
        costs.map(|c| c.ram as i64),
        costs.map(|c| c.stack as i64),
        costs.map(|c| c.same_path),
        costs.map(|c| c.blocks)
    ])
}

pub(crate) fn insert_best(db: &Connection, run: i64, b: &Best) -> rusqlite::Result<usize> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO best (run, size, confirmed_ms, variant, sha256, certificate, low, median, high,
                                     baseline, bound, restriction, technique, judge, code, noise)
         SELECT run.id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?14, ?15, ?16, ?17, ?18
         FROM run JOIN processor ON processor.id = run.processor
         WHERE run.id = ?1 AND problem = ?12 AND processor.key = ?13",
    )?
    .execute(params![
        run,
        b.size as i64,
        b.confirmed_ms as i64,
        b.variant,
        b.sha256,
        b.certificate.to_string(),
        b.low,
        b.median,
        b.high,
        b.baseline,
        b.bound,
        b.problem,
        b.processor,
        b.restriction,
        b.technique,
        b.judge,
        b.code.map(|bytes| bytes as i64),
        b.noise
    ])
}

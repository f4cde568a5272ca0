//! What is known of kernels of processors other than this machine: a row a variant. Their costs come
//! from models and judges that give the same figure every time, so that one row says it all.

use crate::read::Filter;
use crate::{Store, WisdomError};
use aesmith_cipher::Problem;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};

/// What became of a variant of a described processor.
pub const VERDICTS: &[&str] = &["does-not-fit", "modelled", "refuted", "proved", "confirmed"];

/// A variant of a described processor, and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Described {
    /// The processor's name: `avr`.
    pub processor: String,
    /// Name of the problem.
    pub problem: String,
    /// The variant in text form, its problem and processor first.
    pub variant: String,
    /// By which version.
    pub tool_version: String,
    /// SHA-256 of the assembled program, where there is one.
    pub sha256: Option<String>,
    /// One of [`VERDICTS`].
    pub verdict: String,
    /// Why it went no further; empty if it did.
    #[serde(default)]
    pub message: String,
    /// Cycles of a block, or of a key, by the machine model.
    pub cycles: Option<f64>,
    /// Cycles of a message besides, by the machine model.
    pub once: Option<f64>,
    /// Bytes of flash.
    pub flash: u64,
    /// Bytes of RAM of its tables.
    pub ram: u64,
    /// Bytes of stack.
    pub stack: u64,
    /// Whether calls with different data went the same way through code and memory.
    pub same_path: bool,
    /// Blocks that a call of a block function takes.
    pub blocks: u8,
    /// Its certificate, an object, once it is proved.
    pub certificate: Option<serde_json::Value>,
    /// The independent judge that has confirmed it.
    pub judge: Option<String>,
    /// Cycles of a block, or of a key, by that judge, if it counts cycles.
    pub judged: Option<f64>,
    /// When, in milliseconds since 1970.
    pub time_ms: u64,
}

impl Described {
    pub(crate) fn check(&self) -> Result<(), String> {
        self.problem.parse::<Problem>().map_err(|e| e.to_string())?;
        if !VERDICTS.contains(&&*self.verdict) {
            return Err(format!("`{}` is no verdict, which is one of {}", self.verdict, VERDICTS.join(", ")));
        }
        let start = format!("{} processor={} ", self.problem, self.processor);
        if !format!("{} ", self.variant).starts_with(&start) || self.variant.contains('\n') {
            return Err(format!(
                "`{}` is no variant of {} on {}",
                self.variant, self.problem, self.processor
            ));
        }
        let costs = [self.cycles, self.once, self.judged];
        if costs.iter().flatten().any(|c| !c.is_finite()) {
            return Err("a cost is not a number".into());
        }
        if self.certificate.as_ref().is_some_and(|c| !c.is_object()) {
            return Err("a certificate must be a JSON object".into());
        }
        let whole = [self.flash, self.ram, self.stack, self.time_ms];
        if whole.iter().any(|n| *n > i64::MAX as u64) {
            return Err("a number is 2^63 or more".into());
        }
        Ok(())
    }
}

const COLUMNS: &str =
    "processor, problem, variant, tool_version, sha256, verdict, message, cycles, once, flash,
    ram, stack, same_path, certificate, judge, judged, time_ms, blocks";

/// Inserts or replaces, unless what is there is newer.
pub(crate) fn insert(db: &Connection, d: &Described) -> rusqlite::Result<usize> {
    db.prepare_cached(&format!(
        "INSERT INTO described ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,
                                                   ?15, ?16, ?17, ?18)
         ON CONFLICT (processor, variant) DO UPDATE SET
            tool_version = ?4, sha256 = ?5, verdict = ?6, message = ?7, cycles = ?8, once = ?9, flash = ?10,
            ram = ?11, stack = ?12, same_path = ?13, certificate = ?14, judge = ?15, judged = ?16, time_ms = ?17,
            blocks = ?18
         WHERE time_ms < ?17"
    ))?
    .execute(params![
        d.processor,
        d.problem,
        d.variant,
        d.tool_version,
        d.sha256,
        d.verdict,
        d.message,
        d.cycles,
        d.once,
        d.flash as i64,
        d.ram as i64,
        d.stack as i64,
        d.same_path,
        d.certificate.as_ref().map(ToString::to_string),
        d.judge,
        d.judged,
        d.time_ms as i64,
        d.blocks
    ])
}

fn read(row: &Row) -> rusqlite::Result<Described> {
    let whole = |n: usize| row.get::<_, i64>(n).map(|v| v as u64);
    let certificate: Option<String> = row.get(13)?;
    let certificate = certificate.map(|text| serde_json::from_str(&text)).transpose().map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(13, rusqlite::types::Type::Text, Box::new(e))
    })?;
    Ok(Described {
        processor: row.get(0)?,
        problem: row.get(1)?,
        variant: row.get(2)?,
        tool_version: row.get(3)?,
        sha256: row.get(4)?,
        verdict: row.get(5)?,
        message: row.get(6)?,
        cycles: row.get(7)?,
        once: row.get(8)?,
        flash: whole(9)?,
        ram: whole(10)?,
        stack: whole(11)?,
        same_path: row.get(12)?,
        certificate,
        judge: row.get(14)?,
        judged: row.get(15)?,
        time_ms: whole(16)?,
        blocks: row.get(17)?,
    })
}

impl Store {
    /// Stores what is known of variants, all or none, in place of what was known before.
    pub fn put_described(&mut self, all: &[Described]) -> Result<(), WisdomError> {
        all.iter().try_for_each(|d| d.check().map_err(WisdomError::Invalid))?;
        let path = self.path.clone();
        let write = self.transaction()?;
        let stored = all.iter().try_for_each(|d| insert(&write, d).map(|_| ()));
        stored.and_then(|()| write.commit()).map_err(|e| WisdomError::sqlite(&path, e))
    }

    /// What is known of the variants of described processors. A filter's `processor` is the name of
    /// one; with a size there is nothing, as these costs are of blocks.
    pub fn described(&self, filter: &Filter) -> Result<Vec<Described>, WisdomError> {
        let (clause, values) = clause(filter);
        let sql =
            format!("SELECT {COLUMNS} FROM described WHERE {clause} ORDER BY processor, problem, variant");
        let all = || {
            let mut statement = self.db.prepare_cached(&sql)?;
            let rows = statement.query_map(rusqlite::params_from_iter(values.iter()), read)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        all().map_err(|e| self.error(e))
    }

    /// Forgets what is known of a problem on a described processor.
    pub fn forget_described(&mut self, processor: &str, problem: Problem) -> Result<(), WisdomError> {
        let filter =
            Filter { processor: Some(processor.into()), problem: Some(problem), ..Filter::default() };
        forget(&self.db, &filter).map(|_| ()).map_err(|e| self.error(e))
    }

    /// The variant that was confirmed last of a problem on a described processor.
    pub fn latest_described(&self) -> Result<Option<Described>, WisdomError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM described WHERE verdict IN ('confirmed', 'proved') ORDER BY time_ms DESC LIMIT 1"
        );
        self.db.query_row(&sql, [], read).optional().map_err(|e| self.error(e))
    }
}

/// Forgets what the filter names.
pub(crate) fn forget(db: &Connection, filter: &Filter) -> rusqlite::Result<usize> {
    let (clause, values) = clause(filter);
    db.execute(&format!("DELETE FROM described WHERE {clause}"), rusqlite::params_from_iter(values.iter()))
}

fn clause(filter: &Filter) -> (String, Vec<String>) {
    let mut clause = if filter.size.is_some() { "FALSE" } else { "TRUE" }.to_owned();
    let mut values = Vec::new();
    let parts = [("processor", filter.processor.clone()), ("problem", filter.problem.map(|p| p.to_string()))];
    for (column, value) in parts {
        if let Some(value) = value {
            values.push(value);
            clause.push_str(&format!(" AND {column} = ?{}", values.len()));
        }
    }
    (clause, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(variant: &str, time_ms: u64) -> Described {
        Described {
            processor: "avr".into(),
            problem: "aes128-ecb".into(),
            variant: format!("aes128-ecb processor=avr {variant}"),
            tool_version: "0.1.0".into(),
            sha256: Some("0".repeat(64)),
            verdict: "confirmed".into(),
            message: String::new(),
            cycles: Some(1570.0),
            once: Some(0.0),
            flash: 2254,
            ram: 512,
            stack: 0,
            same_path: false,
            blocks: 1,
            certificate: Some(serde_json::json!({ "level": "proved" })),
            judge: Some("simavr 1.6".into()),
            judged: Some(1577.25),
            time_ms,
        }
    }

    #[test]
    fn the_newest_row_of_a_variant_stays_and_is_carried() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut store = Store::open(&folder.path().join("a.sqlite")).unwrap();
        let (old, new) = (one("tables=ram", 1), Described { judged: None, ..one("tables=ram", 2) });
        store.put_described(&[new.clone(), one("tables=flash", 1)]).unwrap();
        store.put_described(&[old]).unwrap();
        let all = store.described(&Filter::default()).unwrap();
        assert_eq!(all, [one("tables=flash", 1), new.clone()]);
        assert_eq!(store.latest_described().unwrap(), Some(new));
        let mut text = Vec::new();
        store.export(&Filter::default(), &mut text).unwrap();
        let mut other = Store::open(&folder.path().join("b.sqlite")).unwrap();
        assert_eq!(other.import(&text[..]).unwrap().described, 2);
        assert_eq!(other.import(&text[..]).unwrap().described, 0);
        assert_eq!(other.described(&Filter::default()).unwrap(), all);
        let of_arm = Filter { processor: Some("cortex-m3".into()), ..Filter::default() };
        assert!(other.described(&of_arm).unwrap().is_empty());
        other.forget(&Filter { problem: "aes128-ecb".parse().ok(), ..Filter::default() }).unwrap();
        assert!(other.described(&Filter::default()).unwrap().is_empty());
    }

    #[test]
    fn rows_that_make_no_sense_are_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut store = Store::open(&folder.path().join("a.sqlite")).unwrap();
        let wrong = [
            Described { problem: "aes128-ecc".into(), ..one("", 1) },
            Described { processor: "arm".into(), ..one("", 1) },
            Described { verdict: "good".into(), ..one("", 1) },
            Described { cycles: Some(f64::NAN), ..one("", 1) },
            Described { certificate: Some(1.into()), ..one("", 1) },
        ];
        for row in wrong {
            assert!(matches!(store.put_described(&[row]), Err(WisdomError::Invalid(_))));
        }
    }
}

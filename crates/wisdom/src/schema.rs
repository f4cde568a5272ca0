//! The tables, as the sequence of migration steps that led to them: a new file takes all steps, an older one those that
//! it lacks, in one transaction. Comments in older steps describe the state at their time; docs/WISDOM.md describes the
//! current state.

use crate::record::technique_of;
use rusqlite::Connection;

/// Marks a SQLite file as wisdom ("aesm" in the header's application id).
pub(crate) const APPLICATION_ID: i32 = 0x6165_736d;

/// The steps; the schema version of a file is the number of steps it has taken.
pub const STEPS: &[Step] = &[
    Step::Sql(include_str!("schema/1-tables.sql")),
    Step::Sql(include_str!("schema/2-views.sql")),
    // This step grouped a view by the technique in the variants' texts; 6-restrictions.sql replaces that view.
    Step::Sql(""),
    Step::Sql(include_str!("schema/4-findings.sql")),
    Step::Sql(include_str!("schema/5-exact-judges-apart.sql")),
    Step::Sql(include_str!("schema/6-restrictions.sql")),
    Step::SqlThen(include_str!("schema/7-one-key.sql"), techniques),
    Step::Sql(include_str!("schema/8-calls.sql")),
    Step::Sql(include_str!("schema/9-smaller.sql")),
];

/// A migration step: SQL, and work that SQL cannot express.
#[derive(Clone, Copy)]
pub enum Step {
    /// Statements.
    Sql(&'static str),
    /// Statements, and then work on the values.
    SqlThen(&'static str, fn(&Connection) -> rusqlite::Result<()>),
}

impl Step {
    /// Takes the step.
    pub fn take(self, db: &Connection) -> rusqlite::Result<()> {
        match self {
            Step::Sql(sql) => db.execute_batch(sql),
            Step::SqlThen(sql, then) => db.execute_batch(sql).and_then(|()| then(db)),
        }
    }
}

/// Newest schema version.
pub const VERSION: i64 = STEPS.len() as i64;

/// Sets the technique of every sample and best from its variant; only `7-one-key.sql` needs it, because later versions
/// store it.
fn techniques(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "CREATE TEMP TABLE named (variant TEXT PRIMARY KEY, technique TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
         INSERT INTO named (variant) SELECT variant FROM sample UNION SELECT variant FROM best;",
    )?;
    let variants: Vec<String> = {
        let mut all = db.prepare("SELECT variant FROM named")?;
        all.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?
    };
    for variant in variants {
        db.prepare_cached("UPDATE named SET technique = ?2 WHERE variant = ?1")?
            .execute([&variant, &technique_of(&variant)])?;
    }
    db.execute_batch(
        "UPDATE sample SET technique = (SELECT n.technique FROM named n WHERE n.variant = sample.variant);
         UPDATE best SET technique = (SELECT n.technique FROM named n WHERE n.variant = best.variant);
         DROP TABLE named;",
    )
}

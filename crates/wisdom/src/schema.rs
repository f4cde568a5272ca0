//! The tables, as the sequence of migration steps that led to them: a new file takes all steps, an older one those that
//! it lacks, in one transaction. Comments in older steps describe the state at their time; docs/WISDOM.md describes the
//! current state.

use crate::record::technique_of;
use rusqlite::Connection;

/// Marks a SQLite file as wisdom ("aesm" in the header's application id).
pub const APPLICATION_ID: i32 = 0x6165_736d;

/// The steps; the schema version of a file is the number of steps it has taken.
pub const STEPS: &[Step] = &[
    Step::Sql(TABLES),
    Step::Sql(VIEWS),
    // This step grouped a view by the technique in the variants' texts; RESTRICTIONS replaces that view.
    Step::Sql(""),
    Step::Sql(FINDINGS),
    Step::Sql(EXACT_JUDGES_APART),
    Step::Sql(RESTRICTIONS),
    Step::SqlThen(ONE_KEY, techniques),
    Step::Sql(CALLS),
    Step::Sql(SMALLER),
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

const TABLES: &str = "
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE processor (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,         -- vendor/family/model/stepping/features
    vendor TEXT NOT NULL, family INTEGER NOT NULL, model INTEGER NOT NULL, stepping INTEGER NOT NULL,
    features TEXT NOT NULL,           -- joined by +, sorted
    name TEXT NOT NULL
) STRICT;
CREATE TABLE machine_model (
    processor INTEGER NOT NULL REFERENCES processor ON DELETE CASCADE,
    made_ms INTEGER NOT NULL,
    tool_version TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (processor, made_ms)
) STRICT, WITHOUT ROWID;
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,         -- the same in every store that the run is carried to
    processor INTEGER NOT NULL REFERENCES processor ON DELETE CASCADE,
    problem TEXT NOT NULL,
    size INTEGER NOT NULL,            -- bytes of a message
    strategy TEXT NOT NULL, seed INTEGER NOT NULL, options TEXT NOT NULL,
    judge TEXT NOT NULL, tool_version TEXT NOT NULL, session TEXT NOT NULL, command TEXT NOT NULL,
    state TEXT NOT NULL,              -- running, finished, interrupted
    started_ms INTEGER NOT NULL, finished_ms INTEGER
) STRICT;
CREATE INDEX run_of ON run (processor, problem, size);
CREATE TABLE sample (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    number INTEGER NOT NULL,          -- order of arrival in the run, from 1
    trial INTEGER NOT NULL,           -- which trial of the search, from 1; 0 outside a search
    phase TEXT NOT NULL,              -- screen, duel, confirm, bench
    size INTEGER NOT NULL,
    variant TEXT NOT NULL,
    sha256 TEXT,                      -- of the kernel's bytes
    verdict TEXT NOT NULL, message TEXT NOT NULL,
    instructions INTEGER NOT NULL,    -- movable ones in the main loop
    cost REAL,                        -- calibrated cycles per byte
    cycles TEXT NOT NULL,             -- JSON array: calibrated core cycles of each call
    ticks TEXT NOT NULL,              -- JSON array: time-stamp counter ticks of each call
    time_ms INTEGER NOT NULL,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE best (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    size INTEGER NOT NULL,
    confirmed_ms INTEGER NOT NULL,
    variant TEXT NOT NULL, sha256 TEXT NOT NULL,
    certificate TEXT NOT NULL,        -- a JSON object
    low REAL NOT NULL, median REAL NOT NULL, high REAL NOT NULL,
    baseline REAL NOT NULL, bound REAL,
    PRIMARY KEY (run, size, confirmed_ms)
) STRICT, WITHOUT ROWID;
";

/// Views that [`RESTRICTIONS`] replaces.
const VIEWS: &str = "
CREATE VIEW best_history AS
    SELECT p.key AS processor, r.problem AS problem, r.key AS run_key, b.*
    FROM best b JOIN run r ON r.id = b.run JOIN processor p ON p.id = r.processor;
CREATE VIEW best_now AS
    SELECT h.*, max(h.confirmed_ms) FROM best_history h GROUP BY h.processor, h.problem, h.size;
";

/// Findings about a processor that are not samples of a kernel: the profile of the byte-wise cipher.
const FINDINGS: &str = "
CREATE TABLE finding (
    processor INTEGER NOT NULL REFERENCES processor ON DELETE CASCADE,
    name TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    tool_version TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (processor, name)
) STRICT, WITHOUT ROWID;
";

/// Variants of processors with exact judges had a table of their own; [`ONE_KEY`] merges it with the others.
const EXACT_JUDGES_APART: &str = "
CREATE TABLE described (
    processor TEXT NOT NULL,          -- its name: avr
    problem TEXT NOT NULL,
    variant TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    sha256 TEXT,                      -- of the assembled program
    verdict TEXT NOT NULL, message TEXT NOT NULL,
    cycles REAL, once REAL,           -- by the machine model: of a block or a key, of a message besides
    flash INTEGER NOT NULL, ram INTEGER NOT NULL, stack INTEGER NOT NULL,
    same_path INTEGER NOT NULL,       -- whether different data went the same way
    blocks INTEGER NOT NULL,          -- of a call of a block function
    certificate TEXT,                 -- a JSON object
    judge TEXT, judged REAL,          -- an independent judge, and its cycles
    time_ms INTEGER NOT NULL,
    PRIMARY KEY (processor, variant)
) STRICT, WITHOUT ROWID;
CREATE INDEX described_of ON described (processor, problem);
";

/// A best records the restriction of its run, and every kernel has a current best for each restriction: its last
/// confirmation, since the lowest of several is the luckiest. A restricted run that confirms a kernel again changes
/// nothing for runs without restriction. The caller decides which of them to hand out. Earlier runs recorded
/// restrictions only in their command.
const RESTRICTIONS: &str = "
DROP VIEW best_now;
DROP VIEW best_history;
ALTER TABLE best RENAME TO best_before;
CREATE TABLE best (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    size INTEGER NOT NULL,
    confirmed_ms INTEGER NOT NULL,
    restriction TEXT NOT NULL,        -- what the run was restricted to, in words; empty for nothing
    variant TEXT NOT NULL, sha256 TEXT NOT NULL,
    certificate TEXT NOT NULL,        -- a JSON object
    low REAL NOT NULL, median REAL NOT NULL, high REAL NOT NULL,
    baseline REAL NOT NULL, bound REAL,
    PRIMARY KEY (run, size, confirmed_ms, variant)
) STRICT, WITHOUT ROWID;
INSERT INTO best
    SELECT b.run, b.size, b.confirmed_ms,
        CASE WHEN r.command LIKE '%--width%' OR r.command LIKE '%--only%' OR r.command LIKE '%--paper%'
                OR r.command LIKE '%--technique%' THEN 'by an earlier version' ELSE '' END,
        b.variant, b.sha256, b.certificate, b.low, b.median, b.high, b.baseline, b.bound
    FROM best_before b JOIN run r ON r.id = b.run;
DROP TABLE best_before;
CREATE VIEW best_history AS
    SELECT p.key AS processor, r.problem AS problem, r.key AS run_key, b.*
    FROM best b JOIN run r ON r.id = b.run JOIN processor p ON p.id = r.processor;
CREATE VIEW best_now AS
    SELECT h.*, max(h.confirmed_ms) FROM best_history h
    GROUP BY h.processor, h.problem, h.size, h.variant, h.restriction;
";

/// All processors in the same tables: a processor is a key, a name and attributes; a run records the unit of its costs;
/// a technique is a column. Records about variants of processors with exact judges become runs, samples and bests: one
/// run for each processor, problem and version. Its key depends only on its contents, so that merging two copies of a
/// file yields it once.
const ONE_KEY: &str = "
ALTER TABLE processor ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';
UPDATE processor SET attributes = json_object(
    'vendor', vendor, 'family', family, 'model', model, 'stepping', stepping,
    'features', json(CASE features WHEN '' THEN '[]' ELSE
        '[' || replace(json_quote(features), '+', '\",\"') || ']' END));
ALTER TABLE processor DROP COLUMN vendor;
ALTER TABLE processor DROP COLUMN family;
ALTER TABLE processor DROP COLUMN model;
ALTER TABLE processor DROP COLUMN stepping;
ALTER TABLE processor DROP COLUMN features;

-- What costs are given in: cycles per byte; cycles per block, where judges are exact; cycles per key.
ALTER TABLE run ADD COLUMN unit TEXT NOT NULL DEFAULT 'cycles per byte';
UPDATE run SET unit = 'cycles per key'
    WHERE problem LIKE '%-key' OR problem LIKE '%-key-dec' OR problem LIKE '%-table';

ALTER TABLE sample ADD COLUMN technique TEXT NOT NULL DEFAULT '';   -- its name, where variants name one
-- Who counted, where that is not the run's judge: an independent judge beside a machine model.
ALTER TABLE sample ADD COLUMN judge TEXT NOT NULL DEFAULT '';
-- What a machine model counts besides; NULL where no model did.
ALTER TABLE sample ADD COLUMN once REAL;              -- cycles of a message besides those of its blocks
ALTER TABLE sample ADD COLUMN flash INTEGER;          -- bytes of flash
ALTER TABLE sample ADD COLUMN ram INTEGER;            -- bytes of RAM of its tables
ALTER TABLE sample ADD COLUMN stack INTEGER;          -- bytes of stack
ALTER TABLE sample ADD COLUMN same_path INTEGER;      -- whether different data went the same way (0 or 1)
ALTER TABLE sample ADD COLUMN blocks INTEGER;         -- blocks that a call of a block function takes

DROP VIEW best_now;
DROP VIEW best_history;
ALTER TABLE best RENAME TO best_before;
CREATE TABLE best (
    run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    size INTEGER NOT NULL,
    confirmed_ms INTEGER NOT NULL,
    restriction TEXT NOT NULL,        -- what the run was restricted to, in words; empty for nothing
    variant TEXT NOT NULL, sha256 TEXT NOT NULL,
    technique TEXT NOT NULL,          -- its name, where variants of the processor name one
    certificate TEXT NOT NULL,        -- a JSON object
    judge TEXT NOT NULL,              -- who confirmed it, where that is not the run's judge
    low REAL NOT NULL, median REAL NOT NULL, high REAL NOT NULL,
    baseline REAL, bound REAL,
    PRIMARY KEY (run, size, confirmed_ms, variant)
) STRICT, WITHOUT ROWID;
INSERT INTO best
    SELECT run, size, confirmed_ms, restriction, variant, sha256, '', certificate, '', low, median, high,
        baseline, bound
    FROM best_before;
DROP TABLE best_before;

INSERT INTO processor (key, name) SELECT DISTINCT processor, processor FROM described WHERE TRUE
    ON CONFLICT (key) DO NOTHING;
CREATE TEMP TABLE moved AS
    SELECT d.*,
        printf('%s %s %s, %d from %d to %d', processor, problem, tool_version, count(*) OVER alike,
            min(time_ms) OVER alike, max(time_ms) OVER alike) AS run_key,
        row_number() OVER (PARTITION BY processor, problem, tool_version ORDER BY time_ms, variant) AS place
    FROM described d WINDOW alike AS (PARTITION BY processor, problem, tool_version);
INSERT INTO run (key, processor, problem, size, strategy, seed, options, judge, tool_version, session, command,
        state, started_ms, finished_ms, unit)
    SELECT run_key, p.id, problem, 0, 'descent', 0, '', 'machine model', tool_version, '',
        'by an earlier version', 'finished', min(time_ms), max(time_ms),
        CASE WHEN problem LIKE '%-key' OR problem LIKE '%-key-dec' THEN 'cycles per key'
            ELSE 'cycles per block' END
    FROM moved JOIN processor p ON p.key = moved.processor GROUP BY run_key;
INSERT INTO sample (run, number, trial, phase, size, variant, sha256, verdict, message, instructions, cost,
        cycles, ticks, time_ms, once, flash, ram, stack, same_path, blocks)
    SELECT r.id, 2 * place - 1, 0, 'model', 0, variant, sha256,
        CASE WHEN cycles IS NULL THEN 'does-not-fit' ELSE 'measured' END,
        CASE WHEN cycles IS NULL THEN message ELSE '' END, 0, cycles, '[]', '[]', time_ms,
        CASE WHEN cycles IS NULL THEN NULL ELSE coalesce(once, 0.0) END,
        CASE WHEN cycles IS NULL THEN NULL ELSE flash END, CASE WHEN cycles IS NULL THEN NULL ELSE ram END,
        CASE WHEN cycles IS NULL THEN NULL ELSE stack END,
        CASE WHEN cycles IS NULL THEN NULL ELSE same_path END,
        CASE WHEN cycles IS NULL THEN NULL ELSE blocks END
    FROM moved JOIN run r ON r.key = run_key;
INSERT INTO sample (run, number, trial, phase, size, variant, sha256, verdict, message, instructions, cost,
        cycles, ticks, time_ms, judge)
    SELECT r.id, 2 * place, 0, 'judge', 0, variant, sha256,
        CASE verdict WHEN 'refuted' THEN 'refuted' ELSE 'measured' END,
        CASE verdict WHEN 'refuted' THEN message ELSE '' END, 0,
        CASE verdict WHEN 'refuted' THEN NULL ELSE judged END, '[]', '[]', time_ms, coalesce(moved.judge, '')
    FROM moved JOIN run r ON r.key = run_key WHERE verdict = 'refuted' OR judged IS NOT NULL;
INSERT INTO best
    SELECT r.id, 0, time_ms, '', variant, sha256, '', certificate, coalesce(moved.judge, ''),
        coalesce(judged, cycles), coalesce(judged, cycles), coalesce(judged, cycles), NULL, NULL
    FROM moved JOIN run r ON r.key = run_key
    WHERE certificate IS NOT NULL AND sha256 IS NOT NULL AND coalesce(judged, cycles) IS NOT NULL;
DROP TABLE moved;
DROP TABLE described;

CREATE VIEW best_history AS
    SELECT p.key AS processor, r.problem AS problem, r.key AS run_key, b.*
    FROM best b JOIN run r ON r.id = b.run JOIN processor p ON p.id = r.processor;
CREATE VIEW best_now AS
    SELECT h.*, max(h.confirmed_ms) FROM best_history h
    GROUP BY h.processor, h.problem, h.size, h.variant, h.restriction;
";

/// A run records the calls that it was for, and each kernel has a separate current best for each: the kernel that costs
/// least back to back need not cost least alone. All earlier runs were for calls in steady state. A run also records
/// the times of the parts of its search; earlier ones do not.
const CALLS: &str = "
ALTER TABLE run ADD COLUMN calls TEXT NOT NULL DEFAULT 'steady';   -- steady or cold
ALTER TABLE run ADD COLUMN search TEXT;           -- a JSON object; NULL where it is not known
DROP VIEW best_now;
DROP VIEW best_history;
CREATE VIEW best_history AS
    SELECT p.key AS processor, r.problem AS problem, r.calls AS calls, r.key AS run_key, b.*
    FROM best b JOIN run r ON r.id = b.run JOIN processor p ON p.id = r.processor;
CREATE VIEW best_now AS
    SELECT h.*, max(h.confirmed_ms) FROM best_history h
    GROUP BY h.processor, h.problem, h.calls, h.size, h.variant, h.restriction;
";

/// A best records the bytes of its kernel and the noise floor of its confirmation: among kernels that do not differ by
/// more than noise, the one that takes clearly less code is preferred. Earlier bests have neither, and cost alone
/// decides among them.
const SMALLER: &str = "
ALTER TABLE best ADD COLUMN code INTEGER;         -- bytes of code and constants
ALTER TABLE best ADD COLUMN noise REAL;           -- the noise floor of its confirmation
";

/// Sets the technique of every sample and best from its variant; only [`ONE_KEY`] needs it, because later versions
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

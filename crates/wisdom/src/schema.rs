//! The tables, as the steps that led to them: a new file takes all steps, an older one those that
//! it lacks, in one transaction.

/// Marks a SQLite file as wisdom ("aesm" in the header's application id).
pub const APPLICATION_ID: i32 = 0x6165_736d;

/// The steps; the schema version of a file is the number of steps it has taken.
pub const STEPS: &[&str] = &[TABLES, VIEWS, BY_TECHNIQUE, FINDINGS, DESCRIBED, RESTRICTIONS];

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

/// Replaced by [`RESTRICTIONS`].
const VIEWS: &str = "
CREATE VIEW best_history AS
    SELECT p.key AS processor, r.problem AS problem, r.key AS run_key, b.*
    FROM best b JOIN run r ON r.id = b.run JOIN processor p ON p.id = r.processor;
CREATE VIEW best_now AS
    SELECT h.*, max(h.confirmed_ms) FROM best_history h GROUP BY h.processor, h.problem, h.size;
";

/// Replaced by [`RESTRICTIONS`].
const BY_TECHNIQUE: &str = "
DROP VIEW best_now;
CREATE VIEW best_now AS
    SELECT h.*, max(h.confirmed_ms),
        CASE WHEN instr(h.variant, ' technique=') = 0 THEN 'aes' ELSE
            substr(substr(h.variant, instr(h.variant, ' technique=') + 11) || ' ', 1,
                instr(substr(h.variant, instr(h.variant, ' technique=') + 11) || ' ', ' ') - 1)
        END AS technique
    FROM best_history h GROUP BY h.processor, h.problem, h.size, technique;
";

/// What is found of a processor that is no sample of a kernel: the profile of the byte-wise cipher.
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

/// Variants of processors other than this machine; see [`crate::described`].
const DESCRIBED: &str = "
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

/// A best says which restriction its run was given, and every kernel has a standing of its own for
/// each restriction: its last confirmation, since the lowest of several is the luckiest. A restricted
/// run that confirms a kernel again changes nothing for runs without restriction. Which of them is handed out
/// depends on what is asked for, and is decided by whoever asks. Runs of before this step noted
/// restrictions in their command only.
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

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

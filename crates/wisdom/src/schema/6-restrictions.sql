-- A best records the restriction of its run, and every kernel has a current best for each restriction: its last
-- confirmation, since the lowest of several is the luckiest. A restricted run that confirms a kernel again changes
-- nothing for runs without restriction. The caller decides which of them to hand out. Earlier runs recorded
-- restrictions only in their command.

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

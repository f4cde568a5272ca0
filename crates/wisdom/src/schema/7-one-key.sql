-- All processors in the same tables: a processor is a key, a name and attributes; a run records the unit of its costs;
-- a technique is a column. Records about variants of processors with exact judges become runs, samples and bests: one
-- run for each processor, problem and version. Its key depends only on its contents, so that merging two copies of a
-- file yields it once.

ALTER TABLE processor ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';
UPDATE processor SET attributes = json_object(
    'vendor', vendor, 'family', family, 'model', model, 'stepping', stepping,
    'features', json(CASE features WHEN '' THEN '[]' ELSE
        '[' || replace(json_quote(features), '+', '","') || ']' END));
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

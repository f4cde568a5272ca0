-- A run records the calls that it was for, and each kernel has a separate current best for each: the kernel that costs
-- least back to back need not cost least alone. All earlier runs were for calls in steady state. A run also records
-- the times of the parts of its search; earlier ones do not.

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

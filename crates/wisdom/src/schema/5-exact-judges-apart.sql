-- Variants of processors with exact judges had a table of their own; 7-one-key.sql merges it with the others.

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

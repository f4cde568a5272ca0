-- Findings about a processor that are not samples of a kernel: the profile of the byte-wise cipher.

CREATE TABLE finding (
    processor INTEGER NOT NULL REFERENCES processor ON DELETE CASCADE,
    name TEXT NOT NULL,
    made_ms INTEGER NOT NULL,
    tool_version TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (processor, name)
) STRICT, WITHOUT ROWID;

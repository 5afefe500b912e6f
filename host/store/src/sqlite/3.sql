-- The functions of a tool that is a native capability, as a JSON list of their names; null: it is none.
ALTER TABLE change ADD COLUMN members TEXT;
CREATE INDEX change_members ON change (id) WHERE members IS NOT NULL;

-- What other servers were asked and answered, by the sha256 of the text in hexadecimal digits. `entry` is
-- the last entry of the journal that has it; it goes with that one.
CREATE TABLE text (
    hash TEXT PRIMARY KEY,
    entry INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX text_entry ON text (entry);

-- Runs that call others and have not ended. `owner` names the process, `until` is when it has ended for
-- certain, in milliseconds since 1970.
CREATE TABLE pending (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT;

-- What such a run has asked for: each part is what was new when it was written.
CREATE TABLE part (
    run INTEGER NOT NULL REFERENCES pending ON DELETE CASCADE,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, number)
) STRICT, WITHOUT ROWID;

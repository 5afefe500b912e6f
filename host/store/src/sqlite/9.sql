-- The chain of an entry. A store that people use by themselves has one, of number 0; a copy of one that several
-- servers have written has theirs. New entries go on with the chain of the last one.
ALTER TABLE entry ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE anchor ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
-- How many entries of the chain were removed.
ALTER TABLE anchor ADD COLUMN entries INTEGER NOT NULL DEFAULT 0;
UPDATE anchor SET entries = id;
CREATE UNIQUE INDEX anchor_chain ON anchor (chain);
CREATE INDEX entry_chain ON entry (chain, id) WHERE chain <> 0;

-- What tells this store from all others. It is the first line of each checkpoint.
CREATE TABLE identity (id TEXT NOT NULL) STRICT;
INSERT INTO identity VALUES ('mcp-pif/' || lower(hex(randomblob(16))));

-- Signed notes about the journal, the latest last.
CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    note TEXT NOT NULL
) STRICT;

-- The chain of an entry. A store that people use by themselves has one, of number 0; a copy of one that several
-- servers have written has theirs. New entries go on with the chain of the last one.
ALTER TABLE entry ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE anchor ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX anchor_chain ON anchor (chain);
CREATE INDEX entry_chain ON entry (chain, id) WHERE chain <> 0;

-- What tells this store from all others. It is the first line of each checkpoint.
CREATE TABLE identity (id TEXT NOT NULL) STRICT;
INSERT INTO identity VALUES ('mcp-pif/' || lower(hex(randomblob(16))));

-- The hashes of entries that were removed to keep the journal within its size: checkpoints count them.
CREATE TABLE removed (
    chain INTEGER NOT NULL,
    id INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (chain, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
    INSERT INTO removed VALUES (old.chain, old.id, old.hash);
END;

-- Signed notes about the journal, the latest last.
CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    note TEXT NOT NULL
) STRICT;

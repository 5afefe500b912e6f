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
    INSERT INTO removed VALUES (0, old.id, old.hash);
END;

-- Signed notes about the journal, the latest last.
CREATE TABLE checkpoint (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    note TEXT NOT NULL
) STRICT;

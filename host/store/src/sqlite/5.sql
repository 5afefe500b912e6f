-- Who an entry belongs to, if it is not the user of this machine.
ALTER TABLE entry ADD COLUMN principal TEXT;
CREATE INDEX entry_principal ON entry (principal, id) WHERE principal IS NOT NULL;

-- What models remember belongs to somebody. `owner` is empty for the user of this machine. The tags are made
-- anew, for they refer to the rows.
CREATE TABLE owned (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL DEFAULT '',
    key TEXT NOT NULL,
    tags TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    size INTEGER NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (owner, key)
) STRICT;
INSERT INTO owned (id, key, tags, created, updated, size, value)
    SELECT id, key, tags, created, updated, size, value FROM memory;
CREATE TABLE tagged (tag TEXT NOT NULL, memory INTEGER NOT NULL) STRICT;
INSERT INTO tagged SELECT tag, memory FROM memory_tag;
DROP TABLE memory_tag;
DROP TABLE memory;
ALTER TABLE owned RENAME TO memory;
CREATE INDEX memory_updated ON memory (updated);
CREATE TABLE memory_tag (
    tag TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    PRIMARY KEY (tag, memory)
) STRICT, WITHOUT ROWID;
INSERT INTO memory_tag SELECT tag, memory FROM tagged;
DROP TABLE tagged;
CREATE INDEX memory_tag_memory ON memory_tag (memory);
CREATE TRIGGER memory_added AFTER INSERT ON memory BEGIN
    UPDATE memory_sum SET keys = keys + 1, bytes = bytes + octet_length(new.value);
END;
CREATE TRIGGER memory_changed AFTER UPDATE OF value ON memory BEGIN
    UPDATE memory_sum SET bytes = bytes - octet_length(old.value) + octet_length(new.value);
END;
CREATE TRIGGER memory_removed AFTER DELETE ON memory BEGIN
    UPDATE memory_sum SET keys = keys - 1, bytes = bytes - octet_length(old.value);
END;

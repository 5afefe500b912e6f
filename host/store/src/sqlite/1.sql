-- Terms by content. `hash` is the sha256 of `source`, in hexadecimal digits.
CREATE TABLE revision (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    source TEXT NOT NULL
) STRICT;

-- The tools that a term names: `tool` without a pinned revision.
CREATE TABLE uses (
    tool TEXT NOT NULL,
    revision INTEGER NOT NULL REFERENCES revision,
    PRIMARY KEY (tool, revision)
) STRICT, WITHOUT ROWID;

-- All that names have ever stood for, in the order in which it came. No revision: retired.
-- `examples` is a JSON list of {input | data, output}, `time` in milliseconds since 1970, `entry`
-- what the journal tells of it.
CREATE TABLE change (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time INTEGER NOT NULL,
    name TEXT NOT NULL,
    revision INTEGER REFERENCES revision,
    description TEXT NOT NULL,
    examples TEXT NOT NULL,
    entry INTEGER NOT NULL
) STRICT;
CREATE INDEX change_name ON change (name, id);
CREATE INDEX change_revision ON change (revision);

-- What names stand for now: each with its last change.
CREATE TABLE tool (
    name TEXT PRIMARY KEY,
    change INTEGER NOT NULL UNIQUE REFERENCES change
) STRICT, WITHOUT ROWID;

-- How many rows `tool` has: counting them takes longer the more there are.
CREATE TABLE tally (tools INTEGER NOT NULL) STRICT;
INSERT INTO tally VALUES (0);
CREATE TRIGGER tool_added AFTER INSERT ON tool BEGIN UPDATE tally SET tools = tools + 1; END;
CREATE TRIGGER tool_removed AFTER DELETE ON tool BEGIN UPDATE tally SET tools = tools - 1; END;

-- What names have in common that look alike; the first name of each look has it.
CREATE TABLE look (
    look TEXT PRIMARY KEY,
    name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- For searches: names and descriptions of the rows of `tool`, by change.
CREATE VIRTUAL TABLE tool_text USING fts5 (name, description, tokenize = 'trigram');

-- Evaluators that journaled runs were made with, by the sha256 of the component.
CREATE TABLE component (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE
) STRICT;

-- The journal. `time` is in milliseconds since 1970, `ends` the bytes of all bodies up to and with
-- this one, `hash` the link of the chain.
CREATE TABLE entry (
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT,
    ending TEXT NOT NULL,
    fuel INTEGER,
    component INTEGER REFERENCES component,
    body TEXT NOT NULL,
    ends INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE INDEX entry_subject ON entry (subject, id) WHERE subject IS NOT NULL;
CREATE INDEX entry_kind ON entry (kind, id) WHERE kind <> 'run';

-- The last entry that was removed to keep the journal within its size: the chain goes on from it.
CREATE TABLE anchor (
    id INTEGER NOT NULL,
    ends INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT;
INSERT INTO anchor VALUES (0, 0, zeroblob(32));

-- What models remember: a key, tags as a JSON list, and the value as JSON text, of `size` characters.
-- The value stands last: what is long is not read for what stands before it. `created` and `updated`
-- are in milliseconds since 1970; no two rows were updated at once.
CREATE TABLE memory (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    tags TEXT NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    size INTEGER NOT NULL,
    value TEXT NOT NULL
) STRICT;
CREATE INDEX memory_updated ON memory (updated);
CREATE TABLE memory_tag (
    tag TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memory ON DELETE CASCADE,
    PRIMARY KEY (tag, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tag_memory ON memory_tag (memory);

-- The words of it, by the row of `memory`. The texts themselves are not kept a second time.
CREATE VIRTUAL TABLE memory_text USING fts5 (
    key, tags, value,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- How many rows `memory` has, and the bytes of their values.
CREATE TABLE memory_sum (keys INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
INSERT INTO memory_sum VALUES (0, 0);
CREATE TRIGGER memory_added AFTER INSERT ON memory BEGIN
    UPDATE memory_sum SET keys = keys + 1, bytes = bytes + octet_length(new.value);
END;
CREATE TRIGGER memory_changed AFTER UPDATE OF value ON memory BEGIN
    UPDATE memory_sum SET bytes = bytes - octet_length(old.value) + octet_length(new.value);
END;
CREATE TRIGGER memory_removed AFTER DELETE ON memory BEGIN
    UPDATE memory_sum SET keys = keys - 1, bytes = bytes - octet_length(old.value);
END;

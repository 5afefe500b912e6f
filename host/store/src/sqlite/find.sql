-- What can be looked for: its kind, its owner, who is empty for what belongs to all and for the user of this
-- machine, its name among those, and the sha256 of its texts.
CREATE TABLE document (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    place TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (kind, owner, place)
) STRICT;

-- What documents mean, as a model has it: numbers of four bytes, the lowest first.
CREATE TABLE document_meaning (
    document INTEGER PRIMARY KEY REFERENCES document ON DELETE CASCADE,
    model TEXT NOT NULL,
    vector BLOB NOT NULL
) STRICT;

-- Its texts, by the row of `document`, as stems. The texts themselves are not kept a second time.
CREATE VIRTUAL TABLE document_text USING fts5 (
    name, about, body,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- All of its words as they are, for beginnings and typos.
CREATE VIRTUAL TABLE document_word USING fts5 (
    words,
    content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE document_vocabulary USING fts5vocab (document_word, row);

-- Sessions and saved states. `label` is the name of a session that has one of its own. Times are in
-- milliseconds, `created` and `used` since 1970. `holder` is the turn that is running, `until` is when that has
-- ended for certain.
CREATE TABLE session (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    label TEXT,
    title TEXT NOT NULL,
    standing TEXT NOT NULL,
    created INTEGER NOT NULL,
    used INTEGER NOT NULL,
    ttl INTEGER NOT NULL,
    idle INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    holder TEXT,
    until INTEGER
) STRICT;
CREATE INDEX session_owner ON session (owner, label);

-- Names with the sha256 of their values' terms. The terms are texts, which stay as long as a binding has them.
CREATE TABLE binding (
    session INTEGER NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL,
    kind TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    PRIMARY KEY (session, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX binding_hash ON binding (hash);

-- What sessions remember of their turns, as JSON.
CREATE TABLE turn (
    session INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    told TEXT NOT NULL,
    PRIMARY KEY (session, turn)
) STRICT, WITHOUT ROWID;

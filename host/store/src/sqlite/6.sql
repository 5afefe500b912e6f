-- Changes that are tried before they count: a base, which is a change of the registry, and operations as JSON.
-- `version` counts the changes of the area. `verified` is the version of the last verification, `passed` its
-- result, `record` what it told, as JSON. Times are in milliseconds since 1970.
CREATE TABLE area (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL,
    base INTEGER NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    version INTEGER NOT NULL,
    verified INTEGER,
    passed INTEGER,
    record TEXT
) STRICT;
CREATE INDEX area_owner ON area (owner);
CREATE TABLE operation (
    area INTEGER NOT NULL REFERENCES area ON DELETE CASCADE,
    number INTEGER NOT NULL,
    told TEXT NOT NULL,
    PRIMARY KEY (area, number)
) STRICT, WITHOUT ROWID;

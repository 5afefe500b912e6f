-- Which processes live that work on something: each holds a lease until `until`, in milliseconds since 1970, and
-- renews it. Sessions, runs and areas name the lease of whoever works on them. One that is gone is ended for good.
CREATE TABLE lease (
    name TEXT PRIMARY KEY,
    place TEXT NOT NULL,
    until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE area ADD COLUMN holder TEXT;

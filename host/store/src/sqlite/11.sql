-- Facts about revisions: certificates, of `name@hash`, and types, of a hash.
CREATE TABLE fact (
    kind TEXT NOT NULL,
    about TEXT NOT NULL,
    told TEXT NOT NULL,
    PRIMARY KEY (kind, about)
) STRICT, WITHOUT ROWID;

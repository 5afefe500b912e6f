-- Facts about revisions: certificates, of `name@hash`, and types, of a hash.
CREATE TABLE fact (
    kind bytea NOT NULL,
    about bytea NOT NULL,
    told bytea NOT NULL,
    PRIMARY KEY (kind, about)
);

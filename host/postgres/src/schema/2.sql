-- Which processes live that work on something: each holds a lease until `until`, in milliseconds since 1970, and
-- renews it. Sessions, runs and areas name the lease of whoever works on them. One that is gone is ended for good.
CREATE TABLE lease (
    name bytea PRIMARY KEY,
    place bytea NOT NULL,
    until bigint NOT NULL
);
ALTER TABLE area ADD COLUMN holder bytea;
-- Functions of before that take other arguments now.
DROP FUNCTION IF EXISTS park(bigint, bytea, bigint, bytea[], bigint);

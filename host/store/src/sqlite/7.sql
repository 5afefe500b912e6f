-- What is learned of an entry of the memory: the situation in which it helps, how sure its author was, how
-- often it helped and was tried since, and when it was used last, in milliseconds since 1970.
ALTER TABLE memory ADD COLUMN context TEXT NOT NULL DEFAULT '';
ALTER TABLE memory ADD COLUMN given REAL NOT NULL DEFAULT 0.8;
ALTER TABLE memory ADD COLUMN successes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
UPDATE memory SET used = updated;
CREATE INDEX memory_context ON memory (owner, context) WHERE context <> '';

-- One index for all searches takes the place of these.
DROP TABLE tool_text;
DROP TABLE memory_text;

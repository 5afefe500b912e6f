-- The chain of an entry. A store that people use by themselves has one, of number 0; a copy of one that several
-- servers have written has theirs. New entries go on with the chain of the last one.
ALTER TABLE entry ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
ALTER TABLE anchor ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX anchor_chain ON anchor (chain);
CREATE INDEX entry_chain ON entry (chain, id) WHERE chain <> 0;

-- Programs that give true for every input of the tool, as a JSON list of their texts; null: there are none.
ALTER TABLE change ADD COLUMN properties TEXT;

-- The JSON Schema that the values of a tool conform to, in one spelling; null: they may be anything.
ALTER TABLE change ADD COLUMN output_schema TEXT;

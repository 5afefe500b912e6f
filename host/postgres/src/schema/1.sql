-- The state of mcp-pif. Its rows are those of the store in SQLite. Texts are bytes: they may hold anything,
-- and their order is that of bytes, whatever the collation of the database. `SET bytea_output = escape` shows
-- them as text.

-- Numbers that never stand for two things, also after the first is gone.
CREATE TABLE counter (
    name text PRIMARY KEY,
    last bigint NOT NULL
);
INSERT INTO counter VALUES ('change', 0), ('pending', 0), ('session', 0), ('area', 0), ('checkpoint', 0);

-- Terms by content. `hash` is the sha256 of `source`, in hexadecimal digits.
CREATE TABLE revision (
    id bigint PRIMARY KEY,
    hash bytea NOT NULL UNIQUE,
    source bytea NOT NULL
);

-- The tools that a term names: `tool` without a pinned revision.
CREATE TABLE uses (
    tool bytea NOT NULL,
    revision bigint NOT NULL REFERENCES revision,
    PRIMARY KEY (tool, revision)
);
CREATE INDEX uses_revision ON uses (revision);

-- All that names have ever stood for, in the order in which it came. No revision: retired.
CREATE TABLE change (
    id bigint PRIMARY KEY,
    time bigint NOT NULL,
    name bytea NOT NULL,
    revision bigint REFERENCES revision,
    description bytea NOT NULL,
    examples bytea NOT NULL,
    entry bigint NOT NULL,
    output_schema bytea,
    members bytea,
    properties bytea
);
CREATE INDEX change_name ON change (name, id);
CREATE INDEX change_revision ON change (revision);
CREATE INDEX change_members ON change (id) WHERE members IS NOT NULL;

-- What names stand for now: each with its last change.
CREATE TABLE tool (
    name bytea PRIMARY KEY,
    change bigint NOT NULL UNIQUE REFERENCES change
);

-- What names have in common that look alike; the first name of each look has it.
CREATE TABLE look (
    look bytea PRIMARY KEY,
    name bytea NOT NULL
);

-- Evaluators that journaled runs were made with, by the sha256 of the component.
CREATE TABLE component (
    id bigint PRIMARY KEY,
    hash bytea NOT NULL UNIQUE
);

-- The chains of the journal. A process that writes holds one: `holder` names it, `until` is the moment in
-- milliseconds since 1970 when it has lost the chain unless it asks again. `id`, `ends` and `hash` tell of the last
-- entry, `entries` of how many the chain ever had. Chain 0 is that of a store that people used by themselves; it goes on nowhere.
CREATE TABLE chain (
    chain bigint PRIMARY KEY,
    holder bytea,
    until bigint NOT NULL DEFAULT 0,
    id bigint NOT NULL DEFAULT 0,
    ends bigint NOT NULL DEFAULT 0,
    hash bytea NOT NULL DEFAULT '\x0000000000000000000000000000000000000000000000000000000000000000',
    entries bigint NOT NULL DEFAULT 0
);

-- The last entry of a chain that was removed: the chain goes on from it. `entries` says how many were.
CREATE TABLE anchor (
    id bigint NOT NULL,
    ends bigint NOT NULL,
    hash bytea NOT NULL,
    chain bigint PRIMARY KEY,
    entries bigint NOT NULL DEFAULT 0
);
INSERT INTO anchor VALUES (0, 0, '\x0000000000000000000000000000000000000000000000000000000000000000', 0);

-- The journal. `time` is in milliseconds since 1970, `ends` the bytes of all bodies of the chain up to and with
-- this one, `hash` the link of the chain.
CREATE SEQUENCE entry_number;
CREATE TABLE entry (
    id bigint PRIMARY KEY,
    time bigint NOT NULL,
    kind bytea NOT NULL,
    subject bytea,
    ending bytea NOT NULL,
    fuel bigint,
    component bigint REFERENCES component,
    body bytea NOT NULL,
    ends bigint NOT NULL,
    hash bytea NOT NULL,
    principal bytea,
    chain bigint NOT NULL
);
CREATE INDEX entry_subject ON entry (subject, id) WHERE subject IS NOT NULL;
CREATE INDEX entry_kind ON entry (kind, id) WHERE kind <> 'run';
CREATE INDEX entry_principal ON entry (principal, id) WHERE principal IS NOT NULL;
CREATE INDEX entry_chain ON entry (chain, id);

-- Texts beside entries and the terms of bindings, by the sha256 of the text in hexadecimal digits. `entry` is the
-- last entry of the journal that has it.
CREATE TABLE text (
    hash bytea PRIMARY KEY,
    entry bigint NOT NULL,
    text bytea NOT NULL
);
CREATE INDEX text_entry ON text (entry);

-- Runs that call others and have not ended, and what each has asked for.
CREATE TABLE pending (
    id bigint PRIMARY KEY,
    owner bytea NOT NULL,
    until bigint NOT NULL
);
CREATE TABLE part (
    run bigint NOT NULL REFERENCES pending ON DELETE CASCADE,
    number bigint NOT NULL,
    text bytea NOT NULL,
    PRIMARY KEY (run, number)
);

-- Sessions and saved states, their bindings, and what they remember of their turns.
CREATE TABLE session (
    id bigint PRIMARY KEY,
    owner bytea NOT NULL,
    label bytea,
    title bytea NOT NULL,
    standing bytea NOT NULL,
    created bigint NOT NULL,
    used bigint NOT NULL,
    ttl bigint NOT NULL,
    idle bigint NOT NULL,
    turn bigint NOT NULL,
    holder bytea,
    until bigint
);
CREATE INDEX session_owner ON session (owner, label);
CREATE INDEX session_holder ON session (id) WHERE holder IS NOT NULL;
CREATE TABLE binding (
    session bigint NOT NULL,
    name bytea NOT NULL,
    hash bytea NOT NULL,
    kind bytea NOT NULL,
    bytes bigint NOT NULL,
    turn bigint NOT NULL,
    PRIMARY KEY (session, name)
);
CREATE INDEX binding_hash ON binding (hash);
CREATE TABLE turn (
    session bigint NOT NULL,
    turn bigint NOT NULL,
    told bytea NOT NULL,
    PRIMARY KEY (session, turn)
);

-- Changes that are tried before they count, and their operations as JSON.
CREATE TABLE area (
    id bigint PRIMARY KEY,
    owner bytea NOT NULL,
    base bigint NOT NULL,
    created bigint NOT NULL,
    changed bigint NOT NULL,
    version bigint NOT NULL,
    verified bigint,
    passed bigint,
    record bytea
);
CREATE INDEX area_owner ON area (owner);
CREATE TABLE operation (
    area bigint NOT NULL REFERENCES area ON DELETE CASCADE,
    number bigint NOT NULL,
    told bytea NOT NULL,
    PRIMARY KEY (area, number)
);

-- What models remember.
CREATE TABLE memory (
    id bigint PRIMARY KEY,
    owner bytea NOT NULL,
    key bytea NOT NULL,
    tags bytea NOT NULL,
    created bigint NOT NULL,
    updated bigint NOT NULL,
    size bigint NOT NULL,
    value bytea NOT NULL,
    context bytea NOT NULL,
    given double precision NOT NULL,
    successes bigint NOT NULL,
    tries bigint NOT NULL,
    used bigint NOT NULL,
    UNIQUE (owner, key)
);
CREATE INDEX memory_updated ON memory (updated);
CREATE INDEX memory_context ON memory (owner, context) WHERE context <> '';
CREATE TABLE memory_tag (
    tag bytea NOT NULL,
    memory bigint NOT NULL REFERENCES memory ON DELETE CASCADE,
    PRIMARY KEY (tag, memory)
);
CREATE INDEX memory_tag_memory ON memory_tag (memory);

-- How many keys there are, and the bytes of their values.
CREATE TABLE memory_sum (keys bigint NOT NULL, bytes bigint NOT NULL);
INSERT INTO memory_sum VALUES (0, 0);
CREATE FUNCTION count_memory() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    UPDATE memory_sum SET
        keys = keys + (CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'DELETE' THEN -1 ELSE 0 END),
        bytes = bytes + (CASE TG_OP WHEN 'DELETE' THEN 0 ELSE length(new.value) END)
            - (CASE TG_OP WHEN 'INSERT' THEN 0 ELSE length(old.value) END);
    RETURN NULL;
END $$;
CREATE TRIGGER memory_counted AFTER INSERT OR DELETE OR UPDATE OF value ON memory
    FOR EACH ROW EXECUTE FUNCTION count_memory();

-- The index for searches: documents with the number of their stems, where each stem stands in them and how often,
-- weighed by field, and their words as they are. `places` are field * 2^24 + offset.
CREATE TABLE document (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind bytea NOT NULL,
    owner bytea NOT NULL,
    place bytea NOT NULL,
    hash bytea NOT NULL,
    stems bigint NOT NULL,
    UNIQUE (kind, owner, place)
);
CREATE TABLE stem (
    term bytea NOT NULL,
    document bigint NOT NULL REFERENCES document ON DELETE CASCADE,
    weight double precision NOT NULL,
    places bigint[] NOT NULL,
    PRIMARY KEY (term, document)
);
CREATE INDEX stem_document ON stem (document);
CREATE TABLE word (
    term bytea NOT NULL,
    document bigint NOT NULL REFERENCES document ON DELETE CASCADE,
    length bigint NOT NULL,
    PRIMARY KEY (term, document)
);
CREATE INDEX word_document ON word (document);
CREATE INDEX word_length ON word (length, term);
CREATE TABLE document_sum (documents bigint NOT NULL, stems bigint NOT NULL);
INSERT INTO document_sum VALUES (0, 0);
CREATE FUNCTION count_documents() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE document_sum SET documents = documents + 1, stems = stems + new.stems;
    ELSE
        UPDATE document_sum SET documents = documents - 1, stems = stems - old.stems;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER document_counted AFTER INSERT OR DELETE ON document
    FOR EACH ROW EXECUTE FUNCTION count_documents();

-- What documents mean, as a model has it: numbers of four bytes, the lowest first.
CREATE TABLE document_meaning (
    document bigint PRIMARY KEY REFERENCES document ON DELETE CASCADE,
    model bytea NOT NULL,
    vector bytea NOT NULL
);

-- What tells this store from all others. It is the first line of each checkpoint.
CREATE TABLE identity (id bytea NOT NULL);
INSERT INTO identity VALUES (convert_to('mcp-pif/' || replace(gen_random_uuid()::text, '-', ''), 'UTF8'));

-- Signed notes about the journal, the latest last.
CREATE TABLE checkpoint (
    id bigint PRIMARY KEY,
    note bytea NOT NULL
);

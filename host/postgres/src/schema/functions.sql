-- All that a server may do beyond reading. Each function runs with the rights of the schema's owner.

CREATE OR REPLACE FUNCTION next_number(counted text) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    UPDATE counter SET last = last + 1 WHERE name = counted RETURNING last
$$;

CREATE OR REPLACE FUNCTION note_number(counted text, number bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    UPDATE counter SET last = number WHERE name = counted AND last < number
$$;

CREATE OR REPLACE FUNCTION clock() RETURNS bigint LANGUAGE sql SET search_path = pif, pg_temp AS $$
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- Leases.

CREATE OR REPLACE FUNCTION take_lease(who bytea, spot bytea, life bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    INSERT INTO lease VALUES (who, spot, clock() + life)
$$;

-- Makes a lease last longer; whether it is there. Ends others that are over, unless a transaction needs them.
CREATE OR REPLACE FUNCTION renew_lease(who bytea, life bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE is_there boolean;
BEGIN
    UPDATE lease SET until = clock() + life WHERE name = who;
    is_there := FOUND;
    DELETE FROM lease WHERE name IN
        (SELECT l.name FROM lease l WHERE l.until < clock() FOR UPDATE SKIP LOCKED);
    RETURN is_there;
END $$;

CREATE OR REPLACE FUNCTION end_lease(who bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM lease WHERE name = who
$$;

CREATE OR REPLACE FUNCTION end_lease_if_over(who bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM lease WHERE name = who AND until < clock()
$$;

-- Whether nobody has ended a lease. It can be renewed, and not be ended, until this transaction has ended.
CREATE OR REPLACE FUNCTION has_lease(who bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    PERFORM 1 FROM lease l WHERE l.name = who FOR KEY SHARE;
    RETURN FOUND;
END $$;

-- Chains.

-- Takes a chain that nobody holds, or begins one. Gives it with its last entry and its anchor.
CREATE OR REPLACE FUNCTION take_chain(who bytea, life bigint, OUT taken bigint, OUT last_id bigint,
    OUT last_ends bigint, OUT last_hash bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    SELECT c.chain INTO taken FROM chain c
        WHERE c.chain > 0 AND (c.holder IS NULL OR c.holder = who OR c.until < clock())
        ORDER BY c.holder IS DISTINCT FROM who, c.chain LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF taken IS NULL THEN
        PERFORM pg_advisory_xact_lock(20550, 3);
        SELECT coalesce(max(c.chain), 0) + 1 INTO taken FROM chain c;
        INSERT INTO chain (chain) VALUES (taken);
        INSERT INTO anchor VALUES
            (0, 0, '\x0000000000000000000000000000000000000000000000000000000000000000', taken);
    END IF;
    UPDATE chain c SET holder = who, until = clock() + life WHERE c.chain = taken
        RETURNING c.id, c.ends, c.hash INTO last_id, last_ends, last_hash;
END $$;

-- Holds a chain for longer; whether it was still held.
CREATE OR REPLACE FUNCTION hold_chain(which bigint, who bytea, life bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    UPDATE chain SET until = clock() + life WHERE chain = which AND holder = who;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION leave_chain(which bigint, who bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    UPDATE chain SET holder = NULL, until = 0 WHERE chain = which AND holder = who
$$;

CREATE OR REPLACE FUNCTION entry_numbers(most bigint) RETURNS bigint[]
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    SELECT coalesce(array_agg(nextval('entry_number')), '{}') FROM generate_series(1, most)
$$;

CREATE OR REPLACE FUNCTION keep_text(hashed bytea, kept bytea, number bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    INSERT INTO text VALUES (hashed, number, kept) ON CONFLICT (hash) DO UPDATE
        SET entry = greatest(text.entry, excluded.entry), text = excluded.text
$$;

CREATE OR REPLACE FUNCTION component_number(hashed bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE found bigint;
BEGIN
    SELECT c.id INTO found FROM component c WHERE c.hash = hashed;
    IF found IS NULL THEN
        PERFORM pg_advisory_xact_lock(20550, 4);
        SELECT c.id INTO found FROM component c WHERE c.hash = hashed;
        IF found IS NULL THEN
            INSERT INTO component SELECT coalesce(max(id), 0) + 1, hashed FROM component RETURNING id INTO found;
        END IF;
    END IF;
    RETURN found;
END $$;

-- Adds entries to a chain that `who` holds, after the one with the hash `before`. Texts are kept beside the entries
-- of which `texts_entries` has the numbers. The state PIF01 says that somebody else holds the chain, PIF02 that
-- the chain ends elsewhere.
CREATE OR REPLACE FUNCTION append(which bigint, who bytea, before bytea, ids bigint[], times bigint[],
    kinds bytea[], subjects bytea[], endings bytea[], fuels bigint[], components bytea[], bodies bytea[],
    sums bigint[], hashes bytea[], principals bytea[], texts_hashes bytea[], texts bytea[],
    texts_entries bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE head chain%ROWTYPE; most int := array_length(ids, 1); evaluator bigint; hashed bytea;
BEGIN
    SELECT * INTO head FROM chain c WHERE c.chain = which FOR UPDATE;
    IF NOT FOUND OR head.holder IS DISTINCT FROM who THEN
        RAISE EXCEPTION 'another server holds chain %', which USING ERRCODE = 'PIF01';
    END IF;
    IF head.hash <> before OR head.id >= ids[1] THEN
        RAISE EXCEPTION 'chain % ends elsewhere', which USING ERRCODE = 'PIF02';
    END IF;
    FOR hashed IN SELECT DISTINCT it FROM unnest(components) it WHERE it IS NOT NULL LOOP
        evaluator := component_number(hashed);
    END LOOP;
    INSERT INTO entry
        SELECT n.id, n.time, n.kind, n.subject, n.ending, n.fuel, c.id, n.body, n.ends, n.hash, n.principal, which
        FROM unnest(ids, times, kinds, subjects, endings, fuels, components, bodies, sums, hashes, principals)
            AS n (id, time, kind, subject, ending, fuel, component, body, ends, hash, principal)
        LEFT JOIN component c ON c.hash = n.component;
    IF array_length(texts, 1) > 0 THEN
        INSERT INTO text
            SELECT DISTINCT ON (t.hash) t.hash, t.entry, t.text
            FROM unnest(texts_hashes, texts_entries, texts) AS t (hash, entry, text)
            ORDER BY t.hash, t.entry DESC
            ON CONFLICT (hash) DO UPDATE
                SET entry = greatest(text.entry, excluded.entry), text = excluded.text;
    END IF;
    UPDATE chain c SET id = ids[most], ends = sums[most], hash = hashes[most], entries = entries + most
        WHERE c.chain = which;
END $$;

CREATE OR REPLACE FUNCTION pin_text(hashed bytea, number bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    UPDATE text SET entry = greatest(entry, number) WHERE hash = hashed
$$;

CREATE OR REPLACE FUNCTION sweep_text(hashed bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM text WHERE hash = hashed AND entry <= (SELECT max(id) FROM anchor)
        AND NOT EXISTS (SELECT 1 FROM entry WHERE id = text.entry)
        AND NOT EXISTS (SELECT 1 FROM binding WHERE hash = hashed)
$$;

CREATE OR REPLACE FUNCTION keep_term(hashed bytea, kept bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    INSERT INTO text VALUES (hashed, 0, kept) ON CONFLICT (hash) DO UPDATE
        SET text = excluded.text WHERE text.text <> excluded.text
$$;

-- Removes the entries of a chain whose `ends` is at most `sum`, but for the last one, and the texts that neither
-- an entry nor a binding has. Gives the number of removed entries. Not for servers.
CREATE OR REPLACE FUNCTION trim_chain(which bigint, sum bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pif, pg_temp AS $$
DECLARE head chain%ROWTYPE; low bigint; removed bigint;
BEGIN
    SELECT * INTO head FROM chain c WHERE c.chain = which FOR UPDATE;
    SELECT max(e.id) INTO low FROM entry e WHERE e.chain = which AND e.ends <= sum AND e.id < head.id;
    IF low IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE anchor a SET id = e.id, ends = e.ends, hash = e.hash FROM entry e
        WHERE e.id = low AND a.chain = which;
    DELETE FROM entry e WHERE e.chain = which AND e.id <= low;
    GET DIAGNOSTICS removed = ROW_COUNT;
    UPDATE anchor a SET entries = a.entries + removed WHERE a.chain = which;
    DELETE FROM text t WHERE t.entry <= low
        AND NOT EXISTS (SELECT 1 FROM entry e WHERE e.id = t.entry)
        AND NOT EXISTS (SELECT 1 FROM binding b WHERE b.hash = t.hash);
    RETURN removed;
END $$;

-- Runs that have not ended.

CREATE OR REPLACE FUNCTION add_parts(which bigint, parts bytea[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    INSERT INTO part SELECT which, k.known + p.number, p.text
        FROM (SELECT coalesce(max(number), 0) AS known FROM part WHERE run = which) k,
            unnest(parts) WITH ORDINALITY AS p (text, number)
$$;

CREATE OR REPLACE FUNCTION replace_parts(which bigint, parts bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    DELETE FROM part WHERE run = which;
    PERFORM add_parts(which, parts);
END $$;

CREATE OR REPLACE FUNCTION pend(which bigint, who bytea, ending bigint, parts bytea[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE made bigint := which;
BEGIN
    IF which IS NULL THEN
        made := next_number('pending');
        INSERT INTO pending VALUES (made, who, ending);
    ELSE
        PERFORM 1 FROM pending p WHERE p.id = which AND p.owner = who FOR UPDATE;
        IF NOT FOUND OR NOT has_lease(who) THEN
            RETURN NULL;
        END IF;
    END IF;
    PERFORM add_parts(made, parts);
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION settle(which bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    DELETE FROM pending WHERE id = which;
    RETURN FOUND;
END $$;

CREATE OR REPLACE FUNCTION end_run(which bigint, who bytea, next_owner bytea, ending bigint, parts bytea[])
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    UPDATE pending SET owner = next_owner, until = ending WHERE id = which AND owner = who;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM replace_parts(which, parts);
    RETURN true;
END $$;

-- Keeps a run that waits, which `held` works on. Gives its number, 0 if it is not held any more, and nothing if
-- too many wait.
CREATE OR REPLACE FUNCTION park(which bigint, held bytea, who bytea, ending bigint, parts bytea[], most bigint)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(20550, 2);
    IF (SELECT count(*) FROM pending p WHERE p.owner = who AND p.id IS DISTINCT FROM which) >= most THEN
        RETURN NULL;
    END IF;
    IF which IS NULL THEN
        RETURN pend(NULL, who, ending, parts);
    END IF;
    IF NOT has_lease(held) OR NOT end_run(which, held, who, ending, parts) THEN
        RETURN 0;
    END IF;
    RETURN which;
END $$;

CREATE OR REPLACE FUNCTION exchange(which bigint, who bytea, ending bigint, parts bytea[],
    next_owner bytea, next_ending bigint, next_parts bytea[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
BEGIN
    PERFORM 1 FROM pending p WHERE p.id = which AND p.owner = who AND p.until = ending FOR UPDATE;
    IF NOT FOUND OR parts IS DISTINCT FROM
        (SELECT coalesce(array_agg(p.text ORDER BY p.number), '{}') FROM part p WHERE p.run = which) THEN
        RETURN false;
    END IF;
    RETURN end_run(which, who, next_owner, next_ending, next_parts);
END $$;

-- The registry.

CREATE OR REPLACE FUNCTION keep_source(hashed bytea, written bytea, tools bytea[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE found bigint;
BEGIN
    SELECT r.id INTO found FROM revision r WHERE r.hash = hashed;
    IF found IS NULL THEN
        INSERT INTO revision SELECT coalesce(max(id), 0) + 1, hashed, written FROM revision
            RETURNING id INTO found;
        INSERT INTO uses SELECT DISTINCT it, found FROM unnest(tools) it;
    END IF;
    RETURN found;
END $$;

CREATE OR REPLACE FUNCTION put_fact(sort bytea, which bytea, words bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    INSERT INTO fact VALUES (sort, which, words) ON CONFLICT (kind, about) DO UPDATE SET told = excluded.told
$$;

CREATE OR REPLACE FUNCTION define(moment bigint, called bytea, hashed bytea, written bytea, tools bytea[],
    told bytea, shown bytea, given_schema bytea, given_members bytea, given_properties bytea, number bigint,
    looks bytea[])
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE made bigint := next_number('change'); kept bigint;
BEGIN
    IF hashed IS NOT NULL THEN
        kept := keep_source(hashed, written, tools);
    END IF;
    INSERT INTO change VALUES (made, moment, called, kept, told, shown, number, given_schema,
        given_members, given_properties);
    IF kept IS NULL THEN
        DELETE FROM tool WHERE name = called;
    ELSE
        INSERT INTO tool VALUES (called, made) ON CONFLICT (name) DO UPDATE SET change = excluded.change;
    END IF;
    INSERT INTO look SELECT it, called FROM unnest(looks) it ON CONFLICT DO NOTHING;
    PERFORM pg_notify('pif_change', made::text);
    RETURN made;
END $$;

-- Sessions.

CREATE OR REPLACE FUNCTION put_session(which bigint, who bytea, named bytea, words bytea, stands bytea,
    started bigint, touched bigint, life bigint, rest bigint, turned bigint, held bytea, ending bigint)
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE made bigint := which;
BEGIN
    IF which IS NULL THEN
        made := next_number('session');
    ELSE
        PERFORM note_number('session', which);
    END IF;
    INSERT INTO session VALUES
        (made, who, named, words, stands, started, touched, life, rest, turned, held, ending)
        ON CONFLICT (id) DO UPDATE SET title = words, standing = stands, created = started, used = touched,
            ttl = life, idle = rest, turn = turned, holder = held, until = ending;
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION remove_session(which bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM session WHERE id = which
$$;

CREATE OR REPLACE FUNCTION bind(which bigint, called bytea, hashed bytea, sort bytea, size bigint, turned bigint)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    INSERT INTO binding VALUES (which, called, hashed, sort, size, turned)
        ON CONFLICT (session, name) DO UPDATE SET hash = excluded.hash, kind = excluded.kind,
            bytes = excluded.bytes, turn = excluded.turn
$$;

CREATE OR REPLACE FUNCTION unbind(which bigint, called bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM binding WHERE session = which AND name = called
$$;

CREATE OR REPLACE FUNCTION note_turn(which bigint, number bigint, words bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    INSERT INTO turn VALUES (which, number, words)
        ON CONFLICT (session, turn) DO UPDATE SET told = excluded.told
$$;

CREATE OR REPLACE FUNCTION forget_turns(which bigint, last bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM turn WHERE session = which AND turn <= last
$$;

-- Staging areas.

CREATE OR REPLACE FUNCTION put_area(which bigint, who bytea, based bigint, begun bigint, touched bigint,
    versions bigint, checked bigint, good bigint, words bytea, operations bytea[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE made bigint := which;
BEGIN
    IF which IS NULL THEN
        made := next_number('area');
    ELSE
        PERFORM note_number('area', which);
    END IF;
    INSERT INTO area VALUES (made, who, based, begun, touched, versions, checked, good, words)
        ON CONFLICT (id) DO UPDATE SET base = based, changed = touched, version = versions,
            verified = checked, passed = good, record = words;
    DELETE FROM operation o WHERE o.area = made AND o.told IS DISTINCT FROM operations[o.number + 1];
    INSERT INTO operation SELECT made, o.number - 1, o.told
        FROM unnest(operations) WITH ORDINALITY AS o (told, number) ON CONFLICT DO NOTHING;
    RETURN made;
END $$;

CREATE OR REPLACE FUNCTION remove_area(which bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM area WHERE id = which
$$;

CREATE OR REPLACE FUNCTION hold_area(which bigint, who bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    UPDATE area SET holder = who WHERE id = which
$$;

-- The memory.

CREATE OR REPLACE FUNCTION keep_memo(who bytea, called bytea, listed bytea, marks bytea[], started bigint,
    touched bigint, characters bigint, kept bytea, situation bytea, sure double precision, helped bigint,
    tried bigint, last_used bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE made bigint;
BEGIN
    UPDATE memory SET tags = listed, updated = touched, size = characters, value = kept, context = situation,
        given = sure, successes = helped, tries = tried, used = last_used
        WHERE owner = who AND key = called RETURNING id INTO made;
    IF made IS NULL THEN
        INSERT INTO memory SELECT coalesce(max(id), 0) + 1, who, called, listed, started, touched, characters,
            kept, situation, sure, helped, tried, last_used FROM memory RETURNING id INTO made;
    END IF;
    DELETE FROM memory_tag WHERE memory = made;
    INSERT INTO memory_tag SELECT DISTINCT it, made FROM unnest(marks) it;
END $$;

CREATE OR REPLACE FUNCTION note_use(who bytea, called bytea, moment bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    UPDATE memory SET used = greatest(used, moment) WHERE owner = who AND key = called
$$;

CREATE OR REPLACE FUNCTION forget_memo(who bytea, called bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM memory WHERE owner = who AND key = called
$$;

-- The index.

CREATE OR REPLACE FUNCTION put_document(sort bytea, who bytea, called bytea, hashed bytea, size bigint,
    terms bytea[], weights double precision[], spots bytea[], words bytea[], lengths bigint[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE made bigint;
BEGIN
    DELETE FROM document WHERE kind = sort AND owner = who AND place = called;
    INSERT INTO document (kind, owner, place, hash, stems) VALUES (sort, who, called, hashed, size)
        RETURNING id INTO made;
    INSERT INTO stem SELECT t.term, made, t.weight, convert_from(t.spots, 'UTF8')::bigint[]
        FROM unnest(terms, weights, spots) AS t (term, weight, spots);
    INSERT INTO word SELECT w.term, made, w.length FROM unnest(words, lengths) AS w (term, length);
END $$;

CREATE OR REPLACE FUNCTION remove_document(sort bytea, who bytea, called bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    DELETE FROM document WHERE kind = sort AND owner = who AND place = called
$$;

CREATE OR REPLACE FUNCTION keep_meaning(sort bytea, who bytea, called bytea, hashed bytea, named bytea,
    numbers bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
    INSERT INTO document_meaning SELECT d.id, named, numbers FROM document d
        WHERE d.kind = sort AND d.owner = who AND d.place = called AND d.hash = hashed
        ON CONFLICT (document) DO UPDATE SET model = excluded.model, vector = excluded.vector
$$;

-- Checkpoints.

CREATE OR REPLACE FUNCTION keep_checkpoint(written bytea, before bytea, most bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pif, pg_temp AS $$
DECLARE made bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(20550, 6);
    IF (SELECT c.note FROM checkpoint c ORDER BY c.id DESC LIMIT 1) IS DISTINCT FROM before THEN
        RETURN false;
    END IF;
    made := next_number('checkpoint');
    INSERT INTO checkpoint VALUES (made, written);
    DELETE FROM checkpoint c WHERE c.id <= made - most;
    RETURN true;
END $$;

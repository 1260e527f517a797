-- Tables, partitions and the rights of the roles.
--
-- `day` is derived from the record and never from its receipt, so that copies of a record meet in one partition.
-- A record without a date has the day -infinity and is in the default partition.

CREATE TABLE dtvr.migrations (
    version integer PRIMARY KEY,
    applied timestamptz NOT NULL DEFAULT now()
);

-- A sender: the name of a token, and a buffer that sent with it.
CREATE TABLE dtvr.senders (
    sender integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    store uuid NOT NULL,
    first_seen timestamptz NOT NULL DEFAULT now(),
    UNIQUE (name, store)
);

CREATE TABLE dtvr.tags (
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    day date NOT NULL,
    checksum_ok boolean,
    presented boolean,
    opted_out boolean,
    received timestamptz,
    program_date_time timestamptz,
    first timestamptz,
    last timestamptz,
    media_sequence bigint,
    pts bigint,
    timescale bigint,
    seconds double precision,
    sequence bigint,
    pc_offset bigint,
    fd_offset bigint,
    breakout bigint,
    record_order bigint,
    playhead double precision,
    media_time double precision,
    channel text,
    source text,
    rendition text,
    segment text,
    carriage text,
    kind text,
    owner text,
    pc_cid text,
    fd_cid text,
    problems text[],
    session text,
    asset text,
    type text,
    detail jsonb,
    PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);
CREATE INDEX tags_channel_at ON dtvr.tags (channel, at);
CREATE INDEX tags_session ON dtvr.tags (session) WHERE session IS NOT NULL;

CREATE TABLE dtvr.apps (
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    day date NOT NULL,
    opted_out boolean,
    received timestamptz,
    record_order bigint,
    session text,
    appid text,
    appname text,
    appversion text,
    sfcode text,
    market text,
    detail jsonb,
    PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);

CREATE TABLE dtvr.assets (
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    day date NOT NULL,
    opted_out boolean,
    received timestamptz,
    record_order bigint,
    session text,
    channel text,
    asset text,
    type text,
    detail jsonb,
    PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);
CREATE INDEX assets_session ON dtvr.assets (session);

CREATE TABLE dtvr.sessions (
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    day date NOT NULL,
    opted_out boolean,
    received timestamptz,
    record_order bigint,
    first_playhead double precision,
    playhead double precision,
    watched double precision,
    session text,
    channel text,
    asset text,
    type text,
    detail jsonb,
    PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);
CREATE INDEX sessions_session ON dtvr.sessions (session);

-- Records of kinds that this version does not know.
CREATE TABLE dtvr.other_records (
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    day date NOT NULL,
    received timestamptz,
    kind text,
    detail jsonb,
    PRIMARY KEY (id, day)
) PARTITION BY RANGE (day);

-- One row for each record and sender. `received` is the time of the first receipt from that sender.
CREATE TABLE dtvr.receipts (
    id uuid NOT NULL,
    day date NOT NULL,
    sender integer NOT NULL,
    received timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (id, day, sender)
) PARTITION BY RANGE (day);

CREATE TABLE dtvr.tags_default PARTITION OF dtvr.tags DEFAULT;
CREATE TABLE dtvr.apps_default PARTITION OF dtvr.apps DEFAULT;
CREATE TABLE dtvr.assets_default PARTITION OF dtvr.assets DEFAULT;
CREATE TABLE dtvr.sessions_default PARTITION OF dtvr.sessions DEFAULT;
CREATE TABLE dtvr.other_records_default PARTITION OF dtvr.other_records DEFAULT;
CREATE TABLE dtvr.receipts_default PARTITION OF dtvr.receipts DEFAULT;

-- The partitions by day. Names are <table>_YYYYMMDD.
CREATE VIEW dtvr.partitions AS
SELECT parent.relname::text AS table_name,
       child.relname::text AS partition,
       to_date(right(child.relname, 8), 'YYYYMMDD') AS day,
       pg_total_relation_size(child.oid) AS byte_count,
       greatest(child.reltuples, 0)::bigint AS estimated_rows
FROM pg_inherits
JOIN pg_class parent ON parent.oid = pg_inherits.inhparent
JOIN pg_class child ON child.oid = pg_inherits.inhrelid
JOIN pg_namespace ON pg_namespace.oid = parent.relnamespace
WHERE pg_namespace.nspname = 'dtvr' AND child.relkind = 'r' AND child.relname ~ '_[0-9]{8}$';

-- The tables in the order of a collector's inserts. All functions lock in this order, so that they cannot deadlock.
CREATE FUNCTION dtvr.partitioned_tables() RETURNS text[] LANGUAGE sql IMMUTABLE AS
$$ SELECT ARRAY['tags', 'apps', 'assets', 'sessions', 'other_records', 'receipts'] $$;

-- Creates the missing partitions of a day, moves their rows from the default partitions, and returns their number.
CREATE FUNCTION dtvr.add_partitions(wanted date) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    parent text;
    child text;
    added integer := 0;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('dtvr.partitions'));
    FOREACH parent IN ARRAY dtvr.partitioned_tables() LOOP
        child := parent || '_' || to_char(wanted, 'YYYYMMDD');
        CONTINUE WHEN to_regclass(format('dtvr.%I', child)) IS NOT NULL;
        EXECUTE format('LOCK TABLE dtvr.%I IN ACCESS EXCLUSIVE MODE', parent || '_default');
        EXECUTE format('CREATE TABLE dtvr.%I (LIKE dtvr.%I INCLUDING ALL)', child, parent);
        EXECUTE format(
            'WITH moved AS (DELETE FROM dtvr.%I WHERE day = $1 RETURNING *) INSERT INTO dtvr.%I SELECT * FROM moved',
            parent || '_default', child) USING wanted;
        EXECUTE format(
            'ALTER TABLE dtvr.%I ATTACH PARTITION dtvr.%I FOR VALUES FROM (%L) TO (%L)',
            parent, child, wanted, wanted + 1);
        added := added + 1;
    END LOOP;
    RETURN added;
END $$;

-- Drops the partitions of days before a day, deletes older rows of the default partitions, and returns both numbers.
CREATE FUNCTION dtvr.drop_before(cutoff date, OUT partitions integer, OUT default_rows bigint)
LANGUAGE plpgsql AS $$
DECLARE
    parent text;
    child text;
    deleted bigint;
BEGIN
    partitions := 0;
    default_rows := 0;
    PERFORM pg_advisory_xact_lock(hashtext('dtvr.partitions'));
    FOREACH parent IN ARRAY dtvr.partitioned_tables() LOOP
        FOR child IN
            SELECT partition FROM dtvr.partitions WHERE table_name = parent AND day < cutoff ORDER BY day
        LOOP
            EXECUTE format('DROP TABLE dtvr.%I', child);
            partitions := partitions + 1;
        END LOOP;
        -- A record without a date is as old as its receipt by the buffer; the receipt of a record has its own time.
        EXECUTE format(
            'DELETE FROM dtvr.%I WHERE day < $1 AND (day > ''-infinity'' OR received < $1)',
            parent || '_default') USING cutoff;
        GET DIAGNOSTICS deleted = ROW_COUNT;
        default_rows := default_rows + deleted;
    END LOOP;
END $$;

-- Returns the number of a sender. The inserting role may call it, and cannot read the table.
CREATE FUNCTION dtvr.sender_number(sender_name text, sender_store uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found_sender integer;
BEGIN
    SELECT sender INTO found_sender FROM dtvr.senders WHERE name = sender_name AND store = sender_store;
    IF found_sender IS NULL THEN
        INSERT INTO dtvr.senders (name, store) VALUES (sender_name, sender_store) ON CONFLICT DO NOTHING;
        SELECT sender INTO found_sender FROM dtvr.senders WHERE name = sender_name AND store = sender_store;
    END IF;
    RETURN found_sender;
END $$;

REVOKE ALL ON FUNCTION dtvr.sender_number(text, uuid), dtvr.add_partitions(date), dtvr.drop_before(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dtvr.sender_number(text, uuid) TO dtvr_insert;
REVOKE ALL ON SCHEMA dtvr FROM PUBLIC;
GRANT USAGE ON SCHEMA dtvr TO dtvr_insert, dtvr_read;
GRANT INSERT ON dtvr.tags, dtvr.apps, dtvr.assets, dtvr.sessions, dtvr.other_records, dtvr.receipts TO dtvr_insert;
GRANT SELECT ON dtvr.migrations, dtvr.partitions TO dtvr_insert;
GRANT SELECT ON ALL TABLES IN SCHEMA dtvr TO dtvr_read;
ALTER DEFAULT PRIVILEGES IN SCHEMA dtvr GRANT SELECT ON TABLES TO dtvr_read;

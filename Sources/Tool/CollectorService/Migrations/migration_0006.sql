-- The times of each channel, which reports read instead of all tags.
--
-- A day of a channel has thousands of tags, and a report has thousands of such days. Triggers add a row for each batch
-- and channel; `merge_totals` adds up the rows of a day. The table has no partitions.
--
-- `state` is `data` for the times of DATA tags, else the `state` of a record of kind `period`. Each DATA tag lasts 9 s
-- longer here, the default of limit-gap, so that the ranges of consecutive tags meet; readers subtract it.
CREATE TABLE dtvr.channel_times (
    day date NOT NULL,
    slot timestamptz NOT NULL,
    channel text NOT NULL,
    state text NOT NULL,
    monitor text,
    name text,
    times tstzmultirange,
    tags bigint,
    late bigint,
    copies bigint
);
CREATE INDEX channel_times_day ON dtvr.channel_times (day);

-- Returns the time of a DATA tag with the tolerance between tags.
CREATE FUNCTION dtvr.tag_time(first timestamptz, last timestamptz) RETURNS tstzrange LANGUAGE sql IMMUTABLE AS
$$ SELECT tstzrange(first, least(greatest(first, last), first + interval '10 minutes') + interval '9 seconds') $$;

-- Returns the time of a record of kind `period`; null unless it is a positive time of at most a day.
CREATE FUNCTION dtvr.period_time(started text, ended text) RETURNS tstzmultirange LANGUAGE plpgsql STABLE AS $$
DECLARE
    span tstzrange;
BEGIN
    span := tstzrange(started::timestamptz, ended::timestamptz);
    IF isempty(span) OR NOT (lower(span) > '1970-01-01' AND upper(span) - lower(span) <= interval '1 day') THEN
        RETURN NULL;
    END IF;
    RETURN tstzmultirange(span);
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END $$;

-- The days whose records are counted again with these times.
INSERT INTO dtvr.uncounted_days SELECT DISTINCT day FROM dtvr.partitions UNION SELECT '-infinity'
ON CONFLICT DO NOTHING;

CREATE OR REPLACE FUNCTION dtvr.add_tags_to_totals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO dtvr.session_totals
    SELECT day, session, app_session, asset, asset_play, min(at), max(at), count(*),
           count(*) FILTER (WHERE presented), NULL, NULL
    FROM added WHERE session IS NOT NULL
    GROUP BY day, session, app_session, asset, asset_play;
    INSERT INTO dtvr.channel_times (day, slot, channel, state, times, tags, late)
    SELECT day, date_trunc('hour', first, 'UTC'), channel, 'data', range_agg(dtvr.tag_time(first, last)), count(*),
           count(*) FILTER (WHERE first < now() - interval '1 hour')
    FROM added
    WHERE channel IS NOT NULL AND session IS NULL AND kind = 'data' AND checksum_ok IS NOT FALSE
        AND first BETWEEN '1970-01-02' AND '9999-01-01'
    GROUP BY 1, 2, 3;
    -- The receipts of these tags follow.
    PERFORM set_config('dtvr.added_tags', (SELECT count(*) FROM added)::text, true);
    RETURN NULL;
END $$;

CREATE FUNCTION dtvr.add_periods_to_totals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO dtvr.channel_times (day, slot, channel, state, monitor, name, times)
    SELECT * FROM (
        SELECT day, date_trunc('day', received, 'UTC'), detail->>'channel' AS channel, detail->>'state' AS state,
               detail->>'monitor', max(left(detail->>'name', 200)),
               range_agg(dtvr.period_time(detail->>'started', detail->>'ended')) AS times
        FROM added WHERE kind = 'period' AND day > '-infinity'
        GROUP BY 1, 2, 3, 4, 5
    ) periods
    WHERE times IS NOT NULL AND channel IS NOT NULL
        AND state IN ('watched', 'break', 'quiet', 'unreachable', 'silent', 'backup');
    RETURN NULL;
END $$;

-- Counts the receipts of DATA tags that another sender has delivered before.
--
-- The receipts of new tags, of which there are as many as the transaction has just added, are no copies. Each partition
-- has a query of its own, as in `differing_count`. The limits keep the server from reading a whole partition.
CREATE FUNCTION dtvr.add_receipts_to_totals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    added_tags bigint := coalesce(nullif(current_setting('dtvr.added_tags', true), ''), '0');
    part record;
BEGIN
    PERFORM set_config('dtvr.added_tags', '', true);
    IF (SELECT count(*) FROM added) = added_tags THEN RETURN NULL; END IF;
    FOR part IN
        SELECT coalesce(to_regclass(format('dtvr.receipts_%s', to_char(day, 'YYYYMMDD'))),
                        'dtvr.receipts_default') AS receipts,
               coalesce(to_regclass(format('dtvr.tags_%s', to_char(day, 'YYYYMMDD'))), 'dtvr.tags_default') AS tags,
               array_agg(id) AS ids, array_agg(day) AS days, array_agg(sender) AS senders
        FROM added GROUP BY 1, 2
    LOOP
        EXECUTE format(
            $query$
            INSERT INTO dtvr.channel_times (day, slot, channel, state, copies)
            SELECT added.day, tags.slot, tags.channel, 'data', count(*)
            FROM unnest($1, $2, $3) added (id, day, sender)
            CROSS JOIN LATERAL (
                SELECT date_trunc('hour', first, 'UTC') AS slot, channel FROM %s
                WHERE id = added.id AND day = added.day AND channel IS NOT NULL AND session IS NULL AND kind = 'data'
                    AND checksum_ok IS NOT FALSE AND first BETWEEN '1970-01-02' AND '9999-01-01'
                LIMIT 1
            ) tags
            CROSS JOIN LATERAL (
                SELECT FROM %s WHERE id = added.id AND day = added.day AND sender <> added.sender LIMIT 1
            ) earlier
            GROUP BY 1, 2, 3
            $query$, part.tags, part.receipts) USING part.ids, part.days, part.senders;
    END LOOP;
    RETURN NULL;
END $$;

CREATE TRIGGER totals AFTER INSERT ON dtvr.other_records REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION dtvr.add_periods_to_totals();
CREATE TRIGGER totals AFTER INSERT ON dtvr.receipts REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION dtvr.add_receipts_to_totals();

CREATE OR REPLACE FUNCTION dtvr.delete_totals(wanted date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    total text;
BEGIN
    FOREACH total IN ARRAY ARRAY['session_totals', 'app_totals_by_day', 'channel_times'] LOOP
        IF wanted > '-infinity' THEN
            EXECUTE format('DELETE FROM dtvr.%I WHERE day = $1', total) USING wanted;
        ELSE
            EXECUTE format(
                'DELETE FROM dtvr.%I WHERE day NOT IN '
                '(SELECT day FROM dtvr.partitions WHERE table_name = ''tags'' AND day IS NOT NULL)', total);
        END IF;
    END LOOP;
END $$;

-- Counts the records of a day again; -infinity stands for the default partitions. Batches with records of the day wait.
CREATE OR REPLACE FUNCTION dtvr.count_totals(wanted date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    suffix text := CASE WHEN wanted > '-infinity' THEN to_char(wanted, 'YYYYMMDD') ELSE 'default' END;
    parent text;
BEGIN
    IF to_regclass(format('dtvr.%I', 'tags_' || suffix)) IS NULL THEN RETURN; END IF;
    -- In the order of a collector's inserts.
    FOREACH parent IN ARRAY dtvr.partitioned_tables() LOOP
        EXECUTE format('LOCK TABLE dtvr.%I IN SHARE MODE', parent || '_' || suffix);
    END LOOP;
    PERFORM dtvr.delete_totals(wanted);
    EXECUTE format(
        $query$
        INSERT INTO dtvr.session_totals
        SELECT day, session, app_session, asset, asset_play, min(at), max(at), count(*) FILTER (WHERE is_tag),
               count(*) FILTER (WHERE presented), sum(watched), sum(pause_count)::bigint
        FROM (
            SELECT day, session, app_session, asset, asset_play, at, true AS is_tag, presented,
                   NULL::double precision AS watched, NULL::bigint AS pause_count
            FROM dtvr.%I
            UNION ALL
            SELECT day, session, app_session, asset, asset_play, at, false, false, watched, pause_count FROM dtvr.%I
            UNION ALL
            SELECT day, session, app_session, asset, asset_play, at, false, false, NULL, NULL FROM dtvr.%I
        ) records
        WHERE session IS NOT NULL
        GROUP BY day, session, app_session, asset, asset_play
        $query$, 'tags_' || suffix, 'sessions_' || suffix, 'assets_' || suffix);
    EXECUTE format(
        'INSERT INTO dtvr.app_totals_by_day SELECT day, app_session, market, app->>''appid'', at FROM dtvr.%I',
        'apps_' || suffix);
    EXECUTE format(
        $query$
        INSERT INTO dtvr.channel_times (day, slot, channel, state, times, tags, late, copies)
        SELECT tags.day, date_trunc('hour', first, 'UTC'), channel, 'data', range_agg(dtvr.tag_time(first, last)),
               count(*), count(*) FILTER (WHERE first < receipts.received - interval '1 hour'),
               coalesce(sum(receipts.count - 1), 0)::bigint
        FROM dtvr.%I tags
        LEFT JOIN (SELECT id, day, count(*), min(received) AS received FROM dtvr.%I GROUP BY id, day) receipts
            ON receipts.id = tags.id AND receipts.day = tags.day
        WHERE channel IS NOT NULL AND session IS NULL AND kind = 'data' AND checksum_ok IS NOT FALSE
            AND first BETWEEN '1970-01-02' AND '9999-01-01'
        GROUP BY 1, 2, 3
        $query$, 'tags_' || suffix, 'receipts_' || suffix);
    EXECUTE format(
        $query$
        INSERT INTO dtvr.channel_times (day, slot, channel, state, monitor, name, times)
        SELECT * FROM (
            SELECT day, date_trunc('day', received, 'UTC'), detail->>'channel' AS channel, detail->>'state' AS state,
                   detail->>'monitor', max(left(detail->>'name', 200)),
                   range_agg(dtvr.period_time(detail->>'started', detail->>'ended')) AS times
            FROM dtvr.%I WHERE kind = 'period' AND day > '-infinity'
            GROUP BY 1, 2, 3, 4, 5
        ) periods
        WHERE times IS NOT NULL AND channel IS NOT NULL
            AND state IN ('watched', 'break', 'quiet', 'unreachable', 'silent', 'backup')
        $query$, 'other_records_' || suffix);
END $$;

-- Adds up the rows that batches have added for the same day and session, or channel.
CREATE OR REPLACE FUNCTION dtvr.merge_totals(wanted date) RETURNS void LANGUAGE sql AS $$
    WITH parts AS (DELETE FROM dtvr.session_totals WHERE day = wanted RETURNING *)
    INSERT INTO dtvr.session_totals
    SELECT day, session, app_session, asset, asset_play, min(first_record), max(last_record), sum(tags)::bigint,
           sum(presented_tags)::bigint, sum(watched), sum(pauses)::bigint
    FROM parts
    GROUP BY day, session, app_session, asset, asset_play;
    WITH parts AS (DELETE FROM dtvr.channel_times WHERE day = wanted RETURNING *)
    INSERT INTO dtvr.channel_times
    SELECT day, slot, channel, state, monitor, max(name), range_agg(times), sum(tags)::bigint, sum(late)::bigint,
           sum(copies)::bigint
    FROM parts
    GROUP BY day, slot, channel, state, monitor;
$$;

REVOKE ALL ON FUNCTION dtvr.add_periods_to_totals(), dtvr.add_receipts_to_totals() FROM PUBLIC;

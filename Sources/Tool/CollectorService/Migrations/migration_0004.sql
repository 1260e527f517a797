-- Totals of viewing sessions, which the views of players read instead of all partitions.
--
-- Planning a view over several partitioned tables takes minutes with a year of partitions, and locks each of them with
-- its indexes. These tables have no partitions. Triggers add a row for each batch and session; `merge_totals` adds up
-- the rows of a day.

CREATE TABLE dtvr.session_totals (
    day date NOT NULL,
    session text NOT NULL,
    app_session text,
    asset text,
    asset_play text,
    first_record timestamptz NOT NULL,
    last_record timestamptz NOT NULL,
    tags bigint NOT NULL,
    presented_tags bigint NOT NULL,
    watched double precision,
    pauses bigint
);
CREATE INDEX session_totals_day ON dtvr.session_totals (day);
CREATE INDEX session_totals_session ON dtvr.session_totals (session);

-- The app sessions, one row for each record of the table `apps`.
CREATE TABLE dtvr.app_totals_by_day (
    day date NOT NULL,
    app_session text,
    market text,
    appid text,
    at timestamptz NOT NULL
);
CREATE INDEX app_totals_by_day_day ON dtvr.app_totals_by_day (day);
CREATE INDEX app_totals_by_day_app_session ON dtvr.app_totals_by_day (app_session);

-- The days whose records are older than the triggers; -infinity stands for the default partitions.
CREATE TABLE dtvr.uncounted_days (day date PRIMARY KEY);
INSERT INTO dtvr.uncounted_days SELECT DISTINCT day FROM dtvr.partitions UNION SELECT '-infinity';

CREATE FUNCTION dtvr.add_tags_to_totals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO dtvr.session_totals
    SELECT day, session, app_session, asset, asset_play, min(at), max(at), count(*),
           count(*) FILTER (WHERE presented), NULL, NULL
    FROM added WHERE session IS NOT NULL
    GROUP BY day, session, app_session, asset, asset_play;
    RETURN NULL;
END $$;

CREATE FUNCTION dtvr.add_sessions_to_totals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO dtvr.session_totals
    SELECT day, session, app_session, asset, asset_play, min(at), max(at), 0, 0, sum(watched), sum(pause_count)
    FROM added WHERE session IS NOT NULL
    GROUP BY day, session, app_session, asset, asset_play;
    RETURN NULL;
END $$;

CREATE FUNCTION dtvr.add_assets_to_totals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO dtvr.session_totals
    SELECT day, session, app_session, asset, asset_play, min(at), max(at), 0, 0, NULL, NULL
    FROM added WHERE session IS NOT NULL
    GROUP BY day, session, app_session, asset, asset_play;
    RETURN NULL;
END $$;

CREATE FUNCTION dtvr.add_apps_to_totals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO dtvr.app_totals_by_day SELECT day, app_session, market, app->>'appid', at FROM added;
    RETURN NULL;
END $$;

CREATE TRIGGER totals AFTER INSERT ON dtvr.tags REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION dtvr.add_tags_to_totals();
CREATE TRIGGER totals AFTER INSERT ON dtvr.sessions REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION dtvr.add_sessions_to_totals();
CREATE TRIGGER totals AFTER INSERT ON dtvr.assets REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION dtvr.add_assets_to_totals();
CREATE TRIGGER totals AFTER INSERT ON dtvr.apps REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION dtvr.add_apps_to_totals();

-- Deletes the totals of a day; -infinity stands for all days without partitions.
CREATE FUNCTION dtvr.delete_totals(wanted date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    total text;
BEGIN
    FOREACH total IN ARRAY ARRAY['session_totals', 'app_totals_by_day'] LOOP
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
CREATE FUNCTION dtvr.count_totals(wanted date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    suffix text := CASE WHEN wanted > '-infinity' THEN to_char(wanted, 'YYYYMMDD') ELSE 'default' END;
    parent text;
BEGIN
    IF to_regclass(format('dtvr.%I', 'tags_' || suffix)) IS NULL THEN RETURN; END IF;
    -- In the order of a collector's inserts.
    FOREACH parent IN ARRAY ARRAY['tags', 'apps', 'assets', 'sessions'] LOOP
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
END $$;

-- Adds up the rows that batches have added for the same day and session.
CREATE FUNCTION dtvr.merge_totals(wanted date) RETURNS void LANGUAGE sql AS $$
    WITH parts AS (DELETE FROM dtvr.session_totals WHERE day = wanted RETURNING *)
    INSERT INTO dtvr.session_totals
    SELECT day, session, app_session, asset, asset_play, min(first_record), max(last_record), sum(tags)::bigint,
           sum(presented_tags)::bigint, sum(watched), sum(pauses)::bigint
    FROM parts
    GROUP BY day, session, app_session, asset, asset_play
$$;

REVOKE ALL ON FUNCTION dtvr.add_tags_to_totals(), dtvr.add_sessions_to_totals(), dtvr.add_assets_to_totals(),
    dtvr.add_apps_to_totals(), dtvr.delete_totals(date), dtvr.count_totals(date), dtvr.merge_totals(date) FROM PUBLIC;

DROP VIEW dtvr.app_totals, dtvr.player_sessions;

-- The viewing sessions of players.
-- The sessions of an app: SELECT * FROM dtvr.player_sessions WHERE appid = 'P1'
CREATE VIEW dtvr.player_sessions AS
SELECT records.session, records.app_session, apps.market, apps.appid, records.first_record, records.last_record,
       records.tags, records.presented_tags, records.assets, records.plays, records.watched, records.pauses
FROM (
    SELECT session, max(app_session) AS app_session, min(first_record) AS first_record,
           max(last_record) AS last_record,
           sum(tags)::bigint AS tags,
           sum(presented_tags)::bigint AS presented_tags,
           count(DISTINCT asset) AS assets,
           count(DISTINCT asset_play) AS plays,
           sum(watched) AS watched,
           coalesce(sum(pauses), 0)::bigint AS pauses
    FROM dtvr.session_totals
    GROUP BY session
) records
LEFT JOIN dtvr.app_totals_by_day apps ON apps.app_session = records.app_session;

-- The totals of each market and app. A session without a record of its app has neither.
CREATE VIEW dtvr.app_totals AS
SELECT apps.market, apps.appid, count(DISTINCT apps.app_session) AS app_sessions,
       count(records.session) AS sessions, coalesce(sum(records.tags), 0)::bigint AS tags,
       coalesce(sum(records.plays), 0)::bigint AS plays, sum(records.watched) AS watched,
       min(least(apps.at, records.first_record)) AS first_record,
       max(greatest(apps.at, records.last_record)) AS last_record
FROM dtvr.app_totals_by_day apps
FULL JOIN dtvr.player_sessions records ON records.app_session = apps.app_session
GROUP BY 1, 2;

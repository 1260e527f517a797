-- Columns for the keys of player records: app sessions, assets and their playback.
--
-- Columns that no record fills are dropped. Members of `detail` that have a column now are moved, except the times and
-- counts of sessions, which stay where they are.

ALTER TABLE dtvr.tags
    DROP COLUMN rendition,
    ADD COLUMN renditions text[],
    ADD COLUMN app_session text,
    ADD COLUMN asset_play text;

ALTER TABLE dtvr.apps
    ADD COLUMN truncated_count bigint,
    ADD COLUMN app_session text,
    ADD COLUMN library text,
    ADD COLUMN truncated text[],
    ADD COLUMN app jsonb;

ALTER TABLE dtvr.assets
    ADD COLUMN truncated_count bigint,
    ADD COLUMN app_session text,
    ADD COLUMN asset_play text,
    ADD COLUMN ad_index text,
    ADD COLUMN truncated text[],
    ADD COLUMN channel_info jsonb,
    ADD COLUMN metadata jsonb;

ALTER TABLE dtvr.sessions
    ADD COLUMN started timestamptz,
    ADD COLUMN ended timestamptz,
    ADD COLUMN pause_count bigint,
    ADD COLUMN truncated_count bigint,
    ADD COLUMN app_session text,
    ADD COLUMN asset_play text,
    ADD COLUMN truncated text[],
    ADD COLUMN pauses jsonb,
    ADD COLUMN volume jsonb,
    ADD COLUMN mute jsonb,
    ADD COLUMN ott jsonb,
    ADD COLUMN viewability jsonb;

-- The index on sessions finds the tags of players.
UPDATE dtvr.tags
SET app_session = detail->>'app_session', asset_play = detail->>'asset_play',
    detail = nullif(detail - ARRAY['app_session', 'asset_play'], '{}')
WHERE session IS NOT NULL AND detail ?| ARRAY['app_session', 'asset_play'];

UPDATE dtvr.apps
SET app_session = detail->>'app_session', library = detail->>'library', app = detail->'app',
    detail = nullif(
        coalesce(detail, '{}') - ARRAY['app_session', 'library', 'app'] || jsonb_strip_nulls(jsonb_build_object(
            'order', record_order, 'session', session, 'appid', appid, 'appname', appname, 'appversion', appversion,
            'sfcode', sfcode)),
        '{}');

UPDATE dtvr.assets
SET app_session = detail->>'app_session', asset_play = detail->>'asset_play', ad_index = detail->>'ad_index',
    channel_info = detail->'channel_info', metadata = detail->'metadata',
    detail = nullif(detail - ARRAY['app_session', 'asset_play', 'ad_index', 'channel_info', 'metadata'], '{}');

UPDATE dtvr.sessions
SET app_session = detail->>'app_session', asset_play = detail->>'asset_play', pauses = detail->'pauses',
    volume = detail->'volume', mute = detail->'mute', ott = detail->'ott', viewability = detail->'viewability',
    detail = nullif(
        detail - ARRAY['app_session', 'asset_play', 'pauses', 'volume', 'mute', 'ott', 'viewability'], '{}');

DROP VIEW dtvr.player_sessions, dtvr.app_totals;

ALTER TABLE dtvr.apps
    DROP COLUMN record_order,
    DROP COLUMN session,
    DROP COLUMN appid,
    DROP COLUMN appname,
    DROP COLUMN appversion,
    DROP COLUMN sfcode;

CREATE INDEX apps_app_session ON dtvr.apps (app_session);
CREATE INDEX sessions_app_session ON dtvr.sessions (app_session);

-- The app sessions, with the keys of `init` that every app has.
CREATE VIEW dtvr.app_sessions AS
SELECT app_session, at, day, market, app->>'appid' AS appid, app->>'appname' AS appname,
       app->>'appversion' AS appversion, library, opted_out, app
FROM dtvr.apps;

-- The viewing sessions of players.
-- The sessions of an app: SELECT * FROM dtvr.player_sessions WHERE appid = 'P1'
CREATE VIEW dtvr.player_sessions AS
SELECT records.session, records.app_session, apps.market, apps.app->>'appid' AS appid,
       records.first_record, records.last_record, records.tags, records.presented_tags, records.assets, records.plays,
       records.watched, records.pauses
FROM (
    SELECT session, max(app_session) AS app_session, min(at) AS first_record, max(at) AS last_record,
           count(*) FILTER (WHERE is_tag) AS tags,
           count(*) FILTER (WHERE presented) AS presented_tags,
           count(DISTINCT asset) AS assets,
           count(DISTINCT asset_play) AS plays,
           sum(watched) AS watched,
           coalesce(sum(pause_count), 0)::bigint AS pauses
    FROM (
        SELECT session, app_session, at, asset, asset_play, true AS is_tag, presented,
               NULL::double precision AS watched, NULL::bigint AS pause_count
        FROM dtvr.tags WHERE session IS NOT NULL
        UNION ALL
        SELECT session, app_session, at, asset, asset_play, false, false, watched, pause_count
        FROM dtvr.sessions WHERE session IS NOT NULL
        UNION ALL
        SELECT session, app_session, at, asset, asset_play, false, false, NULL, NULL
        FROM dtvr.assets WHERE session IS NOT NULL
    ) parts
    GROUP BY session
) records
LEFT JOIN dtvr.apps apps ON apps.app_session = records.app_session;

-- The totals of each market and app. A session without a record of its app has neither.
CREATE VIEW dtvr.app_totals AS
SELECT apps.market, apps.app->>'appid' AS appid, count(DISTINCT apps.app_session) AS app_sessions,
       count(records.session) AS sessions, coalesce(sum(records.tags), 0)::bigint AS tags,
       coalesce(sum(records.plays), 0)::bigint AS plays, sum(records.watched) AS watched,
       min(least(apps.at, records.first_record)) AS first_record,
       max(greatest(apps.at, records.last_record)) AS last_record
FROM dtvr.apps apps
FULL JOIN dtvr.player_sessions records ON records.app_session = apps.app_session
GROUP BY 1, 2;

-- Views for the usual questions.

-- The number of senders of each record, with the times of its first and last receipt.
CREATE VIEW dtvr.copies AS
SELECT id, day, count(*) AS copies, min(received) AS first_receipt, max(received) AS last_receipt
FROM dtvr.receipts
GROUP BY id, day;

CREATE VIEW dtvr.tags_per_hour AS
SELECT date_trunc('hour', at, 'UTC') AS hour, channel, count(*) AS tags,
       count(*) FILTER (WHERE kind = 'data') AS data_tags,
       count(*) FILTER (WHERE problems <> '{}') AS tags_with_problems
FROM dtvr.tags
GROUP BY 1, 2;

CREATE VIEW dtvr.tags_per_minute AS
SELECT date_trunc('minute', at, 'UTC') AS minute, channel, count(*) AS tags
FROM dtvr.tags
GROUP BY 1, 2;

-- The DATA tags of each channel with the time since the previous one:
-- SELECT * FROM dtvr.tag_gaps WHERE gap > interval '30 seconds'
CREATE VIEW dtvr.tag_gaps AS
SELECT channel, previous AS gap_start, at AS gap_end, at - previous AS gap
FROM (
    SELECT channel, at, lag(at) OVER (PARTITION BY channel ORDER BY at) AS previous
    FROM dtvr.tags
    WHERE kind = 'data' AND channel IS NOT NULL
) tags
WHERE previous IS NOT NULL;

-- The last tag of each channel. Channels without a tag for ten minutes:
-- SELECT channel FROM dtvr.last_tags WHERE at < now() - interval '10 minutes'
CREATE VIEW dtvr.last_tags AS
SELECT DISTINCT ON (channel) channel, at, id, day, kind, owner
FROM dtvr.tags
WHERE channel IS NOT NULL
ORDER BY channel, at DESC;

-- The viewing sessions of players.
CREATE VIEW dtvr.player_sessions AS
SELECT session, min(at) AS first_record, max(at) AS last_record,
       count(*) FILTER (WHERE is_tag) AS tags,
       count(DISTINCT asset) AS assets,
       sum(watched) AS watched
FROM (
    SELECT session, at, asset, true AS is_tag, NULL::double precision AS watched
    FROM dtvr.tags WHERE session IS NOT NULL
    UNION ALL
    SELECT session, at, asset, false, watched FROM dtvr.sessions WHERE session IS NOT NULL
) records
GROUP BY session;

CREATE VIEW dtvr.app_totals AS
SELECT market, appid, count(DISTINCT session) AS sessions, count(*) AS records,
       min(at) AS first_record, max(at) AS last_record
FROM dtvr.apps
GROUP BY market, appid;

-- The records of each sender and day.
CREATE VIEW dtvr.sender_totals AS
SELECT senders.name, senders.store, receipts.day, count(*) AS records,
       min(receipts.received) AS first_receipt, max(receipts.received) AS last_receipt
FROM dtvr.receipts receipts
JOIN dtvr.senders senders USING (sender)
GROUP BY senders.name, senders.store, receipts.day;

-- A hash in each receipt of what copies of a record share, to count different records with the same id.
--
-- Receipts of earlier versions have none, and no record differs from them. The first receipt of a record is that of the
-- stored one: a batch with another record of the same id waits for the commit, so its receipts are later.
ALTER TABLE dtvr.receipts
    ADD COLUMN hash bigint,
    ALTER COLUMN received SET DEFAULT clock_timestamp();

-- Returns the number of records whose first receipt has another hash. The inserting role cannot read the table.
--
-- The receipts of the records have been inserted, so their partitions are locked. Each has a query of its own: a query
-- over all of them would lock a year of partitions with their indexes.
CREATE FUNCTION dtvr.differing_count(ids uuid[], days date[], hashes bigint[]) RETURNS bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    part record;
    differing bigint;
    total bigint := 0;
BEGIN
    FOR part IN
        SELECT coalesce(to_regclass(format('dtvr.receipts_%s', to_char(day, 'YYYYMMDD'))),
                        'dtvr.receipts_default') AS receipts,
               array_agg(id) AS ids, array_agg(day) AS days, array_agg(hash) AS hashes
        FROM unnest(ids, days, hashes) added (id, day, hash)
        GROUP BY 1
    LOOP
        EXECUTE format(
            $query$
            SELECT count(*) FROM unnest($1, $2, $3) added (id, day, hash)
            JOIN LATERAL (
                SELECT hash FROM %s WHERE id = added.id AND day = added.day ORDER BY received LIMIT 1
            ) stored ON stored.hash <> added.hash
            $query$, part.receipts) INTO differing USING part.ids, part.days, part.hashes;
        total := total + differing;
    END LOOP;
    RETURN total;
END $$;

REVOKE ALL ON FUNCTION dtvr.differing_count(uuid[], date[], bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION dtvr.differing_count(uuid[], date[], bigint[]) TO dtvr_insert;

-- The roles and the schema. `dtvr ledger init` runs this as an administrator, any number of times.
DO $$
DECLARE
    wanted name;
    other name;
BEGIN
    -- Roles belong to the server. Members of dtvr_owner could prune the ledgers in all of its databases.
    SELECT datname INTO other
        FROM pg_shdepend
        JOIN pg_database ON pg_database.oid = dbid
        JOIN pg_roles ON pg_roles.oid = refobjid
        WHERE refclassid = 'pg_authid'::regclass AND rolname = 'dtvr_owner' AND datname <> current_database()
        ORDER BY datname
        LIMIT 1;
    IF other IS NOT NULL AND to_regnamespace('dtvr') IS NULL THEN
        RAISE EXCEPTION 'the server already has a ledger, in the database "%"', other
            USING HINT = 'The users of one ledger could change the other. Use a server for each.';
    END IF;
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE EXCEPTION 'the encoding of the database is %, not UTF8', current_setting('server_encoding');
    END IF;
    FOREACH wanted IN ARRAY ARRAY['dtvr_owner', 'dtvr_insert', 'dtvr_read'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        END IF;
    END LOOP;
    IF NOT pg_has_role(current_user, 'dtvr_owner', 'MEMBER') THEN
        EXECUTE format('GRANT dtvr_owner TO %I', current_user);
    END IF;
    -- Each connection of a collector has temporary staging tables.
    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO dtvr_insert', current_database());
END $$;

CREATE SCHEMA IF NOT EXISTS dtvr AUTHORIZATION dtvr_owner;

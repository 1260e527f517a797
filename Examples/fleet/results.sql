-- Queries over the verdicts of all shards, for DuckDB: run `duckdb < results.sql` beside the folder `results`.
CREATE VIEW verdicts AS
SELECT * FROM read_json('results/*.jsonl', format = 'newline_delimited', columns = {
    source: 'VARCHAR', verdict: 'VARCHAR', error: 'VARCHAR', duration: 'DOUBLE',
    checks: 'STRUCT(id VARCHAR, status VARCHAR, "count" BIGINT)[]'});

-- The number of inputs by verdict.
SELECT CASE WHEN error IS NULL THEN verdict ELSE 'unreadable' END AS result, count(*) AS inputs
FROM verdicts
GROUP BY result
ORDER BY inputs DESC, result;

-- The checks that fail most often.
SELECT id, count(*) AS inputs, sum("count") AS findings
FROM (SELECT unnest(checks, max_depth := 2) FROM verdicts)
WHERE status = 'fail'
GROUP BY id
ORDER BY inputs DESC, id
LIMIT 20;

-- Inputs that a later run should try again.
SELECT source, error FROM verdicts WHERE error IS NOT NULL ORDER BY source;

import TextForms

extension LedgerSchema {
    /// The effect of `prune`.
    package struct Pruned: Sendable, Hashable {
        /// The first day that was kept.
        package var firstKeptDay: String
        /// The number of dropped partitions.
        package var partitionCount = 0
        /// The number of records and receipts deleted from the default partitions.
        package var defaultRowCount = 0
    }

    /// The largest difference of the clocks, in milliseconds.
    private static let longestDifference: Int64 = 86_400_000

    /// Drops the partitions of days older than the retention, and older rows of the default partitions.
    ///
    /// Each day has a separate transaction, which needs few locks. After an error, the days before it are dropped.
    ///
    /// - Parameters:
    ///   - days: The number of days to keep, before today.
    ///   - all: Whether to drop the last record, too.
    package func prune(keepingDays days: Int, all: Bool) throws(LedgerError) -> Pruned {
        try Self.require(version: version)
        // One of the two clocks is wrong, and the database's may be the one.
        if abs(clockDifference) > Self.longestDifference {
            throw .clocksDiffer(seconds: clockDifference / 1_000)
        }
        try becomeOwner()
        let first = CivilDate(daysSince1970: today.daysSince1970 - Int64(days))
        if !all, try hasRecord(kept: false, from: first), try !hasRecord(kept: true, from: first) {
            throw .noRecordLeft(firstKeptDay: first.text)
        }
        var pruned = Pruned(firstKeptDay: first.text)
        let partitions = try connection.run(
            """
            SELECT day, count(*), string_agg(format('dtvr.%I', partition), ', ' \
            ORDER BY array_position(dtvr.partitioned_tables(), table_name)) \
            FROM dtvr.partitions WHERE day < $1::date GROUP BY day ORDER BY day
            """, [first.text]
        ).values
        for row in partitions where row.count == 3 {
            try transaction { () throws(LedgerError) in
                try connection.run("SELECT pg_advisory_xact_lock(hashtext('dtvr.partitions'))")
                try connection.run("DROP TABLE IF EXISTS \(row[2] ?? "")")
                try connection.run("SELECT dtvr.delete_totals($1::date)", [row[0]])
            }
            pruned.partitionCount += row[1].flatMap { Int($0) } ?? 0
        }
        // The partitions are gone, so this deletes from the default partitions.
        let rows = try transaction { () throws(LedgerError) in
            let rows = try connection.run(
                "SELECT partitions, default_rows FROM dtvr.drop_before($1::date)", [first.text]
            ).values
            if rows.first?.last != "0" { try connection.run("SELECT dtvr.count_totals('-infinity')") }
            return rows
        }
        let counts = (rows.first ?? []).map { $0.flatMap { Int($0) } ?? 0 }
        pruned.partitionCount += counts.first ?? 0
        pruned.defaultRowCount = counts.last ?? 0
        return pruned
    }

    /// Returns whether the ledger has a record that `prune` keeps, or one that it drops.
    ///
    /// Each partition is read by a separate statement, which needs few locks.
    private func hasRecord(kept: Bool, from first: CivilDate) throws(LedgerError) -> Bool {
        let queries = try connection.run(
            """
            SELECT format('SELECT FROM dtvr.%I LIMIT 1', partition) FROM dtvr.partitions \
            WHERE table_name <> 'receipts' AND (day >= $1::date) = $2::boolean \
            ORDER BY estimated_rows DESC, day
            """, [first.text, String(kept)]
        ).values
        for row in queries {
            if try !connection.run(row[0] ?? "").values.isEmpty { return true }
        }
        for table in RecordTable.all {
            let rows = try connection.run(
                """
                SELECT FROM dtvr.\(table.name)_default \
                WHERE (day < $1::date AND (day > '-infinity' OR received < $1::date)) IS \(kept ? "NOT TRUE" : "TRUE") \
                LIMIT 1
                """, [first.text]
            ).values
            if !rows.isEmpty { return true }
        }
        return false
    }
}

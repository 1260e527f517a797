import CDTVREmbedded
import Reporting
import TextForms

/// The schema of a ledger: its migrations, which only go forward.
///
/// The work needs the role `dtvr_owner`; only `create` needs an administrator.
package struct LedgerSchema: Sendable {
    /// The scripts of the migrations; the version of a schema is the number of those that were applied.
    private static let scripts: [[UInt8]] = [
        unsafe EmbeddedFile.bytes(dtvr_migration_0001_sql),
        unsafe EmbeddedFile.bytes(dtvr_migration_0002_sql),
        unsafe EmbeddedFile.bytes(dtvr_migration_0003_sql),
        unsafe EmbeddedFile.bytes(dtvr_migration_0004_sql),
        unsafe EmbeddedFile.bytes(dtvr_migration_0005_sql),
        unsafe EmbeddedFile.bytes(dtvr_migration_0006_sql),
    ]

    /// The newest version that this program supports.
    package static var supportedVersion: Int { scripts.count }

    /// The number of days, from today, that partitions are created for.
    package static let daysAhead = 30
    /// The number of past days that get partitions, which is the default age limit of a sender's buffer.
    private static let daysBehind = 10

    let connection: PostgresConnection
    /// The date of the database.
    let today: CivilDate
    /// The difference from the clock of the database to that of this machine, in milliseconds.
    let clockDifference: Int64

    /// Connects with the right to change the schema.
    ///
    /// - Parameter unixMilliseconds: The current time.
    package init(_ address: LedgerAddress, unixMilliseconds: Int64) throws(LedgerError) {
        try self.init(address, unixMilliseconds: unixMilliseconds, databaseTime: nil)
    }

    /// Connects; tests replace the time of the database.
    init(_ address: LedgerAddress, unixMilliseconds: Int64, databaseTime: Int64?) throws(LedgerError) {
        connection = try PostgresConnection(address)
        let found = if let databaseTime { databaseTime } else { try Self.time(of: connection) }
        today = CivilDate(daysSince1970: CivilDate.split(unixMilliseconds: found).daysSince1970)
        clockDifference = unixMilliseconds - found
        try connection.removeTimeLimit()
        // Waiting longer for a table would also delay the collectors that wait behind.
        try connection.run("SELECT set_config('lock_timeout', '10000', false)")
    }

    /// Returns the time of the database in Unix milliseconds.
    private static func time(of connection: PostgresConnection) throws(LedgerError) -> Int64 {
        let rows = try connection.run(
            "SELECT floor(1000 * extract(epoch FROM clock_timestamp()))::bigint"
        ).values
        guard let time = rows.first?.first?.flatMap({ Int64($0) }) else {
            throw .failed("the database has no time")
        }
        return time
    }

    /// The version of the schema; 0 if the database has none.
    var version: Int {
        get throws(LedgerError) { try Self.version(of: connection) }
    }

    /// Returns the version of the schema; 0 if the database has none.
    static func version(of connection: PostgresConnection) throws(LedgerError) -> Int {
        let found = try connection.run("SELECT to_regclass('dtvr.migrations')").values.first?.first ?? nil
        if found == nil { return 0 }
        let rows = try connection.run("SELECT max(version) FROM dtvr.migrations").values
        return rows.first?.first?.flatMap { Int($0) } ?? 0
    }

    /// Throws an error unless the version is the supported one.
    static func require(version: Int) throws(LedgerError) {
        let supported = supportedVersion
        if version == 0 { throw .noSchema }
        if version < supported { throw .olderSchema(version: version, supported: supported) }
        if version > supported { throw .newerSchema(version: version, supported: supported) }
    }

    /// Creates the roles and the schema, and migrates it.
    ///
    /// - Returns: The number of applied migrations and of created partitions.
    package func create() throws(LedgerError) -> Changes { try create(upTo: Self.supportedVersion) }

    /// Creates a schema of an earlier version, as an earlier program did.
    func create(upTo version: Int) throws(LedgerError) -> Changes {
        try transaction { () throws(LedgerError) in
            try connection.run(script: unsafe EmbeddedFile.bytes(dtvr_roles_sql))
        }
        return try migrate(canCreate: true, upTo: version)
    }

    /// The number of changes to a schema.
    package struct Changes: Sendable, Hashable {
        /// The number of applied migrations.
        package var migrationCount = 0
        /// The number of created partitions.
        package var partitionCount = 0
    }

    /// Applies the missing migrations, and creates the partitions of the next days.
    package func migrate() throws(LedgerError) -> Changes {
        try migrate(canCreate: false, upTo: Self.supportedVersion)
    }

    private func migrate(canCreate: Bool, upTo version: Int) throws(LedgerError) -> Changes {
        let found = try self.version
        if found == 0, !canCreate { throw .noSchema }
        if found > Self.supportedVersion { try Self.require(version: found) }
        try becomeOwner()
        var changes = Changes()
        for (index, script) in Self.scripts.prefix(version).enumerated() where index >= found {
            let isApplied = try transaction { () throws(LedgerError) in
                try apply(script, version: index + 1)
            }
            if isApplied { changes.migrationCount += 1 }
        }
        // Before partitions are added, which moves records of days that are not counted yet.
        if version >= Self.firstVersionWithTotals { try countTotals() }
        for offset in -Self.daysBehind...Self.daysAhead {
            changes.partitionCount += try addPartitions(daysFromToday: offset)
        }
        if version >= Self.firstVersionWithTotals { try mergeTotals() }
        return changes
    }

    /// Applies a migration unless another process has done so, and returns whether it did.
    func apply(_ script: [UInt8], version: Int) throws(LedgerError) -> Bool {
        try connection.run("SELECT pg_advisory_xact_lock(hashtext('dtvr.migrations'))")
        // Waits for the batches that have read the version, and makes the next ones wait for the new version.
        if version > 1 { try connection.run("LOCK TABLE dtvr.migrations IN ACCESS EXCLUSIVE MODE") }
        if try self.version >= version { return false }
        try connection.run(script: script)
        try connection.run("INSERT INTO dtvr.migrations (version) VALUES ($1)", [String(version)])
        return true
    }

    /// The first version whose tables have totals of sessions.
    private static let firstVersionWithTotals = 4

    /// Counts the records that are older than the totals, each day in a separate transaction, which needs few locks.
    private func countTotals() throws(LedgerError) {
        let days = try connection.run("SELECT day FROM dtvr.uncounted_days ORDER BY day").values
        for day in days {
            try transaction { () throws(LedgerError) in
                try connection.run("SELECT dtvr.count_totals($1::date)", day)
                try connection.run("DELETE FROM dtvr.uncounted_days WHERE day = $1::date", day)
            }
        }
    }

    /// Merges the totals that the batches of the last days have added.
    private func mergeTotals() throws(LedgerError) {
        let days = (-Self.daysBehind...0).map {
            CivilDate(daysSince1970: today.daysSince1970 + Int64($0)).text
        }
        for day in days + ["-infinity"] {
            try connection.run("SELECT dtvr.merge_totals($1::date)", [day])
        }
    }

    /// Creates the missing partitions of a day, each day in a transaction, to block collectors only briefly.
    private func addPartitions(daysFromToday offset: Int) throws(LedgerError) -> Int {
        let day = CivilDate(daysSince1970: today.daysSince1970 + Int64(offset))
        let rows = try transaction { () throws(LedgerError) in
            try connection.run("SELECT dtvr.add_partitions($1::date)", [day.text]).values
        }
        return rows.first?.first?.flatMap { Int($0) } ?? 0
    }

    func becomeOwner() throws(LedgerError) {
        try connection.run("SET ROLE dtvr_owner")
    }

    func transaction<Value>(
        _ body: () throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        try connection.run("BEGIN")
        let value: Value
        do throws(LedgerError) {
            value = try body()
        } catch {
            do throws(LedgerError) {
                try connection.run("ROLLBACK")
            } catch {
                // The server has ended the transaction with the connection.
            }
            throw error
        }
        try connection.run("COMMIT")
        return value
    }

    // MARK: Status

    /// The contents of a ledger.
    package struct Status: Sendable, Hashable {
        /// The version of the schema.
        package var version = 0
        /// The first and the last day with a partition; nil if there is none.
        package var days: ClosedRange<String>?
        /// The number of days from today to the last partition.
        package var daysAhead = 0
        /// The tables, in the order of a batch's inserts.
        package var tables: [Table] = []

        /// A table with its partitions.
        package struct Table: Sendable, Hashable {
            /// The name of the table.
            package let name: String
            /// The number of partitions without the default partition.
            package let partitionCount: Int
            /// The number of rows as the server estimates it, without the default partition.
            package let estimatedRowCount: Int
            /// The size on disk with indexes, without the default partition.
            package let byteCount: Int
        }
    }

    /// Reads the status, which every role of the ledger may do.
    package func status() throws(LedgerError) -> Status {
        let version = try version
        try Self.require(version: version)
        var status = Status(version: version)
        let rows = try connection.run(
            """
            SELECT name, count(partition), coalesce(sum(estimated_rows), 0)::bigint, \
            coalesce(sum(byte_count), 0)::bigint, min(day), max(day), max(day) - $1::date \
            FROM unnest(dtvr.partitioned_tables()) WITH ORDINALITY names (name, position) \
            LEFT JOIN dtvr.partitions ON table_name = name GROUP BY name, position ORDER BY position
            """, [today.text]
        ).values
        for row in rows where row.count == 7 {
            let numbers = row.map { $0.flatMap { Int($0) } ?? 0 }
            status.tables.append(
                .init(
                    name: row[0] ?? "", partitionCount: numbers[1], estimatedRowCount: numbers[2],
                    byteCount: numbers[3]))
            if let first = row[4], let last = row[5], first <= last { status.days = first...last }
            status.daysAhead = numbers[6]
        }
        return status
    }
}

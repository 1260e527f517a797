/// The records of a batch and their sender.
package struct LedgerBatch: Sendable {
    /// A record: an object of JSON on one line.
    package struct Record: Sendable, Hashable {
        package let id: UInt128
        /// The position of the line, without its end.
        package let range: Range<Int>

        /// Creates a record.
        package init(id: UInt128, range: Range<Int>) {
            self.id = id
            self.range = range
        }
    }

    let sender: LedgerSender
    package let bytes: [UInt8]
    package let records: [Record]

    /// Creates a batch.
    package init(sender: String, store: String, bytes: [UInt8], records: [Record]) {
        self.sender = LedgerSender(name: sender, store: store)
        self.bytes = bytes
        self.records = records
    }
}

/// A sender of batches.
struct LedgerSender: Sendable, Hashable {
    /// The name, which belongs to its token.
    let name: String
    /// The id of the sending buffer, as 32 hexadecimal digits.
    let store: String
}

/// The outcome of a committed batch.
package struct LedgerReceipt: Sendable, Hashable {
    /// A record that cannot be stored.
    package struct Refusal: Sendable, Hashable {
        package let id: UInt128
        /// The reason, as the code in the receipt of a collector.
        package let code: String
    }

    /// The number of new records.
    package var accepted = 0
    /// The number of records that the ledger had.
    package var duplicate = 0
    /// The refused records, each id once.
    package var refused: [Refusal] = []
}

/// A batch as one transaction.
///
/// New records are copied straight into their tables. A record that the ledger has ends this copy with an error, which
/// PostgreSQL also writes to its log. The batch is then staged: copied to temporary tables, and inserted from there
/// without the records that exist.
struct BatchTransaction {
    private let connection: PostgresConnection
    private let sender: LedgerSender
    private let limits: Ledger.Limits
    private var refused: [UInt128] = []

    init(on connection: PostgresConnection, of sender: LedgerSender, limits: Ledger.Limits) {
        self.connection = connection
        self.sender = sender
        self.limits = limits
    }

    /// The outcome of the rows that could be encoded.
    struct Outcome {
        var insertedCount: Int
        /// The ids of the rows that the database refuses, in the order of the batch.
        var refusedIDs: [UInt128]
    }

    /// Stores the rows and commits.
    ///
    /// If the database refuses a row, all other rows are stored. A connection that threw an error must be closed.
    ///
    /// - Parameter isStaged: Whether the rows are staged without an attempt to copy them directly.
    mutating func run(_ rows: [LedgerRow], isStaged: Bool) throws(LedgerError) -> Outcome {
        if !isStaged, let parts = Self.parts(of: rows), let count = try copy(parts) {
            return Outcome(insertedCount: count, refusedIDs: [])
        }
        return try stage(rows)
    }

    // MARK: Direct copy

    /// The rows of one table.
    private typealias Part = (table: RecordTable, rows: [LedgerRow])

    /// Returns the rows of each table in the order of the staged inserts, or nil if two have the same key.
    private static func parts(of rows: [LedgerRow]) -> [Part]? {
        var parts: [Part] = []
        for table in RecordTable.all {
            let sorted = rows.filter { $0.table === table }.sorted { $0.key < $1.key }
            for (row, next) in zip(sorted, sorted.dropFirst()) where row.key == next.key { return nil }
            if !sorted.isEmpty { parts.append((table, sorted)) }
        }
        return parts
    }

    /// Copies new records and commits; returns nil, and has rolled back, if the database refuses a row.
    private func copy(_ parts: [Part]) throws(LedgerError) -> Int? {
        guard let number = Int32(try begin()) else { throw .noSchema }
        do throws(LedgerError) {
            var count = 0
            for (table, rows) in parts {
                count += try connection.copy(table.copiesRecords, rows.map(\.bytes))
            }
            // After all records, so that every transaction locks the tables in the same order.
            for (_, rows) in parts {
                var receipts = CopyFields(capacity: 40 * rows.count)
                for row in rows { receipts.appendReceipt(of: row.key, sender: number) }
                try connection.copy(RecordTable.copiesReceipts, [receipts.bytes])
            }
            try connection.run("COMMIT")
            return count
        } catch {
            guard case .invalidData = error else { throw error }
            try connection.run("ROLLBACK")
            return nil
        }
    }

    // MARK: Staging

    private mutating func stage(_ rows: [LedgerRow]) throws(LedgerError) -> Outcome {
        for table in RecordTable.all
        where !connection.stagingTables.contains(table.name)
            && rows.contains(where: { $0.table === table })
        {
            try connection.run(table.createsStaging)
            connection.stagingTables.insert(table.name)
        }
        let number = try begin()
        let count: Int
        do throws(LedgerError) {
            count = try insert(rows[...], sender: number)
        } catch {
            guard case .invalidData = error else { throw error }
            try connection.run("ROLLBACK")
            let number = try begin()
            let end = ContinuousClock.now + limits.search
            let count = try insertParts(rows[...], sender: number, until: end)
            try connection.run("COMMIT")
            return Outcome(insertedCount: count, refusedIDs: refused)
        }
        try connection.run("COMMIT")
        return Outcome(insertedCount: count, refusedIDs: [])
    }

    /// Begins the transaction, checks the schema, and returns the number of the sender.
    private func begin() throws(LedgerError) -> String {
        try connection.run("BEGIN")
        let row = try connection.runPrepared(
            "SELECT (SELECT max(version) FROM dtvr.migrations), dtvr.sender_number($1::text, $2::uuid)",
            [sender.name, sender.store]
        ).values.first
        guard let row, row.count == 2, let number = row[1] else { throw .noSchema }
        try LedgerSchema.require(version: row[0].flatMap { Int($0) } ?? 0)
        return number
    }

    private func insert(_ rows: ArraySlice<LedgerRow>, sender: String) throws(LedgerError) -> Int {
        let tables = RecordTable.all.filter { table in rows.contains { $0.table === table } }
        var count = 0
        for table in tables {
            try connection.copy(
                table.copiesToStaging, rows.filter { $0.table === table }.map(\.bytes))
            count += try connection.runPrepared(table.insertsRecords).changedCount
        }
        // After all records, so that every transaction locks the tables in the same order.
        for table in tables { try connection.runPrepared(table.insertsReceipts, [sender]) }
        return count
    }

    /// Inserts rows in halves, until each row that the database refuses is alone.
    ///
    /// A batch with many of them would keep a connection for minutes. It fails, and its sender repeats half of it. A
    /// single row never fails, so that each sender makes progress.
    private mutating func insertParts(
        _ rows: ArraySlice<LedgerRow>, sender: String, until end: ContinuousClock.Instant
    ) throws(LedgerError) -> Int {
        try connection.run("SAVEPOINT part")
        do throws(LedgerError) {
            let count = try insert(rows, sender: sender)
            for table in RecordTable.all where connection.stagingTables.contains(table.name) {
                try connection.run(table.emptiesStaging)
            }
            try connection.run("RELEASE SAVEPOINT part")
            return count
        } catch {
            guard case .invalidData = error else { throw error }
        }
        try connection.run("ROLLBACK TO SAVEPOINT part")
        try connection.run("RELEASE SAVEPOINT part")
        if rows.count == 1 {
            refused.append(contentsOf: rows.map(\.key.id))
            if refused.count > limits.refusedCount { throw .manyRefused }
            return 0
        }
        if ContinuousClock.now > end { throw .manyRefused }
        let middle = rows.startIndex + rows.count / 2
        return try insertParts(rows[..<middle], sender: sender, until: end)
            + insertParts(rows[middle...], sender: sender, until: end)
    }
}

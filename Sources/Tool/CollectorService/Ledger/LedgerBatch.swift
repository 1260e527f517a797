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
    /// The number of duplicates with another owner identifier, kind or channel than the stored record.
    package var differing = 0
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

    init(on connection: PostgresConnection, of sender: LedgerSender, limits: Ledger.Limits) {
        self.connection = connection
        self.sender = sender
        self.limits = limits
    }

    /// The outcome of the rows that could be encoded.
    struct Outcome {
        var insertedCount = 0
        /// The number of rows that differ from the stored row with the same key.
        var differingCount = 0
        /// The ids of the rows that the database refuses, in the order of the batch.
        var refusedIDs: [UInt128] = []
    }

    /// Stores the rows and commits.
    ///
    /// If the database refuses a row, all other rows are stored. A connection that threw an error must be closed.
    ///
    /// - Parameter isStaged: Whether the rows are staged without an attempt to copy them directly.
    func run(_ rows: [LedgerRow], isStaged: Bool) throws(LedgerError) -> Outcome {
        if !isStaged, let parts = Self.parts(of: rows), let count = try copy(parts) {
            return Outcome(insertedCount: count)
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
        let number = try begin()
        do throws(LedgerError) {
            var count = 0
            for (table, rows) in parts {
                count += try connection.copy(table.copiesRecords, rows.map(\.bytes))
            }
            // After all records, so that every transaction locks the tables in the same order.
            for (_, rows) in parts {
                try connection.copy(
                    ReceiptTable.copiesReceipts, [Self.receipts(of: rows[...], sender: number)])
            }
            try connection.run("COMMIT")
            return count
        } catch {
            guard case .invalidData = error else { throw error }
            try connection.run("ROLLBACK")
            return nil
        }
    }

    private static func receipts(of rows: ArraySlice<LedgerRow>, sender: Int32) -> [UInt8] {
        var receipts = CopyFields(capacity: 50 * rows.count)
        for row in rows { receipts.appendReceipt(of: row, sender: sender) }
        return receipts.bytes
    }

    // MARK: Staging

    private func stage(_ rows: [LedgerRow]) throws(LedgerError) -> Outcome {
        for table in RecordTable.all
        where !connection.stagingTables.contains(table.name)
            && rows.contains(where: { $0.table === table })
        {
            try connection.run(table.createsStaging)
            connection.stagingTables.insert(table.name)
        }
        if connection.stagingTables.insert(ReceiptTable.name).inserted {
            try connection.run(ReceiptTable.createsStaging)
        }
        let number = try begin()
        var outcome = Outcome()
        do throws(LedgerError) {
            outcome = try insert(rows[...], sender: number)
        } catch {
            guard case .invalidData = error else { throw error }
            try connection.run("ROLLBACK")
            let number = try begin()
            let end = ContinuousClock.now + limits.search
            try insertParts(rows[...], sender: number, until: end, &outcome)
        }
        try connection.run("COMMIT")
        return outcome
    }

    /// Begins the transaction, checks the schema, and returns the number of the sender.
    private func begin() throws(LedgerError) -> Int32 {
        try connection.run("BEGIN")
        let row = try connection.runPrepared(
            "SELECT (SELECT max(version) FROM dtvr.migrations), dtvr.sender_number($1::text, $2::uuid)",
            [sender.name, sender.store]
        ).values.first
        guard let row, row.count == 2, let number = row[1].flatMap({ Int32($0) }) else { throw .noSchema }
        try LedgerSchema.require(version: row[0].flatMap { Int($0) } ?? 0)
        return number
    }

    private func insert(_ rows: ArraySlice<LedgerRow>, sender: Int32) throws(LedgerError) -> Outcome {
        var outcome = Outcome()
        for table in RecordTable.all {
            let part = rows.filter { $0.table === table }
            if part.isEmpty { continue }
            try connection.copy(table.copiesToStaging, part.map(\.bytes))
            outcome.insertedCount += try connection.runPrepared(table.insertsRecords).changedCount
        }
        // After all records, so that every transaction locks the tables in the same order.
        try connection.copy(ReceiptTable.copiesToStaging, [Self.receipts(of: rows, sender: sender)])
        try connection.runPrepared(ReceiptTable.insertsReceipts)
        if outcome.insertedCount < rows.count {
            let count = try connection.runPrepared(ReceiptTable.countsDiffering).values.first?.first
            outcome.differingCount = count?.flatMap { Int($0) } ?? 0
        }
        return outcome
    }

    /// Inserts rows in halves, until each row that the database refuses is alone.
    ///
    /// A batch with many of them would keep a connection for minutes. It fails, and its sender repeats half of it. A
    /// single row never fails, so that each sender makes progress.
    private func insertParts(
        _ rows: ArraySlice<LedgerRow>, sender: Int32, until end: ContinuousClock.Instant,
        _ outcome: inout Outcome
    ) throws(LedgerError) {
        try connection.run("SAVEPOINT part")
        do throws(LedgerError) {
            let part = try insert(rows, sender: sender)
            for table in RecordTable.all where connection.stagingTables.contains(table.name) {
                try connection.run(table.emptiesStaging)
            }
            try connection.run(ReceiptTable.emptiesStaging)
            try connection.run("RELEASE SAVEPOINT part")
            outcome.insertedCount += part.insertedCount
            outcome.differingCount += part.differingCount
            return
        } catch {
            guard case .invalidData = error else { throw error }
        }
        try connection.run("ROLLBACK TO SAVEPOINT part")
        try connection.run("RELEASE SAVEPOINT part")
        if rows.count == 1 {
            outcome.refusedIDs.append(contentsOf: rows.map(\.key.id))
            if outcome.refusedIDs.count > limits.refusedCount { throw .manyRefused }
            return
        }
        if ContinuousClock.now > end { throw .manyRefused }
        let middle = rows.startIndex + rows.count / 2
        try insertParts(rows[..<middle], sender: sender, until: end, &outcome)
        try insertParts(rows[middle...], sender: sender, until: end, &outcome)
    }
}

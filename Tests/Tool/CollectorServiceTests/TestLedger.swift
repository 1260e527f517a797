import HostSystem
import TestSupport

@testable import CollectorService

/// The ids and lines of test records.
enum TestRecord {
    static let store = "00112233445566778899aabbccddeeff"

    static func id(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }

    /// Returns a tag of the channel `one`, 10 s after the previous one, from 2026-11-20T12:00:00Z.
    static func tag(_ number: Int, _ more: String = "") -> String {
        #"{"id":"\#(id(number))","received":"2026-11-20T12:00:01.250Z","channel":"one","kind":"data","#
            + #""first":\#(1_795_176_000 + 10 * number),"owner":"www.nielsen.com/\#(number)"\#(more)}"#
    }
}

extension PostgresCluster {
    /// The time that statements may wait for a lock of a test, which a busy machine may need to add the last one.
    static let lockTime = Duration.seconds(1_200)

    /// Opens the ledger as a role.
    func ledger(
        user: String = "admin", clock: any HostClock = .system, answerLimit: Duration = .seconds(20),
        searchLimit: Duration = .seconds(5), connectionLimit: Duration = .seconds(10),
        statementLimit: Duration = .seconds(15), connectSeconds: Int = 2
    ) throws -> Ledger {
        // Two seconds is the smallest limit of libpq.
        let address = try LedgerAddress(uri(user: user) + "&connect_timeout=\(connectSeconds)")
        var limits = Ledger.Limits()
        limits.statement = statementLimit
        limits.answer = answerLimit
        limits.search = searchLimit
        limits.connection = connectionLimit
        return Ledger(address, clock: clock, limits: limits)
    }

    /// Locks the tags in a transaction of another program, until it is rolled back.
    ///
    /// The server must not end the transaction, which is idle for minutes on a busy machine.
    func lockTags() throws -> PostgresConnection {
        let other = try PostgresConnection(LedgerAddress(uri() + "&connect_timeout=1200"))
        try other.run("SET idle_in_transaction_session_timeout = 0")
        try other.run("BEGIN")
        try other.run("LOCK TABLE dtvr.tags IN ACCESS EXCLUSIVE MODE")
        return other
    }

    /// Creates the schema as of 2026-11-20.
    @discardableResult
    func createSchema() throws -> LedgerSchema.Changes { try schema().create() }

    /// Opens the schema as of 2026-11-20, with a clock that may be ahead of the database's.
    func schema(
        user: String = "admin", daysLater days: Int64 = 0, aheadBy offset: Duration = .zero
    ) throws -> LedgerSchema {
        let time = 1_795_176_000_000 + days * 86_400_000
        return try LedgerSchema(
            try LedgerAddress(uri(user: user)), unixMilliseconds: time + Int64(offset / .milliseconds(1)),
            databaseTime: time)
    }
}

extension LedgerSchema {
    /// Applies a migration as a program of the next version does.
    func applyNext(_ script: [UInt8]) throws(LedgerError) -> Bool {
        try becomeOwner()
        return try transaction { () throws(LedgerError) in
            try apply(script, version: Self.supportedVersion + 1)
        }
    }
}

extension Ledger {
    /// Stores lines that begin with their ids.
    func store(
        _ lines: [String], sender: String = "one", store: String = TestRecord.store
    ) throws(LedgerError) -> LedgerReceipt {
        var bytes: [UInt8] = []
        var records: [LedgerBatch.Record] = []
        for line in lines {
            let start = bytes.count
            bytes += Array(line.utf8)
            let id = UInt128(line.dropFirst(7).prefix(32), radix: 16)
            records.append(.init(id: id ?? 0, range: start..<bytes.count))
        }
        return try self.store(LedgerBatch(sender: sender, store: store, bytes: bytes, records: records))
    }
}

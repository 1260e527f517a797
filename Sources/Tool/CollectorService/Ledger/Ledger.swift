package import HostSystem
import Synchronization

/// A ledger of records in PostgreSQL, through a few connections.
///
/// Its functions block, and any thread may call them.
package final class Ledger: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        /// The last failure to connect, which other threads get until a time on the boot clock.
        var refusal: (error: LedgerError, end: Duration)?
        /// The last failure of a batch that checks do not see, with its time on the boot clock; nil after a success.
        var failure: (error: LedgerError, time: Duration)?
        var repeatingSenders = RepeatingSenders()
    }

    /// The limits of batches and statements.
    package struct Limits: Sendable {
        /// The time until the server cancels a statement.
        package var statement = PostgresConnection.Limits().statement
        /// The time until a statement fails if the server does not answer, which is longer than the server's own limit.
        package var answer = Duration.seconds(20)
        /// The maximum wait of a batch for a free connection.
        package var connection = Duration.seconds(10)
        /// The number of rows of a batch that the database may refuse.
        package var refusedCount = 100
        /// The time to insert a batch with such rows.
        package var search = Duration.seconds(5)

        /// Creates the limits of a collector.
        package init() {}

        /// The limits of an import, which has no other senders to care for.
        package static var unlimited: Limits {
            var limits = Limits()
            limits.refusedCount = .max
            limits.search = .seconds(31_536_000)
            return limits
        }
    }

    /// The maximum number of connections, which the senders share.
    package static let connectionLimit = 8
    /// The name of the sender of checks, which no token has.
    private static let checks = ""
    /// The time until a failed connection is tried again.
    private static let connectPause = Duration.seconds(1)
    /// The time that a failed batch makes `check` fail.
    private static let failureTime = Duration.seconds(30)
    /// The number of attempts if other transactions are in the way.
    private static let attemptLimit = 4

    private let address: LedgerAddress
    private let limits: Limits
    private let isInterrupted = InterruptionFlag()
    private let clock: any HostClock
    private let connections = FairShares(capacity: Ledger.connectionLimit)
    private let state = Mutex(State())

    /// The time until a check fails if the server does not answer.
    private static let checkLimit = Duration.seconds(5)

    /// Creates a ledger that connects on its first use.
    package init(_ address: LedgerAddress, clock: any HostClock = .system, limits: Limits = Limits()) {
        self.address = address
        self.limits = limits
        self.clock = clock
    }

    /// Ends all calls soon, with an error, and lets later calls fail.
    package func interrupt() {
        isInterrupted.set()
        connections.interrupt()
    }

    /// Stores a batch as one transaction, and returns after the commit.
    ///
    /// If the answer of a commit is lost, the batch may be stored although an error is thrown. Storing it again adds
    /// nothing.
    package func store(_ batch: LedgerBatch) throws(LedgerError) -> LedgerReceipt {
        var receipt = LedgerReceipt()
        var rows: [LedgerRow] = []
        rows.reserveCapacity(batch.records.count)
        let span = batch.bytes.span
        let now = clock.unixMilliseconds
        for record in batch.records {
            do throws(LedgerRow.NotStorable) {
                rows.append(try LedgerRow(id: record.id, span, record.range, now: now))
            } catch {
                receipt.refused.append(.init(id: record.id, code: "not_storable"))
            }
        }
        let outcome: BatchTransaction.Outcome
        do throws(LedgerError) {
            outcome = try transaction(rows, of: batch)
        } catch {
            // A batch that the database refuses says nothing about the next one.
            if !error.cause.isSeenByChecks, error != .manyRefused {
                state.withLock { $0.failure = (error, clock.sinceBoot) }
            }
            throw error
        }
        receipt.refused += outcome.refusedIDs.map { .init(id: $0, code: "constraint") }
        receipt.accepted = outcome.insertedCount
        var refusedIDs: Set<UInt128> = []
        receipt.refused.removeAll { !refusedIDs.insert($0.id).inserted }
        receipt.duplicate = batch.records.count - receipt.accepted - receipt.refused.count
        // An id in two tables has one receipt.
        receipt.differing = min(outcome.differingCount, receipt.duplicate)
        let isClean = outcome.insertedCount == rows.count
        state.withLock {
            $0.failure = nil
            $0.repeatingSenders.note(batch.sender, isClean: isClean)
        }
        return receipt
    }

    private func transaction(
        _ rows: [LedgerRow], of batch: LedgerBatch
    ) throws(LedgerError) -> BatchTransaction.Outcome {
        var attempt = 1
        var isStaged = state.withLock { $0.repeatingSenders.contains(batch.sender) }
        while true {
            do throws(LedgerError) {
                return try withConnection(
                    for: batch.sender.name, waitingAtMost: limits.connection
                ) { connection throws(LedgerError) in
                    let transaction = BatchTransaction(on: connection, of: batch.sender, limits: limits)
                    return try transaction.run(rows, isStaged: isStaged)
                }
            } catch {
                guard case .conflict = error, attempt < Self.attemptLimit else { throw error }
                attempt += 1
                isStaged = true
            }
        }
    }

    /// The condition of a ledger that accepts batches.
    package struct Condition: Sendable, Hashable {
        /// The number of days from today to the last partition; negative if it is past, nil if there is none.
        package let daysAhead: Int?
    }

    /// Returns the condition, or throws the reason why a batch would fail now or has failed in the last 30 seconds.
    package func check() throws(LedgerError) -> Condition {
        let condition = try withConnection(
            for: Self.checks, waitingAtMost: .seconds(2)
        ) { connection throws(LedgerError) in
            connection.deadline = .now + min(limits.answer, Self.checkLimit)
            defer { connection.deadline = nil }
            return try Self.condition(on: connection)
        }
        let failure = state.withLock { $0.failure }
        if let failure, clock.sinceBoot - failure.time < Self.failureTime { throw failure.error }
        return condition
    }

    private static func condition(on connection: PostgresConnection) throws(LedgerError) -> Condition {
        let row =
            try connection.run(
                """
                SELECT (SELECT max(version) FROM dtvr.migrations), \
                (SELECT max(day) - current_date FROM dtvr.partitions WHERE table_name = 'tags'), \
                current_setting('transaction_read_only'), has_table_privilege('dtvr.receipts', 'INSERT')
                """
            ).values.first ?? []
        guard row.count == 4 else { throw .noSchema }
        try LedgerSchema.require(version: row[0].flatMap { Int($0) } ?? 0)
        if row[2] == "on" { throw .readOnly("transactions are read-only") }
        if row[3] != "t" { throw .notPermitted("no right to insert into dtvr.receipts") }
        return Condition(daysAhead: row[1].flatMap { Int($0) })
    }

    // MARK: Connections

    /// Calls `body` with a connection.
    ///
    /// If a connection that was idle turns out to be closed, for example because the server was restarted, `body` is
    /// called again with a new one.
    private func withConnection<Value>(
        for sender: String, waitingAtMost limit: Duration,
        _ body: (PostgresConnection) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        let share = connections.acquire(1, for: sender, waitingAtMost: limit)
        defer { share?.release() }
        if isInterrupted.isSet { throw .cancelled("the collector is stopping") }
        if share == nil { throw .busy }
        while let connection = state.withLock({ $0.idle.popLast() }) {
            do throws(LedgerError) {
                return try use(connection, body)
            } catch {
                guard case .unreachable = error else { throw error }
            }
        }
        return try use(try connect(), body)
    }

    /// Calls `body`, and keeps the connection only if it succeeds: after an error, its state is unknown.
    private func use<Value>(
        _ connection: PostgresConnection, _ body: (PostgresConnection) throws(LedgerError) -> Value
    ) throws(LedgerError) -> Value {
        let value: Value
        do throws(LedgerError) {
            value = try body(connection)
        } catch {
            if error == .noAnswer { refuseConnections(error) }
            throw error
        }
        state.withLock { $0.idle.append(connection) }
        return value
    }

    /// Lets other threads fail with the same error for a while, instead of waiting in turn.
    ///
    /// Idle connections are closed.
    private func refuseConnections(_ error: LedgerError) {
        let closed = state.withLock { state in
            state.refusal = (error, clock.sinceBoot + Self.connectPause)
            defer { state.idle = [] }
            return state.idle
        }
        // Closed here, without the lock.
        withExtendedLifetime(closed) {}
    }

    private func connect() throws(LedgerError) -> PostgresConnection {
        let now = clock.sinceBoot
        let refusal = state.withLock { state -> LedgerError? in
            guard let refusal = state.refusal, now < refusal.end else { return nil }
            return refusal.error
        }
        if let refusal { throw refusal }
        do throws(LedgerError) {
            var waits = PostgresConnection.Limits()
            waits.statement = limits.statement
            waits.answer = limits.answer
            waits.isInterrupted = { [isInterrupted] in isInterrupted.isSet }
            let connection = try PostgresConnection(address, limits: waits)
            state.withLock { $0.refusal = nil }
            return connection
        } catch {
            refuseConnections(error)
            throw error
        }
    }
}

/// Whether all waits for a ledger's database end.
private final class InterruptionFlag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}

/// The senders that repeat records, such as the second copy of a monitor, whose batches are staged.
///
/// A sender belongs to them from a batch with a record that the ledger had or refused, until a number of its batches in
/// a row had none. The number is 8 at first, and doubles up to 1,024 with each time that the sender repeats records
/// after that. It is 8 again if as many further batches in a row had none.
struct RepeatingSenders {
    private struct Standing {
        var isStaged = true
        /// The number of batches in a row without a repeated record.
        var cleanCount = 0
        /// The value of `cleanCount` that ends this state.
        var requiredCount = RepeatingSenders.requiredCounts.lowerBound
    }

    private static let requiredCounts = 8...1_024
    /// The maximum number of senders, about 3 MB; all are forgotten beyond it, which costs each one direct copy.
    private static let limit = 16_384

    private var standings: [LedgerSender: Standing] = [:]

    /// Whether the batches of a sender are staged.
    func contains(_ sender: LedgerSender) -> Bool { standings[sender]?.isStaged == true }

    /// Notes a stored batch.
    ///
    /// - Parameter isClean: Whether all of its records were new.
    mutating func note(_ sender: LedgerSender, isClean: Bool) {
        guard var standing = standings[sender] else {
            if isClean { return }
            if standings.count == Self.limit { standings.removeAll() }
            standings[sender] = Standing()
            return
        }
        if isClean {
            standing.cleanCount += 1
            if standing.cleanCount == standing.requiredCount {
                guard standing.isStaged else {
                    standings[sender] = nil
                    return
                }
                standing.isStaged = false
                standing.cleanCount = 0
            }
        } else {
            standing.cleanCount = 0
            if !standing.isStaged {
                standing.isStaged = true
                standing.requiredCount = min(2 * standing.requiredCount, Self.requiredCounts.upperBound)
            }
        }
        standings[sender] = standing
    }
}

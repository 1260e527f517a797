import HTTPServing
import Synchronization
import TextForms

/// A ledger, which any number of collectors share.
final class LedgerStorage: BatchStorage {
    private struct State {
        var totals = CollectorTotals()
        var batchTimes = Histogram(bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30])
        var errors: [LedgerError.Cause: UInt64] = [:]
        var unauthorizedCount: UInt64 = 0
        /// The cause of the last reported problem; nil after a success.
        var reported: LedgerError.Cause?
    }

    private let ledger: Ledger
    private let state = Mutex(State())
    private let report: @Sendable (String) -> Void

    /// Creates a storage that connects on its first use.
    ///
    /// - Parameter report: Gets a line when a problem starts, changes or ends.
    init(_ ledger: Ledger, report: @escaping @Sendable (String) -> Void) {
        self.ledger = ledger
        self.report = report
        state.withLock { $0.totals.counts.differing = 0 }
    }

    /// Ends all calls soon, with an error.
    func interrupt() { ledger.interrupt() }

    var status: CollectorStatus { state.withLock { $0.totals.status } }

    func store(_ batch: ReceivedBatch, _ options: StorageOptions) throws(StorageFailure) -> BatchReceipt {
        var receipt = BatchReceipt()
        receipt.rejected = batch.oversized.map { .init(id: $0, code: "too_large") }
        var records: [LedgerBatch.Record] = []
        records.reserveCapacity(batch.lines.count)
        for line in batch.lines {
            if let code = options.refused[line.id.value] {
                receipt.rejected.append(.init(id: line.id, code: code))
            } else {
                records.append(.init(id: line.id.value, range: line.range))
            }
        }
        let start = ContinuousClock.now
        let stored: LedgerReceipt
        do throws(LedgerError) {
            stored = try ledger.store(
                LedgerBatch(
                    sender: options.sender, store: batch.header.store, bytes: batch.bytes, records: records))
        } catch {
            if error == .manyRefused {
                countRefusal(error.cause)
                throw StorageFailure(status: 413, code: error.cause.rawValue, message: error.summary)
            }
            note(error)
            throw StorageFailure(
                code: error.cause.rawValue, message: error.summary, retrySeconds: Self.retrySeconds(error))
        }
        noteSuccess(ofCheck: false)
        receipt.accepted = stored.accepted
        receipt.duplicate = stored.duplicate
        receipt.differing = stored.differing
        receipt.rejected += stored.refused.map { .init(id: ReceivedID(value: $0.id), code: $0.code) }
        state.withLock { [receipt] state in
            state.totals.count(receipt, of: batch.header)
            state.batchTimes.observe((ContinuousClock.now - start) / .seconds(1))
        }
        return receipt
    }

    /// Counts a batch that is refused although the ledger works.
    func countRefusal(_ cause: LedgerError.Cause) { state.withLock { $0.errors[cause, default: 0] += 1 } }

    /// Counts a request without a valid token.
    func countUnauthorized() { state.withLock { $0.unauthorizedCount += 1 } }

    private static func retrySeconds(_ error: LedgerError) -> Int {
        switch error.cause {
        case .unreachable, .cancelled, .conflict, .busy: 5
        case .diskFull, .readOnly, .data, .manyRefused, .other: 30
        case .authentication, .schema, .permission: 60
        }
    }

    private func note(_ error: LedgerError) {
        let isNew = state.withLock { state in
            state.errors[error.cause, default: 0] += 1
            defer { state.reported = error.cause }
            return state.reported != error.cause
        }
        if isNew { report("\(error); senders keep their tags") }
    }

    private func noteSuccess(ofCheck isCheck: Bool) {
        let hasEnded = state.withLock { state in
            guard let cause = state.reported, !isCheck || cause.isSeenByChecks else { return false }
            state.reported = nil
            return true
        }
        if hasEnded { report("the ledger accepts batches again") }
    }

    // MARK: Probes

    /// The number of days ahead without a partition at which readiness has a warning.
    private static let warningDays = 7

    /// Checks the ledger, and returns the answer of `/readyz`.
    func readiness() -> HTTPServerAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("ready")
        let condition = checkedCondition()
        switch condition {
        case .success(let condition):
            writer.value(true)
            writer.write("partition_days_ahead", condition.daysAhead)
            if condition.daysAhead ?? -1 < Self.warningDays {
                writer.write("warning", "few days ahead have partitions; run 'dtvr ledger migrate'")
            }
        case .failure(let error):
            writer.value(false)
            writer.write("cause", error.cause.rawValue)
            writer.write("message", error.summary)
        }
        writer.endObject()
        let isReady = if case .success = condition { true } else { false }
        return HTTPServerAnswer(status: isReady ? 200 : 503, body: writer.bytes)
    }

    private func checkedCondition() -> Result<Ledger.Condition, LedgerError> {
        do throws(LedgerError) {
            let condition = try ledger.check()
            noteSuccess(ofCheck: true)
            return .success(condition)
        } catch {
            note(error)
            return .failure(error)
        }
    }

    /// Checks the ledger, and returns the answer of `/metrics`.
    func metrics() -> HTTPServerAnswer {
        var text = PrometheusText(capacity: 8_192)
        let condition = checkedCondition()
        let (totals, batchTimes, errors, unauthorizedCount) = state.withLock {
            ($0.totals.counts, $0.batchTimes, $0.errors, $0.unauthorizedCount)
        }
        text.begin("dtvr_ledger_up", .gauge, "1 if the ledger accepts batches, otherwise 0.")
        let daysAhead: Int?
        switch condition {
        case .success(let condition):
            text.sample(.none, 1)
            daysAhead = condition.daysAhead
        case .failure:
            text.sample(.none, 0)
            daysAhead = nil
        }
        if let daysAhead {
            text.begin(
                "dtvr_ledger_partition_days_ahead", .gauge,
                "Days from today to the last day with a partition; absent while the ledger is down.")
            text.sample(.none, daysAhead)
        }
        text.begin("dtvr_collector_batches_total", .counter, "Batches that were stored and acknowledged.")
        text.sample(.none, totals.batches)
        text.begin(
            "dtvr_collector_records_total", .counter,
            "Records in these batches, by result; those that differ are duplicates, too.")
        for (result, count) in [
            ("accepted", totals.accepted), ("duplicate", totals.duplicate), ("rejected", totals.rejected),
            ("differs", totals.differing ?? 0),
        ] {
            text.sample(.init("result", result), count)
        }
        text.begin(
            "dtvr_collector_errors_total", .counter,
            "Batches that were not stored, and failed checks of the ledger, by cause.")
        for cause in LedgerError.Cause.allCases {
            text.sample(.init("cause", cause.rawValue), errors[cause, default: 0])
        }
        text.begin(
            "dtvr_collector_unauthorized_total", .counter, "Requests without a valid token.")
        text.sample(.none, unauthorizedCount)
        text.begin(
            "dtvr_collector_batch_seconds", .histogram,
            "Seconds from a complete batch to its commit, of batches that were stored.")
        text.samples(.none, batchTimes)
        return HTTPServerAnswer(status: 200, type: PrometheusText.mediaType, body: text.bytes)
    }
}

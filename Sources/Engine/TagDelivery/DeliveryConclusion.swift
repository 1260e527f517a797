import HostSystem
import TagStore

/// The changes that an answer makes to the buffer and to the progress.
struct DeliveryConclusion: Sendable {
    private var acknowledgement = Acknowledgement()
    /// The tags whose bodies could not be read, so no sink has seen them.
    private var unreadable: [Acknowledgement.Refusal]
    private var outcome: SinkOutcome?
    private var isReceipt = false

    /// Decides what happens to the tags of a batch, from the answer to it.
    ///
    /// - Parameters:
    ///   - outcome: The answer, or nil if no tag of the batch could be read.
    ///   - schedule: The schedule, which learns from the answer.
    ///   - identity: The identity of the sink.
    init(
        of outcome: SinkOutcome?, to built: BatchBuilder.Result, _ schedule: inout DeliverySchedule,
        identity: String, now: ClockReading
    ) {
        self.outcome = outcome
        unreadable = built.unreadable.map { .init(sequence: $0.sequence, code: BatchBuilder.unreadableCode) }
        guard let outcome, let batch = built.batch else { return }
        var random = SystemRandomNumberGenerator()
        let action = schedule.learn(
            from: outcome.answer, count: built.tags.count, byteCount: batch.lineByteCount, now: now,
            using: &random)
        acknowledgement.deliveryState = schedule.encoded(for: identity)
        switch action {
        case .forget(let rejected):
            isReceipt = true
            let codes = Dictionary(
                rejected.map { ($0.id, $0.code) }, uniquingKeysWith: { first, _ in first })
            acknowledgement.delivered.reserveCapacity(built.tags.count)
            for tag in built.tags {
                if !codes.isEmpty, let code = codes[tag.id] {
                    acknowledgement.refused.append(.init(sequence: tag.sequence, code: code))
                } else {
                    acknowledgement.delivered.append(tag.sequence)
                }
            }
        case .deadLetter(let code):
            acknowledgement.refused = built.tags.map { .init(sequence: $0.sequence, code: code) }
        case .keep:
            break
        }
    }

    /// Applies the changes to the buffer.
    func acknowledge(in buffer: TagBuffer) async throws(StoreError) {
        if !unreadable.isEmpty { try await buffer.acknowledge(Acknowledgement(refused: unreadable)) }
        guard let outcome else { return }
        if let time = outcome.serverTime { await buffer.confirmClock(serverTime: time) }
        if outcome.answer != .abandoned { try await buffer.acknowledge(acknowledgement) }
    }

    /// Adds the results to the progress.
    func add(to progress: inout DeliveryProgress) {
        progress.deadCount += unreadable.count
        progress.unreadableCount += unreadable.count
        if let refusal = acknowledgement.refused.last ?? unreadable.last {
            progress.lastRefusal = refusal.code
        }
        guard let outcome else { return }
        progress.attemptCount += 1
        progress.sentByteCount += outcome.sentByteCount
        progress.deliveredCount += acknowledgement.delivered.count
        progress.deadCount += acknowledgement.refused.count
        if isReceipt { progress.batchCount += 1 }
        if case .received(_, let count) = outcome.answer { progress.duplicateCount += count }
        progress.lastTrouble = outcome.answer.trouble
        progress.lastFailure = progress.lastTrouble == nil ? nil : outcome.failure
    }
}

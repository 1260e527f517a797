import HostSystem
import TagStore

/// What an answer changes in the buffer and in the progress.
struct DeliveryConclusion: Sendable {
    private var acknowledgement = Acknowledgement()
    /// Tags whose bodies could not be read: no sink knows of them.
    private var unreadable: [Acknowledgement.Refusal]
    private var outcome: SinkOutcome?
    private var isReceipt = false

    /// What becomes of tags, by the answer to the batch that was made of them; nil where none could be read.
    ///
    /// - Parameters:
    ///   - schedule: learns from the answer.
    ///   - identity: of the sink.
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

    /// Lets the buffer know.
    func acknowledge(in buffer: TagBuffer) async throws(StoreError) {
        if !unreadable.isEmpty { try await buffer.acknowledge(Acknowledgement(refused: unreadable)) }
        guard let outcome else { return }
        if let time = outcome.serverTime { await buffer.confirmClock(serverTime: time) }
        if outcome.answer != .abandoned { try await buffer.acknowledge(acknowledgement) }
    }

    /// Adds what has happened to a progress.
    func add(to progress: inout DeliveryProgress) {
        progress.deadCount += unreadable.count
        progress.unreadableCount += unreadable.count
        guard let outcome else { return }
        progress.attemptCount += 1
        progress.sentByteCount += outcome.sentByteCount
        progress.deliveredCount += acknowledgement.delivered.count
        progress.deadCount += acknowledgement.refused.count
        if isReceipt { progress.batchCount += 1 }
        if case .received(_, let count) = outcome.answer { progress.duplicateCount += count }
        progress.lastTrouble = outcome.answer.trouble
    }
}

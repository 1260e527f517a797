import Synchronization
import TagDelivery

/// A sink with scripted answers that records the batches it receives.
final class ScriptedSink: TagSink {
    let identity = "scripted"
    private let sent = Mutex<[TagBatch]>([])
    private let answer: @Sendable (_ number: Int, _ batch: TagBatch) async -> SinkAnswer

    init(answer: @escaping @Sendable (_ number: Int, _ batch: TagBatch) async -> SinkAnswer) {
        self.answer = answer
    }

    var batches: [TagBatch] { sent.withLock { $0 } }

    func deliver(_ batch: TagBatch) async -> SinkOutcome {
        let number = sent.withLock { sent in
            sent.append(batch)
            return sent.count
        }
        return SinkOutcome(await answer(number, batch))
    }
}

import Synchronization

/// The progress of an uploader, readable from any thread, with a callback for changes.
final class ProgressBoard: Sendable {
    private let state = Mutex(DeliveryProgress())
    private let report: @Sendable (DeliveryProgress) -> Void

    init(_ report: @escaping @Sendable (DeliveryProgress) -> Void) { self.report = report }

    var progress: DeliveryProgress { state.withLock { $0 } }

    func set(_ activity: DeliveryProgress.Activity) {
        update { $0.activity = activity }
    }

    func update(_ change: (inout DeliveryProgress) -> Void) {
        let (before, after) = state.withLock { state in
            let before = state
            change(&state)
            return (before, state)
        }
        if before != after { report(after) }
    }
}

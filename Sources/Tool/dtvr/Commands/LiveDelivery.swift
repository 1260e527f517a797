import StreamMonitor
import Synchronization
import TagDelivery
import TagStore
import TextForms

/// The delivery of tags as they arrive, for a command that runs until it is stopped.
///
/// All output goes to standard error, because standard output has the events of the command.
final class LiveDelivery: Sendable {
    private let context: CommandContext
    private let collector: Delivery.Collector
    private let uploader: Uploader

    /// Creates the delivery of a buffer's tags to a collector.
    ///
    /// - Parameter warnOfDeadLetters: reports a number of new dead letters.
    init(
        of buffer: TagBuffer, to collector: Delivery.Collector, _ context: CommandContext,
        warnOfDeadLetters: @escaping @Sendable (Int64) -> Void
    ) {
        self.context = context
        self.collector = collector
        let console = context.console
        let log = Mutex(Log())
        uploader = Uploader(buffer: buffer, sink: collector.sink) { progress in
            let (lines, deadCount) = log.withLock { $0.observe(progress) }
            for line in lines { console.note(line) }
            if deadCount > 0 { warnOfDeadLetters(Int64(deadCount)) }
        }
    }

    /// The activity and the counts so far.
    var progress: DeliveryProgress { uploader.progress }

    /// A line on the result so far.
    var summary: String { collector.summary(of: uploader.progress) }

    /// Sends tags until the task is cancelled, and returns the permanent error of the buffer that has ended it.
    func run() async -> StoreError? {
        do throws(StoreError) {
            try await uploader.run()
            return nil
        } catch {
            return error
        }
    }

    /// Reads the token again, and tries at once if the delivery waits after a failure.
    func reload() {
        do throws(UsageError) {
            collector.sink.setBearerToken(try context.bearerToken())
        } catch {
            context.console.note("\(error.message); the token is unchanged")
        }
        uploader.retryNow()
    }

    /// The lines that follow from the progress: one when the delivery starts to wait, and one when it is over.
    struct Log {
        /// The reason for the wait; nil if the collector accepts tags.
        private var reason: String?
        private var receivedCount = 0
        private var deadCount = 0

        /// Returns the lines to print, and the number of new dead letters.
        mutating func observe(_ progress: DeliveryProgress) -> (lines: [String], deadCount: Int) {
            defer {
                receivedCount = progress.batchCount
                deadCount = progress.deadCount
            }
            var lines: [String] = []
            switch progress.activity {
            case .backingOff(let until, let new), .holding(let until, let new):
                guard new != reason else { break }
                reason = new
                let end = RFC3339.clockText(unixSeconds: until / 1_000)
                lines.append(
                    "delivery   holding until \(end) UTC because \(new); the tags wait in the buffer")
            case .idle, .sending, .bufferTrouble:
                guard progress.batchCount > receivedCount, reason != nil else { break }
                reason = nil
                lines.append("delivery   delivering again")
            }
            return (lines, progress.deadCount - deadCount)
        }
    }
}

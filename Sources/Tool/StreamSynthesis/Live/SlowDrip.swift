import HTTPServing
import HostSystem

/// A response body that is sent at a limited rate in bytes per second.
final class SlowDrip: AnswerStream {
    private let body: [UInt8]
    private let bytesPerSecond: Int
    private let clock: any HostClock
    private let begin: Duration
    private var sentCount = 0
    private let never = Semaphore()

    /// The maximum interval between readings of the clock, which tests may advance.
    private static let longestWait = Duration.milliseconds(20)

    init(_ body: [UInt8], bytesPerSecond: Int, clock: any HostClock) {
        self.body = body
        self.bytesPerSecond = bytesPerSecond
        self.clock = clock
        begin = clock.sinceBoot
    }

    var byteCount: Int? { body.count }

    func nextPiece(waitingAtMost limit: Duration) -> [UInt8]? {
        if sentCount == body.count { return nil }
        let elapsed = max(0, (clock.sinceBoot - begin) / .seconds(1))
        let due = Int(min(Double(body.count), elapsed * Double(bytesPerSecond)))
        guard due > sentCount else {
            // The semaphore is never signaled, so this is a plain delay.
            _ = never.wait(atMost: min(limit, Self.longestWait))
            return []
        }
        defer { sentCount = due }
        return Array(body[sentCount..<due])
    }
}

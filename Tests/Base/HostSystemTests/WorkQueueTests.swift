import Synchronization
import Testing

@testable import HostSystem

/// The pending work of threads.
@Suite struct WorkQueueTests {
    /// Threads that lag for hours never find the queue empty.
    @Test func queue_thatIsNeverEmpty_dropsFinishedWork_andKeepsItsOrder() {
        let done = Mutex<[Int]>([])
        var waiting = WorkQueue.Waiting()
        waiting.work.append { done.withLock { $0.append(0) } }
        var longest = 0
        for number in 1...50_000 {
            waiting.work.append { done.withLock { $0.append(number) } }
            waiting.next()?()
            longest = max(longest, waiting.work.count)
        }
        waiting.next()?()
        #expect(longest < 2_100)
        #expect(done.withLock { $0 } == Array(0...50_000) && waiting.next() == nil)
    }
}

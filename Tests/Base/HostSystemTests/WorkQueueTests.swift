import Synchronization
import Testing

@testable import HostSystem

/// The work that waits for threads.
@Suite struct WorkQueueTests {
    /// Threads that are late for hours never find the queue empty.
    @Test func queueThatIsNeverEmpty_keepsWhatWaitsAlone_inItsOrder() {
        let done = Mutex<[Int]>([])
        var waiting = WorkQueue.Waiting()
        waiting.work.append { done.withLock { $0.append(0) } }
        for number in 1...50_000 {
            waiting.work.append { done.withLock { $0.append(number) } }
            waiting.next()?()
            #expect(waiting.work.count < 2_100)
        }
        waiting.next()?()
        #expect(done.withLock { $0 } == Array(0...50_000) && waiting.next() == nil)
    }
}

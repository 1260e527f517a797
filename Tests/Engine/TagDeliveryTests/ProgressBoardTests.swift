import Glibc
import Synchronization
import TestSupport
import Testing

@testable import TagDelivery

/// The order in which the callback and the followers of an uploader learn of its progress.
@Suite(.timeLimit(.minutes(30))) struct ProgressBoardTests {
    private final class Reports: Sendable {
        private let all = Mutex<[DeliveryProgress]>([])

        var current: [DeliveryProgress] { all.withLock { $0 } }

        func append(_ progress: DeliveryProgress) { all.withLock { $0.append(progress) } }
    }

    /// A caller that waits for the end of a delivery then reads the state that the callback has set.
    @Test func follower_ofAChange_findsItReported() async throws {
        let reports = Reports()
        let board = ProgressBoard { progress in
            // Time for a follower that would continue too early.
            usleep(20_000)
            reports.append(progress)
        }
        let changes = board.follow()
        async let isReported = {
            for await progress in changes where progress.activity == .sending {
                return reports.current.last == progress
            }
            return false
        }()
        try await onOwnThread { board.set(.sending) }
        #expect(await isReported)
        board.set(.idle)
        board.dismissFollowers()
        #expect(reports.current.map(\.activity) == [.sending, .idle])
    }

    /// A follower that is late gets the newest progress, and then the end.
    @Test func follower_thatIsLate_getsTheNewestProgress() async throws {
        let board = ProgressBoard { _ in }
        let changes = board.follow()
        for number in 1...100 { board.update { $0.attemptCount = number } }
        board.update { $0.attemptCount = 100 }
        board.dismissFollowers()
        var counts: [Int] = []
        for await progress in changes { counts.append(progress.attemptCount) }
        #expect(counts == [100])
    }
}

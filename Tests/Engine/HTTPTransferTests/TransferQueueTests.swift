import Testing

@testable import HTTPTransfer

@Suite("Requests that wait for others", .timeLimit(.minutes(30)))
struct TransferQueueTests {
    private func origin(_ host: String) -> HTTPOrigin? { HTTPOrigin("http://\(host)/") }

    /// Returns the requests that start, in order.
    private func started(by queue: inout TransferQueue) -> [UInt64] {
        var started: [UInt64] = []
        while let next = queue.takeNext() { started.append(next) }
        return started
    }

    @Test func requestsWithoutAnOwner_runUpToTheHostAndClientLimits() {
        var queue = TransferQueue(all: 6, perHost: 4)
        for index in 0..<6 { queue.add(UInt64(index), of: nil, to: origin("a")) }
        let ofOneHost = started(by: &queue)
        #expect(ofOneHost == [0, 1, 2, 3])
        for index in 10..<14 { queue.add(UInt64(index), of: nil, to: origin("b")) }
        let ofAll = started(by: &queue)
        #expect(ofAll == [10, 11])
        // The oldest request that may run is next.
        queue.remove(10)
        queue.remove(0)
        let next = started(by: &queue)
        #expect(next == [4, 12])
    }

    @Test func requestsOfAnOwner_beyondItsShare_wait() {
        var queue = TransferQueue(all: 6, perHost: 4)
        let owner = TransferOwner(share: 2)
        for index in 0..<4 { queue.add(UInt64(index), of: owner, to: origin("host-\(index)")) }
        let first = started(by: &queue)
        #expect(first == [0, 1])
        queue.remove(1)
        let next = started(by: &queue)
        #expect(next == [2])
    }

    /// Even if other owners use all connections.
    @Test func firstRequestOfAnOwner_underAnyLoad_startsImmediately() {
        var queue = TransferQueue(all: 6, perHost: 4)
        let greedy = (0..<9).map { _ in TransferOwner(share: 2) }
        for (index, owner) in greedy.enumerated() {
            for part in 0..<3 { queue.add(UInt64(10 * index + part), of: owner, to: origin("silent")) }
        }
        let ofGreedy = started(by: &queue)
        // The first request of each owner, then the shares of the owners whose host has a free connection.
        #expect(ofGreedy == [0, 10, 20, 30, 40, 50, 60, 70, 80])
        for index in 0..<50 {
            let healthy = TransferOwner(share: 2)
            queue.add(UInt64(1_000 + index), of: healthy, to: origin("silent"))
            let started = started(by: &queue)
            #expect(started == [UInt64(1_000 + index)])
        }
    }

    @Test func owners_takeTurns() {
        var queue = TransferQueue(all: 3, perHost: 3)
        let owners = [TransferOwner(share: 3), TransferOwner(share: 3)]
        for index in 0..<3 { queue.add(UInt64(index), of: owners[0], to: origin("a")) }
        queue.add(10, of: owners[1], to: origin("a"))
        let first = started(by: &queue)
        #expect(first == [0, 10, 1])
        queue.add(11, of: owners[1], to: origin("a"))
        queue.remove(0)
        let second = started(by: &queue)
        #expect(second == [2])
        queue.remove(1)
        let third = started(by: &queue)
        #expect(third == [11])
    }

    @Test func cancelledRequest_leavesTheQueue_andFreesItsSlot() {
        var queue = TransferQueue(all: 1, perHost: 1)
        for index in 0..<4 { queue.add(UInt64(index), of: nil, to: origin("a")) }
        let first = started(by: &queue)
        #expect(first == [0])
        queue.remove(1)
        queue.remove(0)
        let next = started(by: &queue)
        #expect(next == [2])
        // Removing an unknown request has no effect.
        queue.remove(77)
        queue.remove(2)
        queue.remove(3)
        let last = started(by: &queue)
        #expect(last == [])
    }

    @Test(arguments: [(16, 32, false), (16, 33, true)])
    func ownerWithTooManyWaitingRequests_isReportedOnce(share: Int, count: Int, isOver: Bool) {
        var queue = TransferQueue(all: 512, perHost: 64)
        let owner = TransferOwner(share: share)
        for index in 0..<count {
            queue.add(UInt64(index), of: owner, to: origin("a"))
            _ = queue.takeNext()
        }
        #expect(owner.takeExceededShare() == isOver)
        #expect(!owner.takeExceededShare())
    }
}

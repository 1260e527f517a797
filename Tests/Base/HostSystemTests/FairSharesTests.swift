import TestSupport
import Testing

@testable import HostSystem

@Suite(.timeLimit(.minutes(30))) struct FairSharesTests {
    /// A step on an allocation of 16, whose last 2 are only for holders without an amount.
    private enum Step {
        /// A request of a holder; the requests have the numbers 1, 2, 3 and so on.
        case request(String, Int)
        case release(String, Int)
        case cancel(UInt64)
    }

    private static func granted(_ steps: [Step]) -> [[UInt64]] {
        var allocation = FairAllocation(capacity: 16)
        return steps.map { step in
            switch step {
            case .request(let holder, let amount): _ = allocation.request(amount, for: holder)
            case .release(let holder, let amount): allocation.release(amount, of: holder)
            case .cancel(let number): allocation.cancel(number)
            }
            var granted: [UInt64] = []
            while let number = allocation.grantNext() { granted.append(number) }
            return granted
        }
    }

    @Test func firstRequestOfAHolder_isGrantedWheneverItFits() {
        #expect(Self.granted([.request("a", 16)]) == [[1]])
        #expect(Self.granted([.request("a", 14), .request("b", 2), .request("c", 1)]) == [[1], [2], []])
        #expect(Self.granted([.request("a", 15), .request("b", 2), .release("a", 15)]) == [[1], [], [2]])
    }

    @Test func laterRequestOfAHolder_leavesTheLastEighth() {
        #expect(Self.granted([.request("a", 13), .request("a", 1), .request("a", 1)]) == [[1], [2], []])
        #expect(Self.granted([.request("a", 1), .request("a", 14)]) == [[1], []])
        // After it has released everything, its next request is a first one.
        #expect(Self.granted([.request("a", 15), .release("a", 15), .request("a", 16)]) == [[1], [], [2]])
    }

    @Test func holderWithTheSmallestAmount_isFirst_thenTheOldestRequest() {
        let full: [Step] = [.request("a", 8), .request("b", 5), .request("c", 1)]
        #expect(
            Self.granted(full + [.request("a", 3), .request("b", 3), .request("c", 3), .release("a", 3)])
                == [[1], [2], [3], [], [], [], [6]])
        #expect(
            Self.granted(full + [.request("c", 2), .request("c", 3), .release("a", 2), .release("a", 3)])
                == [[1], [2], [3], [], [], [4], [5]])
    }

    @Test func request_thatDoesNotFit_isNotPassed_exceptByAHolderWithLess() {
        let full: [Step] = [.request("a", 10), .request("b", 2)]
        #expect(Self.granted(full + [.request("b", 8), .request("a", 1)]) == [[1], [2], [], []])
        #expect(Self.granted(full + [.request("b", 8), .request("c", 1)]) == [[1], [2], [], [4]])
        // The end of the first one lets the others continue.
        #expect(
            Self.granted(full + [.request("b", 8), .request("a", 1), .cancel(3)]) == [[1], [2], [], [], [4]])
    }

    /// Random requests and releases of five holders, with the rules as invariants.
    @Test(arguments: [1, 2, 8, 100, 512])
    func allocation_underRandomUse_keepsItsRules(capacity: Int) {
        var allocation = FairAllocation(capacity: capacity)
        var waiting: [UInt64: (holder: Int, amount: Int)] = [:]
        var held = [Int](repeating: 0, count: 5)
        for _ in 0..<5_000 {
            let holder = Int.random(in: 0..<5)
            if Bool.random(), held[holder] > 0 {
                let amount = Int.random(in: 1...held[holder])
                allocation.release(amount, of: "\(holder)")
                held[holder] -= amount
            } else if waiting.count < 20 {
                let amount = Int.random(in: 1...capacity)
                waiting[allocation.request(amount, for: "\(holder)")] = (holder, amount)
            }
            while let number = allocation.grantNext() {
                guard let request = waiting.removeValue(forKey: number) else {
                    Issue.record("granted twice")
                    return
                }
                if held[request.holder] > 0 {
                    let free = capacity - held.reduce(0, +) - request.amount
                    #expect(free >= max(1, capacity / 8))
                }
                held[request.holder] += request.amount
            }
            #expect(allocation.total == held.reduce(0, +) && allocation.total <= capacity)
            #expect(allocation.waiterCount == waiting.count && allocation.peak >= allocation.total)
            for (number, count) in held.enumerated() { #expect(allocation.amount(of: "\(number)") == count) }
        }
    }

    @Test func share_isReleasedAtTheEndOfItsLifetime_andOnlyOnce() throws {
        let shares = FairShares(capacity: 8)
        var share = shares.acquire(7, for: "a")
        #expect(shares.usage.current == 7 && shares.acquire(1, for: "a") == nil)
        try #require(share).reduce(to: 3)
        try #require(share).reduce(to: 5)
        #expect(shares.usage.current == 3)
        try #require(share).release()
        try #require(share).release()
        share = nil
        #expect(shares.usage.current == 0 && shares.usage.peak == 7 && shares.waiterCount == 0)
        // More than the capacity is the capacity, and less than 1 is 1.
        share = shares.acquire(100, for: "a")
        #expect(share != nil && shares.usage.current == 8)
        share = nil
        share = shares.acquire(-5, for: "a")
        #expect(share != nil && shares.usage.current == 1)
        share = nil
        #expect(shares.usage.current == 0)
    }

    @Test func request_thatMayNotWait_failsAtOnce() throws {
        let shares = FairShares(capacity: 8, maximumWaiterCount: 0)
        let share = try #require(shares.acquire(8, for: "a"))
        #expect(shares.acquire(1, for: "b") == nil)
        #expect(shares.acquire(1, for: "b", waitingAtMost: .seconds(600)) == nil)
        #expect(shares.waiterCount == 0)
        share.release()
        #expect(shares.acquire(1, for: "b", waitingAtMost: .seconds(600)) != nil)
    }

    @Test func request_thatTimesOut_doesNotBlockTheNextOne() async throws {
        let shares = FairShares(capacity: 8)
        let first = try #require(shares.acquire(4, for: "a"))
        async let small = onOwnThread { shares.acquire(1, for: "a", waitingAtMost: .seconds(600)) != nil }
        // Waits in front of the small one, or is refused; then the small one fits.
        #expect(shares.acquire(8, for: "b", waitingAtMost: .milliseconds(20)) == nil)
        #expect(try await small)
        first.release()
        #expect(shares.usage.current == 0)
    }

    @Test func interruption_endsAllWaits_andRefusesLaterRequests() async throws {
        let shares = FairShares(capacity: 1)
        let share = try #require(shares.acquire(1, for: "a"))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await onOwnThread {
                        shares.acquire(1, for: "\(number)", waitingAtMost: .seconds(600)) == nil
                    }
                }
            }
            try await wait(for: "the requests") { shares.waiterCount == 20 }
            shares.interrupt()
            for try await isRefused in group { #expect(isRefused) }
        }
        share.release()
        #expect(shares.acquire(1, for: "a") == nil && shares.usage.current == 0 && shares.waiterCount == 0)
    }

    /// Many threads of three holders; one of them asks without end, and all requests are granted in time.
    @Test func threads_ofSeveralHolders_areAllServed() async throws {
        let shares = FairShares(capacity: 8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<24 {
                group.addTask {
                    try await onOwnThread {
                        for _ in 0..<200 {
                            let amount = thread % 3 + 1
                            let share = shares.acquire(
                                amount, for: "\(thread % 3)", waitingAtMost: .seconds(600))
                            guard let share else {
                                Issue.record("not granted")
                                return
                            }
                            share.release()
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(shares.usage.peak <= 8)
        #expect(shares.usage.current == 0 && shares.waiterCount == 0)
    }
}

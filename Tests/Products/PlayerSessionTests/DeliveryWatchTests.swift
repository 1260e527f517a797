import Testing

@testable import PlayerSession
@testable import TagDelivery

/// The changes of a delivery that a session reports, derived from the progress of its uploaders.
@Suite struct DeliveryWatchTests {
    private static let address = "https://collector.example/?…"

    /// A watch that observes each step of an uploader, and the changes that it has reported.
    private struct Bench {
        var watch = DeliveryWatch(collector: "https://collector.example/?token=secret")
        var progress = DeliveryProgress()
        var changes: [DeliveryChange] = []
        var time: Int64 = 1_000

        /// Changes the progress, one second later.
        mutating func step(_ change: (inout DeliveryProgress) -> Void) {
            time += 1_000
            change(&progress)
            changes += watch.observe(progress, at: time)
        }

        /// Makes an attempt that fails.
        mutating func fail(
            _ failure: DeliveryFailure?, _ reason: String, _ wait: DeliveryProgress.Activity
        ) {
            step { $0.activity = .sending }
            step {
                $0.attemptCount += 1
                $0.lastTrouble = reason
                $0.lastFailure = failure
            }
            step { $0.activity = wait }
        }

        mutating func backOff(_ failure: DeliveryFailure?, _ reason: String) {
            fail(failure, reason, .backingOff(until: time + 9_000, reason: reason))
        }

        mutating func hold(_ failure: DeliveryFailure?, _ reason: String) {
            fail(failure, reason, .holding(until: time + 900_000, reason: reason))
        }

        /// Makes an attempt that succeeds.
        mutating func succeed() {
            step { $0.activity = .sending }
            step {
                $0.attemptCount += 1
                $0.batchCount += 1
                $0.lastTrouble = nil
                $0.lastFailure = nil
            }
            step { $0.activity = .idle }
        }
    }

    @Test(
        arguments: [
            (.network, .network), (.request, .http), (.status, .httpStatus), (nil, .httpStatus),
        ] as [(DeliveryFailure?, SessionErrorCode)])
    func failure_isReportedOnceWithItsCode_andItsRecoveryOnce(
        failure: DeliveryFailure?, code: SessionErrorCode
    ) {
        var bench = Bench()
        for attempt in 1...5 { bench.backOff(failure, "status 503, attempt \(attempt)") }
        #expect(
            bench.changes == [
                .failed(code, "delivery is retried: \(Self.address): status 503, attempt 1")
            ])
        #expect(bench.watch.delivery.state == .retrying && bench.watch.delivery.code == code)
        #expect(bench.watch.delivery.since == 4_000)
        #expect(bench.watch.delivery.reason == "status 503, attempt 5")
        bench.succeed()
        bench.succeed()
        #expect(bench.changes.dropFirst() == [.recovered("delivering again")])
        #expect(bench.watch.delivery == SessionDelivery(.idle))
    }

    @Test func differentFailure_isReported_andHasItsOwnStartTime() {
        var bench = Bench()
        bench.backOff(.network, "no connection to \(Self.address)")
        bench.backOff(.status, "status 503")
        bench.hold(.status, "status 401")
        bench.hold(.status, "status 401")
        bench.hold(.status, "status 404")
        #expect(
            bench.changes == [
                .failed(.network, "delivery is retried: no connection to \(Self.address)"),
                .failed(.httpStatus, "delivery is retried: \(Self.address): status 503"),
                .failed(
                    .httpStatus,
                    "delivery is held until the cause is fixed, and tried every 15 minutes: "
                        + "\(Self.address): status 401"),
                .failed(
                    .httpStatus,
                    "delivery is held until the cause is fixed, and tried every 15 minutes: "
                        + "\(Self.address): status 404"),
            ])
        #expect(bench.watch.delivery.state == .held && bench.watch.delivery.since == 10_000)
    }

    @Test func holdOfEarlierLaunch_isNotReported() {
        var bench = Bench()
        bench.step { $0.activity = .holding(until: 900_000, reason: "status 401") }
        #expect(bench.watch.delivery == SessionDelivery(.idle))
        bench.succeed()
        #expect(bench.changes.isEmpty)
    }

    @Test func newUploader_thatHasNotSucceeded_doesNotEndTheProblem() {
        var bench = Bench()
        bench.backOff(.network, "no connection")
        bench.progress = DeliveryProgress()
        bench.step { $0.activity = .backingOff(until: 9_000, reason: "no connection") }
        bench.backOff(.network, "no connection")
        #expect(bench.changes.count == 1 && bench.watch.delivery.since == 4_000)
    }

    @Test func bufferFailure_isReportedOnceAsError13_untilItRecovers() {
        var bench = Bench()
        for _ in 0..<3 {
            bench.step { $0.activity = .bufferTrouble(reason: "the disk is read-only") }
            bench.step { $0.activity = .sending }
        }
        #expect(
            bench.changes == [
                .failed(.database, "delivery is retried: \(Self.address): the disk is read-only")
            ])
        bench.step { $0.activity = .idle }
        #expect(bench.changes.count == 2 && bench.watch.delivery.state == .idle)
    }

    @Test func recovery_becauseNoTagsWait_statesThatReason() {
        var bench = Bench()
        bench.backOff(.status, "status 503")
        bench.step { $0.activity = .idle }
        #expect(bench.changes.last == .recovered("no tags wait any more"))
    }

    @Test func deadLetters_areReportedAtTheFirstOne_andAtEachDoubling() {
        var bench = Bench()
        for count in 1...9 {
            bench.step {
                $0.deadCount = count
                $0.lastRefusal = "bad_tag"
            }
        }
        let texts = bench.changes.map { change in
            if case .failed(.httpStatus, let text) = change { text } else { "" }
        }
        #expect(
            texts
                == ["1 tag", "2 tags", "4 tags", "8 tags"].map {
                    "\(Self.address) has refused \($0) permanently: bad_tag"
                })
        // Dead letters are not a failure of the delivery.
        #expect(bench.watch.delivery.state == .idle)
        // A new uploader counts from zero.
        bench.progress = DeliveryProgress()
        bench.step { $0.deadCount = 7 }
        #expect(bench.changes.count == 5)
    }
}

import ID3v2
import NielsenID3
import Testing

@testable import StreamHealth

/// The checks of the monitor itself, and the alerts that follow from them.
@Suite struct MonitorChecksTests {
    /// A monitor with facts that a test sets, and the changes that pass.
    private struct Monitor {
        var facts = MonitorFacts()
        private var checks = CheckRegistry.monitorChecks
        private(set) var book: EpisodeBook
        var passed: [String] = []

        /// Creates a monitor after a restart during which alerts were open.
        init(open checks: [CheckID: CheckStatus] = [:]) {
            let episodes = checks.map { check, severity in
                Episode(
                    check: check, severity: severity, since: WallTime(unixSeconds: 1), detail: "before")
            }
            book = EpisodeBook(
                policy: HealthPolicy(), open: episodes, at: ClockMoment(steady: SteadyTime(seconds: 0)))
        }

        /// Returns three channels whose tags are as far from the clock.
        static func offsets(_ seconds: Double) -> [(seconds: Double, limit: Double)] {
            Array(repeating: (seconds, 300), count: 3)
        }

        mutating func run(_ time: Int, _ change: (inout MonitorFacts) -> Void = { _ in }) {
            for _ in 0..<time {
                facts.uptime += 1
                change(&facts)
                book.moment = ClockMoment(steady: SteadyTime(seconds: facts.uptime))
                book.judge(facts, by: &checks)
                passed += book.takeChanges().map {
                    "\($0.isCleared ? "cleared" : "raised") \($0.check.rawValue) \($0.severity.rawValue)"
                }
            }
        }
    }

    @Test func delivery_withTagsWaitingTooLong_isStalledUntilNoneWait() {
        var monitor = Monitor()
        monitor.facts.hasCollector = true
        monitor.run(60) { $0.deliveredCount += 1 }
        monitor.facts.waitingCount = 5
        monitor.run(900)
        #expect(monitor.passed == [])
        monitor.run(2)
        #expect(monitor.passed == ["raised delivery.stalled fail"])
        monitor.facts.waitingCount = 0
        monitor.run(40)
        #expect(monitor.passed == ["raised delivery.stalled fail", "cleared delivery.stalled fail"])
    }

    @Test func waitingTags_withoutCollector_raiseNoAlert() {
        var monitor = Monitor()
        monitor.facts.waitingCount = 5
        monitor.run(2_000)
        #expect(monitor.passed == [])
    }

    @Test func refusedTags_raiseAnAlert_clearedAfterTheLimit() {
        var monitor = Monitor()
        monitor.run(10)
        monitor.facts.refusedCount = 2
        monitor.run(1)
        #expect(monitor.passed == ["raised delivery.refused fail"])
        monitor.run(940)
        #expect(monitor.passed.last == "cleared delivery.refused fail")
    }

    @Test func nearlyFullBuffer_isAWarning_andEvictionIsAFailure() {
        var monitor = Monitor()
        monitor.run(10) { $0.bufferUse = 79 }
        #expect(monitor.passed == [])
        monitor.run(1) { $0.bufferUse = 80 }
        #expect(monitor.passed == ["raised buffer.evicting warn"])
        var other = Monitor()
        other.run(1)
        other.run(1) { $0.deletedCount = 3 }
        #expect(other.passed == ["raised buffer.evicting fail"])
    }

    @Test func diskProblem_raisesAnAlert_untilResolved() {
        var monitor = Monitor()
        monitor.run(1) { $0.diskProblem = "the disk is full" }
        monitor.run(40) { $0.diskProblem = nil }
        #expect(monitor.passed == ["raised buffer.disk fail", "cleared buffer.disk fail"])
    }

    @Test func channels_lateForTwoMinutes_areAnOverload() {
        var monitor = Monitor()
        monitor.run(200) { $0.delays = [61, 0, 0, 0, 0] }
        #expect(monitor.passed == [])
        monitor.run(120) { $0.delays = [61, 61, 0, nil, 0] }
        #expect(monitor.passed == [])
        monitor.run(1)
        #expect(monitor.passed == ["raised monitor.overloaded fail"])
    }

    /// Facts that raise an alert, whenever the monitor starts.
    private static let causes: [CheckID: @Sendable (inout MonitorFacts) -> Void] = [
        .deliveryStalled: {
            $0.hasCollector = true
            $0.waitingCount = 5
        },
        .deliveryRefused: {
            $0.hasCollector = true
            $0.isHolding = true
            $0.deliveryTrouble = "401"
        },
        .bufferEvicting: { $0.bufferUse = 80 },
        .bufferDisk: { $0.diskProblem = "full" },
        .monitorOverloaded: { $0.delays = [61] },
        .monitorClock: { $0.tagOffsets = Monitor.offsets(-3_600) },
    ]

    /// The checks know nothing of the time before the restart, such as that of the last delivery.
    @Test(arguments: CheckID.ofMonitorItself)
    func alertWhoseCauseLasts_isNeitherClearedNorRaisedAgainAfterARestart(check: CheckID) throws {
        let cause = try #require(Self.causes[check])
        var monitor = Monitor(open: [check: .fail])
        monitor.run(2_000, cause)
        #expect(monitor.passed == [])
        let uptime = monitor.facts.uptime
        monitor.facts = MonitorFacts()
        monitor.facts.uptime = uptime
        monitor.facts.hasCollector = true
        monitor.run(1_000)
        #expect(monitor.passed == ["cleared \(check.rawValue) fail"])
    }

    /// After a restart the delays are unknown until a segment of each channel is read.
    @Test(arguments: [(late: true, changes: []), (late: false, changes: ["cleared monitor.overloaded fail"])])
    func overload_ofChannelsNotReadYet_lastsForTwoMinutesAfterARestart(late: Bool, changes: [String]) {
        var monitor = Monitor(open: [.monitorOverloaded: .fail])
        monitor.run(119) { $0.delays = [nil, nil] }
        #expect(monitor.passed == [])
        monitor.run(120) { $0.delays = late ? [61, nil] : [nil, nil] }
        #expect(monitor.passed == changes)
    }

    /// A channel that is read in time ends the alert, whatever is unknown of the others.
    @Test func overload_isOver_onceTheChannelsAreReadInTime() {
        var monitor = Monitor(open: [.monitorOverloaded: .fail])
        monitor.run(10) { $0.delays = [nil, nil, nil, nil, nil] }
        monitor.run(60) { $0.delays = [0, 1, 2, 3, nil] }
        #expect(monitor.passed == ["cleared monitor.overloaded fail"])
    }

    @Test func clock_thatDisagreesWithTheTagsForAMinute_raisesAnAlert_clearedAMinuteAfter() {
        var monitor = Monitor()
        monitor.run(60) { $0.tagOffsets = Monitor.offsets(-5) }
        monitor.run(60) { $0.tagOffsets = Monitor.offsets(-3_600) }
        #expect(monitor.passed == [])
        monitor.run(1)
        #expect(monitor.passed == ["raised monitor.clock warn"])
        // The hold of an alert is 30 s.
        monitor.run(90) { $0.tagOffsets = Monitor.offsets(-5) }
        #expect(monitor.passed == ["raised monitor.clock warn"])
        monitor.run(1)
        #expect(monitor.passed == ["raised monitor.clock warn", "cleared monitor.clock warn"])
    }

    /// After a restart, the first channels that are read may be those that the alert is not about.
    @Test func openAlertOfTheClock_lastsWhileTheComparisonChanges() {
        var monitor = Monitor(open: [.monitorClock: .warn])
        for _ in 0..<10 {
            monitor.run(59) { $0.tagOffsets = Monitor.offsets(-5) }
            monitor.run(59) { $0.tagOffsets = [] }
            monitor.run(59) { $0.tagOffsets = Monitor.offsets(-3_600) }
        }
        #expect(monitor.passed == [])
    }

    /// The time of the last refused or lost tag is not known after a restart, so it counts as the start.
    @Test(arguments: [(CheckID.deliveryRefused, 900), (.bufferEvicting, 600)])
    func alertAboutTagsOfThePast_lastsForItsLimitAfterARestart(check: CheckID, limit: Int) {
        var monitor = Monitor(open: [check: .fail])
        monitor.facts.refusedCount = 1
        monitor.run(limit)
        #expect(monitor.passed == [])
        monitor.run(60)
        #expect(monitor.passed == ["cleared \(check.rawValue) fail"])
    }

    /// The collector is probed while its refusal lasts.
    @Test func refusal_lastsWhileAProbeIsInFlight() {
        var monitor = Monitor()
        monitor.facts.hasCollector = true
        monitor.run(1) { ($0.isHolding, $0.deliveryTrouble) = (true, "401") }
        monitor.run(60) { ($0.isHolding, $0.isSending) = (false, true) }
        #expect(monitor.passed == ["raised delivery.refused fail"])
        monitor.run(31) { $0.isSending = false }
        #expect(monitor.passed == ["raised delivery.refused fail", "cleared delivery.refused fail"])
        // The error of a batch is no refusal.
        monitor.run(60) { $0.isSending = true }
        #expect(monitor.passed.count == 2)
    }

    /// A buffer that was nearly full before a restart has lost nothing.
    @Test func warningOfTheBuffer_isNoLossAfterARestart() {
        var monitor = Monitor(open: [.bufferEvicting: .warn])
        monitor.run(40)
        #expect(monitor.passed == ["cleared buffer.evicting warn"])
    }

    /// Until the channels are read, the clock may be the cause of what their tags show.
    @Test func clock_mayBeWrong_untilAMinuteAfterTheStart() {
        var monitor = Monitor()
        func mayBeWrong(_ delays: [Double?], _ offsets: [(seconds: Double, limit: Double)] = []) -> Bool {
            monitor.run(1) { ($0.delays, $0.tagOffsets) = (delays, offsets) }
            return monitor.book.isExpected(.monitorClock)
        }
        #expect(mayBeWrong([nil, nil, nil]))
        #expect(!mayBeWrong([nil, nil]))
        #expect(!mayBeWrong([0, 0, 0], Monitor.offsets(-5)))
        #expect(mayBeWrong([0, 0, 0], Monitor.offsets(-3_600)))
        monitor.run(56) { $0.tagOffsets = [] }
        #expect(!mayBeWrong([nil, nil, nil]))
        #expect(mayBeWrong([0, 0, 0], Monitor.offsets(-3_600)))
    }
}

import ID3v2
import NielsenID3
import StreamHealth
import TagStore
import Testing

@testable import StreamMonitor
@testable import TagDelivery

/// The alerts of a monitor about itself.
@Suite struct MonitorWatchTests {
    /// A monitor with facts that a test sets, and the changes that pass.
    private struct Monitor {
        var facts = MonitorWatch.Facts()
        var watch = MonitorWatch(HealthPolicy(), at: .steady(0))
        var passed: [String] = []
        var seconds = 0.0

        /// Returns three channels whose tags are as far from the clock.
        static func offsets(_ seconds: Double) -> [MonitorClock.Offset] {
            Array(repeating: MonitorClock.Offset(seconds: seconds, limit: 300), count: 3)
        }

        mutating func run(_ time: Int, _ change: (inout MonitorWatch.Facts) -> Void = { _ in }) {
            for _ in 0..<time {
                seconds += 1
                change(&facts)
                let moment = ClockMoment.steady(seconds)
                passed += watch.observe(facts, at: moment).map {
                    "\($0.word) \($0.alert.check.rawValue) \($0.alert.severity.rawValue)"
                }
            }
        }
    }

    @Test func delivery_withTagsWaitingTooLong_isStalledUntilNoneWait() {
        var monitor = Monitor()
        monitor.facts.delivery = DeliveryProgress()
        monitor.run(60) { $0.totals.delivered += 1 }
        monitor.facts.totals.inStore = 5
        monitor.run(900)
        #expect(monitor.passed == [])
        monitor.run(2)
        #expect(monitor.passed == ["raised delivery.stalled fail"])
        monitor.facts.totals.inStore = 0
        monitor.run(40)
        #expect(monitor.passed == ["raised delivery.stalled fail", "cleared delivery.stalled fail"])
    }

    @Test func waitingTags_withoutCollector_raiseNoAlert() {
        var monitor = Monitor()
        monitor.facts.totals.inStore = 5
        monitor.run(2_000)
        #expect(monitor.passed == [])
    }

    @Test func refusedTags_raiseAnAlert_clearedAfterTheLimit() {
        var monitor = Monitor()
        monitor.run(10)
        monitor.facts.totals.losses.dead = 2
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
        other.run(1) { $0.totals.losses.evicted = 3 }
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

    /// Facts that raise an alert, whenever the watch begins.
    private static let causes: [CheckID: @Sendable (inout MonitorWatch.Facts) -> Void] = [
        .deliveryStalled: {
            $0.delivery = DeliveryProgress()
            $0.totals.inStore = 5
        },
        .deliveryRefused: {
            $0.delivery = DeliveryProgress()
            $0.delivery?.activity = .holding(until: 9, reason: "401")
        },
        .bufferEvicting: { $0.bufferUse = 80 },
        .bufferDisk: { $0.diskProblem = "full" },
        .monitorOverloaded: { $0.delays = [61] },
        .monitorClock: { $0.tagOffsets = Monitor.offsets(-3_600) },
    ]

    /// The watch knows nothing of the time before the restart, such as that of the last delivery.
    @Test(arguments: CheckID.ofMonitorItself)
    func alertWhoseCauseLasts_isNeitherClearedNorRaisedAgainAfterARestart(check: CheckID) throws {
        let cause = try #require(Self.causes[check])
        let alert = Alert(scope: .monitor, check: check, since: 1, severity: .fail, detail: "before")
        var monitor = Monitor()
        monitor.watch = MonitorWatch(HealthPolicy(), open: [alert.episode], at: .steady(0))
        monitor.run(2_000, cause)
        #expect(monitor.passed == [])
        monitor.facts = MonitorWatch.Facts()
        monitor.facts.delivery = DeliveryProgress()
        monitor.run(1_000)
        #expect(monitor.passed == ["cleared \(check.rawValue) fail"])
    }

    /// After a restart the delays are unknown until a segment of each channel is read.
    @Test(arguments: [(late: true, changes: []), (late: false, changes: ["cleared monitor.overloaded fail"])])
    func overload_ofChannelsNotReadYet_lastsForTwoMinutesAfterARestart(late: Bool, changes: [String]) {
        let alert = Alert(
            scope: .monitor, check: .monitorOverloaded, since: 1, severity: .fail, detail: "before")
        var monitor = Monitor()
        monitor.watch = MonitorWatch(HealthPolicy(), open: [alert.episode], at: .steady(0))
        monitor.run(119) { $0.delays = [nil, nil] }
        #expect(monitor.passed == [])
        monitor.run(120) { $0.delays = late ? [61, nil] : [nil, nil] }
        #expect(monitor.passed == changes)
    }

    /// A channel that is read in time ends the alert, whatever is unknown of the others.
    @Test func overload_isOver_onceTheChannelsAreReadInTime() {
        let alert = Alert(
            scope: .monitor, check: .monitorOverloaded, since: 1, severity: .fail, detail: "before")
        var monitor = Monitor()
        monitor.watch = MonitorWatch(HealthPolicy(), open: [alert.episode], at: .steady(0))
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
        let alert = Alert(scope: .monitor, check: .monitorClock, since: 1, severity: .warn, detail: "before")
        var monitor = Monitor()
        monitor.watch = MonitorWatch(HealthPolicy(), open: [alert.episode], at: .steady(0))
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
        let alert = Alert(scope: .monitor, check: check, since: 1, severity: .fail, detail: "before")
        var monitor = Monitor()
        monitor.watch = MonitorWatch(HealthPolicy(), open: [alert.episode], at: .steady(0))
        monitor.facts.totals.losses.dead = 1
        monitor.run(limit)
        #expect(monitor.passed == [])
        monitor.run(60)
        #expect(monitor.passed == ["cleared \(check.rawValue) fail"])
    }
}

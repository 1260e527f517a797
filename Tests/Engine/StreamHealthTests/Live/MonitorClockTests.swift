import NielsenID3
import Testing

@testable import StreamHealth

/// `monitor.clock` of channels whose tags are some seconds from the wall clock.
@Suite struct MonitorClockTests {
    /// Offsets, and the number of channels that the violation names and its time; nil if there is none.
    static let samples: [(offsets: [Double], found: String?)] = [
        ([-3_600, -3_600, -3_600], "3 of 3 channels are 1 h 0 min before"),
        ([3_600, 3_600, 3_600], "3 of 3 channels are 1 h 0 min after"),
        // More than half.
        ([-3_600, -3_600, 0, 0], nil),
        ([-3_600, -3_600, -3_600, 0, 0], "3 of 5 channels are 1 h 0 min before"),
        // At most 60 s apart.
        ([-3_600, -3_630, -3_660], "3 of 3 channels are 1 h 1 min before"),
        ([-3_600, -3_630, -3_661, 0, 0], nil),
        ([-4_000, -3_600, -3_630, -3_660, -3_000], "3 of 5 channels are 1 h 1 min before"),
        // In one direction, and beyond the limit of 300 s.
        ([-3_600, -3_600, 3_600, 3_600], nil),
        ([-301, -301, -301], "3 of 3 channels are 5 min before"),
        ([-300, -300, -301], nil),
        // Loops and time-shifted channels.
        ([-3_600, -7_200, -10_800, -14_400, -9_000], nil),
        ([-172_800, -172_800, -172_810], "3 of 3 channels are 2 days before"),
        ([0, -10, 20, -299, 299], nil),
    ]

    @Test(arguments: samples)
    func offsets(_ offsets: [Double], found: String?) throws {
        let result = MonitorClock.check(offsets.map { ($0, 300) })
        guard let found else { return #expect(result == .pass) }
        guard case .violation(let severity, let detail) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(severity == .warn && detail.hasPrefix("the tags of \(found) the clock of this machine"))
    }

    /// Fewer than three channels do not tell a wrong clock from a wrong channel.
    @Test(arguments: 0...2)
    func fewChannels_areNotCompared(count: Int) {
        let offsets = Array(repeating: (seconds: -3_600.0, limit: 300.0), count: count)
        #expect(MonitorClock.check(offsets) == .notRun)
    }

    /// Each channel has its own limit, down to distances that are formatted to the second.
    @Test func limit_isThatOfTheChannel() {
        func result(_ limits: [Double]) -> CheckResult {
            MonitorClock.check(limits.map { (-90, $0) })
        }
        #expect(result([90, 90, 90]) == .pass)
        #expect(result([89, 89, 90, 90]) == .pass)
        let detail = "before the clock of this machine: it is wrong, or these channels are delayed"
        #expect(result([89, 89, 90]) == .violation(.warn, "the tags of 2 of 3 channels are 90 s \(detail)"))
    }
}

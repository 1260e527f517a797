import NielsenID3
import StreamHealth
import Testing
import TimedMedia

@testable import StreamMonitor

/// The changes of an alert that pass the damping.
@Suite struct AlertDampingTests {
    /// A problem of one check that the test turns on and off, and the changes that pass.
    private struct Problem {
        var damping: AlertDamping
        var check = CheckID.segmentHTTP
        var passed: [String] = []
        var seconds = 0.0

        init(_ change: (inout HealthPolicy) -> Void = { _ in }) {
            var policy = HealthPolicy()
            change(&policy)
            damping = AlertDamping(policy)
        }

        private var alert: Alert {
            Alert(scope: .channel("one"), check: check, since: seconds, severity: .fail, detail: "d")
        }

        mutating func raise() { pass([.raised(alert)]) }
        mutating func clear(isFinal: Bool = false) { pass([.cleared(alert)], isFinal: isFinal) }

        mutating func wait(_ time: Double) {
            for _ in 0..<Int(time) {
                seconds += 1
                pass([])
            }
        }

        private mutating func pass(_ changes: [AlertChange], isFinal: Bool = false) {
            let time = SteadyTime(seconds: seconds)
            passed += damping.pass(changes, at: time, areFinal: isFinal).map {
                "\(Int(seconds)) \($0.word) \(Int($0.alert.since))"
            }
        }
    }

    @Test func alert_isRaisedAtOnce_andClearedAfterTheHold() {
        var problem = Problem()
        problem.raise()
        problem.wait(300)
        problem.clear()
        problem.wait(300)
        #expect(problem.passed == ["0 raised 0", "330 cleared 0"])
        #expect(problem.damping.openCount == 0)
    }

    @Test func stalePlaylist_isClearedAfterFourHolds_upToTheMaximum() {
        for (maximum, expected) in [(3_600.0, "120 cleared 0"), (60, "60 cleared 0")] {
            var problem = Problem { $0[.alertMaximumHold] = maximum }
            problem.check = .playlistStale
            problem.raise()
            problem.clear()
            problem.wait(130)
            #expect(problem.passed == ["0 raised 0", expected])
        }
    }

    @Test func problem_flappingWithinTheHold_isOneAlert() {
        var problem = Problem()
        for _ in 0..<240 {
            problem.raise()
            problem.wait(5)
            problem.clear()
            problem.wait(10)
        }
        #expect(problem.passed == ["0 raised 0"])
        problem.wait(60)
        #expect(problem.passed.count == 2)
    }

    @Test func hold_ofRecurringAlert_isDoubled_upToTheMaximum() {
        var problem = Problem { $0[.alertMaximumHold] = 200 }
        for _ in 0..<6 {
            problem.raise()
            problem.wait(10)
            let start = problem.seconds
            problem.clear()
            while problem.damping.openCount > 0 { problem.wait(1) }
            problem.passed.append("\(Int(problem.seconds - start))")
            problem.wait(40)
        }
        #expect(problem.passed.compactMap(Int.init) == [30, 60, 120, 200, 200, 200])
        // After the maximum hold without the problem, the next alert has the shortest hold again.
        problem.wait(300)
        problem.raise()
        problem.clear()
        problem.wait(31)
        #expect(problem.damping.openCount == 0)
    }

    @Test func raise_soonAfterTheClear_waitsForTheHold() {
        var problem = Problem()
        problem.raise()
        problem.clear()
        problem.wait(31)
        problem.raise()
        problem.wait(5)
        #expect(problem.passed == ["0 raised 0", "30 cleared 0"])
        problem.wait(60)
        #expect(problem.passed.last == "60 raised 31")
    }

    @Test func clear_ofStoppedCheck_isNotDelayed() {
        var problem = Problem()
        problem.raise()
        problem.clear(isFinal: true)
        #expect(problem.passed == ["0 raised 0", "0 cleared 0"])
    }

    @Test func hold_ofZero_passesEverything() {
        var problem = Problem {
            $0[.alertHold] = 0
            $0[.alertMaximumHold] = 0
        }
        problem.check = .playlistStale
        for _ in 0..<3 {
            problem.raise()
            problem.clear()
        }
        #expect(problem.passed.count == 6)
    }
}

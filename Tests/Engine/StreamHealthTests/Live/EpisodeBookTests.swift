import ID3v2
import NielsenID3
import Testing

@testable import StreamHealth

/// The alerts that follow from violations, without the channel around them.
@Suite struct EpisodeBookTests {
    /// A book with a clock, and the changes that it made, each with its time.
    private struct Problem {
        var book: EpisodeBook
        var check = CheckID.playlistStale
        var changes: [String] = []
        var episodes: [Episode] = []
        var seconds = 0.0
        private var isTrue = false

        init(hourlyCount: Int = 1_000_000, _ change: (inout HealthPolicy) -> Void = { _ in }) {
            var policy = HealthPolicy()
            change(&policy)
            book = EpisodeBook(policy: policy, hourlyCount: hourlyCount, at: Self.moment(0))
        }

        private static func moment(_ seconds: Double) -> ClockMoment {
            ClockMoment(steady: SteadyTime(seconds: seconds))
        }

        mutating func violate(_ check: CheckID, _ severity: CheckStatus = .fail, age: Double = 0) {
            book.violate(check, severity, "503", rendition: .first, age: age)
            take()
        }

        mutating func raise() {
            isTrue = true
            violate(check)
        }

        mutating func clear() {
            isTrue = false
            book.end(check)
            take()
        }

        mutating func wait(_ time: Double) {
            for _ in 0..<Int(time) {
                seconds += 1
                book.moment = Self.moment(seconds)
                if isTrue { book.violate(check, .fail, "503", rendition: .first) }
                take()
            }
        }

        private mutating func take() {
            for change in book.takeChanges() {
                episodes.append(change)
                changes.append("\(Int(seconds)) \(change.text) \(Int(change.since.unixSeconds))")
            }
        }
    }

    private static func segmentProblem(_ change: (inout HealthPolicy) -> Void = { _ in }) -> Problem {
        var problem = Problem(change)
        problem.check = .bufferDisk
        return problem
    }

    // MARK: Raising

    /// An operator is called for the worse of the two findings.
    @Test(arguments: [(CheckStatus.fail, CheckStatus.warn), (.warn, .fail), (.fail, .fail)])
    func alert_hasTheWorseSeverityOfItsFindings(first: CheckStatus, second: CheckStatus) throws {
        var problem = Problem()
        problem.wait(10)
        problem.violate(.segmentHTTP, first)
        #expect(problem.changes == [])
        problem.wait(10)
        problem.violate(.segmentHTTP, second)
        #expect(problem.episodes.map(\.severity) == [.fail])
    }

    @Test func limit_onAlertsPerHour_makesFurtherAlertsWaitUntilTheyFitOrAreOver() {
        let checks: [CheckID] = [.bufferDisk, .bufferEvicting, .deliveryRefused, .deliveryStalled]
        var problem = Problem(hourlyCount: 2) {
            $0[.alertHold] = 0
            $0[.alertMaximumHold] = 0
        }
        for check in checks { problem.violate(check) }
        #expect(problem.changes == ["0 raise buffer.disk 0", "0 raise buffer.evicting 0"])
        problem.wait(1)
        // One that was published is cleared; one that waits was not published.
        for check in [CheckID.bufferDisk, .deliveryRefused] { problem.book.end(check) }
        problem.wait(1)
        #expect(problem.changes.dropFirst(2) == ["2 clear buffer.disk 0"])
        // The alert about an exceeded share always passes, because an operator must see it.
        problem.violate(.channelOverLimit)
        problem.violate(.channelOverLimit)
        #expect(problem.changes.last == "2 raise channel.over-limit 2")
        problem.wait(1_801)
        #expect(problem.changes.last?.hasSuffix("raise delivery.stalled 0") == true)
    }

    // MARK: Holding

    @Test func alert_isRaisedAtOnce_andClearedAfterTheHold() {
        var problem = Self.segmentProblem()
        problem.raise()
        problem.wait(300)
        problem.clear()
        problem.wait(300)
        #expect(problem.changes == ["0 raise buffer.disk 0", "330 clear buffer.disk 0"])
        #expect(problem.book.openCount == 0)
    }

    /// The hold is not part of it, nor the time in which the problem is not yet an alert.
    @Test func duration_isFromTheFirstViolationToTheLast() {
        var problem = Problem()
        problem.wait(100)
        problem.violate(.segmentHTTP)
        problem.wait(50)
        problem.violate(.segmentHTTP)
        problem.wait(70)
        problem.book.end(.segmentHTTP)
        problem.wait(60)
        #expect(problem.changes == ["150 raise segment.http 150", "250 clear segment.http 150"])
        #expect(problem.episodes[1].onset == WallTime(unixSeconds: 100))
        #expect(problem.episodes[1].last == WallTime(unixSeconds: 150))
        // A violation of this check has lasted for nine seconds when it is noticed.
        problem.violate(.playlistStale, age: 9)
        #expect(problem.episodes[2].onset == WallTime(unixSeconds: 271))
    }

    @Test func stalePlaylist_isClearedAfterFourHolds_upToTheMaximum() {
        for (maximum, expected) in [(3_600.0, 120), (60, 60)] {
            var problem = Problem { $0[.alertMaximumHold] = maximum }
            problem.raise()
            problem.clear()
            problem.wait(130)
            #expect(problem.changes == ["0 raise playlist.stale 0", "\(expected) clear playlist.stale 0"])
        }
    }

    @Test func problem_flappingWithinTheHold_isOneAlert() {
        var problem = Self.segmentProblem()
        for _ in 0..<240 {
            problem.raise()
            problem.wait(5)
            problem.clear()
            problem.wait(10)
        }
        #expect(problem.changes == ["0 raise buffer.disk 0"])
        problem.wait(60)
        #expect(problem.changes.count == 2)
    }

    @Test func hold_ofRecurringAlert_isDoubled_upToTheMaximum() {
        var problem = Self.segmentProblem { $0[.alertMaximumHold] = 200 }
        var holds: [Int] = []
        for _ in 0..<6 {
            problem.raise()
            problem.wait(10)
            let start = problem.seconds
            problem.clear()
            while problem.book.openCount > 0 { problem.wait(1) }
            holds.append(Int(problem.seconds - start))
            problem.wait(40)
        }
        #expect(holds == [30, 60, 120, 200, 200, 200])
        // After the maximum hold without the problem, the next alert has the shortest hold again.
        problem.wait(300)
        problem.raise()
        problem.clear()
        problem.wait(31)
        #expect(problem.book.openCount == 0)
    }

    @Test func raise_soonAfterTheClear_waitsForTheHold() {
        var problem = Self.segmentProblem()
        problem.raise()
        problem.clear()
        problem.wait(31)
        problem.raise()
        problem.wait(5)
        #expect(problem.changes == ["0 raise buffer.disk 0", "30 clear buffer.disk 0"])
        problem.wait(60)
        #expect(problem.changes.last == "60 raise buffer.disk 31")
    }

    @Test func hold_ofZero_passesEverything() {
        var problem = Problem {
            $0[.alertHold] = 0
            $0[.alertMaximumHold] = 0
        }
        for _ in 0..<3 {
            problem.raise()
            problem.clear()
        }
        #expect(problem.changes.count == 6)
    }

    // MARK: Causes

    /// FFmpeg drops a descriptor and the first bytes of each tag.
    @Test func consequence_ofAnOpenAlert_isListedUnderIt() throws {
        var problem = Problem()
        problem.violate(.id3Malformed)
        problem.wait(6)
        problem.violate(.pmtDescriptors)
        problem.wait(6)
        for check in [CheckID.id3Malformed, .pmtDescriptors] { problem.violate(check) }
        #expect(problem.changes == ["12 raise carriage.pmt-descriptors 12"])
        #expect(problem.book.open.map { $0.consequences.map(\.check) } == [[.id3Malformed]])
        problem.book.violate(.presenceSilent, .fail, "No DATA tag yet")
        problem.wait(1)
        #expect(problem.changes.count == 1)
        #expect(problem.book.open[0].consequences.map(\.check) == [.id3Malformed, .presenceSilent])
        for check in [CheckID.id3Malformed, .pmtDescriptors, .presenceSilent] { problem.book.end(check) }
        problem.wait(40)
        #expect(problem.changes.last == "43 clear carriage.pmt-descriptors 12")
        // The clear names what followed, although it is over.
        #expect(problem.episodes[1].consequences.map(\.check) == [.id3Malformed, .presenceSilent])
    }

    @Test func consequence_thatOutlastsItsCause_becomesAnAlertOfItsOwn() {
        var problem = Problem()
        for _ in 0..<2 {
            for check in [CheckID.pmtDescriptors, .id3Malformed] { problem.violate(check) }
            problem.wait(10)
        }
        problem.book.end(.pmtDescriptors)
        for _ in 0..<8 {
            problem.violate(.id3Malformed)
            problem.wait(10)
        }
        #expect(problem.changes.count == 3, "\(problem.changes)")
        #expect(problem.changes.contains { $0.contains("raise id3.malformed") && !$0.hasSuffix(" 10") })
    }

    @Test func consequence_thatIsNotSeenAfterTheEndOfItsCause_raisesNoAlert() {
        var problem = Problem()
        for _ in 0..<2 {
            for check in [CheckID.pmtDescriptors, .id3Malformed] { problem.violate(check) }
            problem.wait(10)
        }
        problem.book.end(.pmtDescriptors)
        problem.wait(80)
        #expect(problem.changes.count == 2, "\(problem.changes)")
    }

    /// A descriptor has been missing for long when the tags begin to be damaged.
    @Test func problem_thatBeginsLongAfterAnother_isNotItsConsequence() {
        var problem = Problem()
        for _ in 0..<2 { problem.violate(.pmtDescriptors) }
        problem.wait(600)
        problem.violate(.pmtDescriptors)
        for _ in 0..<2 { problem.violate(.id3Malformed) }
        #expect(problem.changes.count == 2)
    }

    /// Each cause has its own declaration, so an explanation that leads back would hide both problems.
    @Test func explanations_neverLeadBackToTheirCheck() {
        func causes(of check: CheckID, _ path: [CheckID] = []) -> Bool {
            path.contains(check)
                || (check.declaration?.alerting.explainedBy ?? []).contains { causes(of: $0, path + [check]) }
        }
        for check in CheckID.all + CheckID.ofMonitorOnly { #expect(!causes(of: check), "\(check)") }
    }
}

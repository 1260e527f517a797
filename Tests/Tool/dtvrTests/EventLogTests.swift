import NielsenID3
import StreamHealth
import StreamMonitor
import Testing

@testable import dtvr

/// The lines that a monitor prints for its events.
@Suite struct EventLogTests {
    private static func finding(_ detail: String, channel: String = "one", at second: Int64) -> MonitorEvent {
        MonitorEvent(
            channel: channel, time: second * 1_000,
            kind: .finding(
                CheckID("time.gap"), Finding(status: .warn, place: Finding.Place(), detail: detail)))
    }

    private static func summary(at second: Int64) -> MonitorEvent {
        MonitorEvent(channel: nil, time: second * 1_000, kind: .summary(MonitorSummary()))
    }

    @Test func findingThatRepeats_isPrintedOnce_andThenCountedEveryTenMinutes() {
        var log = EventLog()
        var lines: [String] = []
        for second in Int64(0)...1_200 {
            if second % 10 == 0 { lines += log.lines(of: Self.finding("a gap", at: second)) }
            if second % 60 == 0 { lines += log.lines(of: Self.summary(at: second)) }
        }
        #expect(lines.count { $0.contains("finding") } == 1)
        #expect(lines.count { $0.contains("summary") } == 2)
        let repeats = lines.filter { $0.contains("repeats") }
        #expect(
            repeats == [
                "1970-01-01 00:10:00 UTC  one  repeats  time.gap 60 more",
                "1970-01-01 00:20:00 UTC  one  repeats  time.gap 60 more",
            ])
    }

    @Test func findingThatDidNotRepeat_isPrintedAgain() {
        var log = EventLog()
        #expect(log.lines(of: Self.finding("a gap", at: 0)).count == 1)
        _ = log.lines(of: Self.summary(at: 0))
        #expect(log.lines(of: Self.summary(at: 600)).count == 1)
        #expect(log.lines(of: Self.finding("a gap", at: 700)).count == 1)
        #expect(log.lines(of: Self.finding("a gap", channel: "two", at: 700)).count == 1)
    }

    @Test func lastSummary_isPrintedAtTheEnd() {
        var log = EventLog()
        #expect(log.lines(of: Self.summary(at: 60)) == [])
        #expect(log.finish().count == 1 && log.finish() == [])
    }

    private static func alert(_ change: (Alert) -> AlertChange, detail: String, docs: String? = nil)
        -> MonitorEvent
    {
        let alert = Alert(
            scope: .channel("one"), check: CheckID("time.gap"), since: 0, severity: .fail, detail: detail)
        return MonitorEvent(
            channel: "one", time: 60_000, kind: .alert(change(alert), evidence: nil),
            facts: AlertFacts(documentation: docs))
    }

    @Test func raisedAlert_endsWithAReferenceToItsDocumentation_evenIfTruncated() {
        var log = EventLog()
        let start = "1970-01-01 00:01:00 UTC  one  alert    "
        #expect(
            log.lines(of: Self.alert(AlertChange.raised, detail: "a gap")) == [
                start + "raised: fail time.gap: a gap; see dtvr check --explain time.gap"
            ])
        #expect(
            log.lines(of: Self.alert({ .cleared($0.ended(at: 60)) }, detail: "a gap")) == [
                start + "cleared: fail time.gap: a gap, lasted 60 s"
            ])
        let docs = "https://wiki.example/dtvr#time.gap"
        let long = log.lines(
            of: Self.alert(AlertChange.raised, detail: String(repeating: "long ", count: 100), docs: docs))
        #expect(
            long.first.map { (190...200).contains($0.count) } == true
                && long.first?.hasSuffix("; see \(docs)") == true, "\(long)")
        let farAway = "https://wiki.example/" + String(repeating: "a", count: 100)
        #expect(
            log.lines(of: Self.alert(AlertChange.raised, detail: "a gap", docs: farAway)).first?
                .hasSuffix("; see dtvr check --explain time.gap") == true)
    }

    @Test func line_hasAtMost200Characters_andNoOwnerIdentifier() throws {
        let owner = "www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/" + String(repeating: "x", count: 200)
        var log = EventLog()
        let line = try #require(log.lines(of: Self.finding("the tag \(owner) is late", at: 0)).first)
        #expect(line == "1970-01-01 00:00:00 UTC  one  finding  warn time.gap: the tag … is late")
        let long = log.lines(of: Self.finding(String(repeating: "long ", count: 100), channel: "two", at: 0))
        #expect(long.first.map { (190...200).contains($0.count) } == true)
    }

    /// A part of an id names no check.
    @Test func line_thatIsShortened_hasNoPartOfAnId() throws {
        let ids = "presence.silent sequence.step time.gap tag.count info.late playlist.stale segment.http"
        let event = Self.alert({ .raised($0) }, detail: String(repeating: "\(ids) ", count: 5))
        let line = try #require(event.textLine)
        #expect(line.count <= EventLog.maximumLineLength && line.contains("…"))
        for word in line.split(separator: " ") where word.contains(".") {
            let id = CheckID(String(word.filter { !",;:".contains($0) }))
            #expect(id.declaration != nil, "\(word)")
        }
    }

    @Test func repeatsOfManyChecks_areSeveralLines() {
        var log = EventLog()
        let checks = [
            "sequence.step", "time.gap", "tag.count", "info.late", "playlist.stale", "segment.http",
            "segment.late", "time.wall-clock", "carriage.pmt-descriptors", "playlist.target-duration",
        ]
        for _ in 1...2 {
            for check in checks {
                _ = log.lines(
                    of: MonitorEvent(
                        channel: "one", time: 0,
                        kind: .finding(
                            CheckID(check), Finding(status: .warn, place: Finding.Place(), detail: "x"))))
            }
        }
        _ = log.lines(of: Self.summary(at: 0))
        let lines = log.lines(of: Self.summary(at: 600)).filter { $0.contains("repeats") }
        #expect(lines.count > 1 && lines.allSatisfy { !$0.contains("…") })
        for check in checks { #expect(lines.contains { $0.contains("\(check) 1 more") }) }
    }
}

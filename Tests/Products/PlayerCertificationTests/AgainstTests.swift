import Foundation
import NielsenID3
import PlayerSession
import StreamHealth
import TestSupport
import Testing
import TextForms

@testable import PlayerCertification

/// The tags of a player, compared with those of the stream that it played.
@Suite(.timeLimit(.minutes(30))) struct AgainstTests {
    /// The owner identifiers of a stream of 30 minutes with a tag every ten seconds, in segments of ten seconds.
    private static let owners = (0..<180).map { number in
        "www.nielsen.com/q4Hk0mT7ZbW2s9Yx1LcVdA==/nB8fR3uE6jXo5KpGvQw0Ig==/"
            + String(repeating: "\(number % 10)", count: 8) + "\(100_000 + number * 7)"
            + String(repeating: "A", count: 150) + "/" + padded(number * 10) + "/" + padded(number * 10)
            + "/00"
    }

    private static func padded(_ number: Int) -> String {
        String(repeating: "0", count: 5 - "\(number)".count) + "\(number)"
    }

    private static func stream(_ owners: [String] = owners) -> StreamTags {
        var stream = StreamTags(of: "stream")
        for (number, owner) in owners.enumerated() {
            guard let tag = NielsenTag(ownerIdentifier: Array(owner.utf8).span) else { continue }
            stream.append(tag, position: Double(number * 10), segmentDuration: 10)
        }
        return stream
    }

    /// A log as JSON lines.
    private struct Log {
        private(set) var lines: [String] = []
        var at = 0.0

        mutating func call(_ name: String, _ argument: String? = nil) {
            lines.append(#"{"at":\#(at),"call":"\#(name)","arguments":[\#(argument ?? "")]}"#)
        }

        mutating func start() {
            call("init", #"{"appid":"T1","appname":"a","appversion":"1","sfcode":"us"}"#)
            call("play", #"{"channelName":"One"}"#)
            load()
        }

        mutating func load() { call("loadMetadata", #"{"type":"content","assetid":"A","length":"1800"}"#) }

        mutating func tag(_ owner: String) { call("sendID3", "\"\(owner)\"") }

        /// Plays seconds of the stream; `change` returns the owner identifiers to hand over for the tag with a number.
        mutating func play(_ seconds: Range<Int>, _ change: (Int) -> [String] = { [AgainstTests.owners[$0]] })
        {
            for second in seconds {
                call("playheadPosition", "\(second)")
                if second % 10 == 0 { for owner in change(second / 10) { tag(owner) } }
                at += 1
            }
        }

        func report(_ stream: StreamTags) -> CertificationReport {
            var certification = Certification(of: "log", against: stream)
            var reader = CallLogReader()
            var calls: [CallLogLine] = []
            reader.read(Array(lines.joined(separator: "\n").utf8)) { calls.append($0) }
            reader.finish { calls.append($0) }
            for call in calls { certification.observe(call) }
            return certification.finish()
        }

        /// Returns the findings of the comparison, by rule.
        func findings(_ stream: StreamTags = AgainstTests.stream()) -> [String: [String]] {
            let outcomes = report(stream).outcomes.filter {
                $0.id.rawValue.hasPrefix("against.") && $0.count > 0
            }
            return Dictionary(
                uniqueKeysWithValues: outcomes.map { ($0.id.rawValue, $0.findings.map(\.detail)) })
        }
    }

    @Test func tags_ofAPlayedStream_passEveryRule() {
        var log = Log()
        log.start()
        log.play(100..<700)
        log.call("end", "700")
        #expect(log.findings().isEmpty, "\(log.findings())")
        let outcomes = log.report(Self.stream()).outcomes.filter { $0.id.rawValue.hasPrefix("against.") }
        #expect(outcomes.count == 5 && outcomes.allSatisfy { $0.status == .pass })
    }

    /// While the user has opted out, calls are checked, except for the values that the log does not have.
    @Test func callsDuringOptOut_areChecked_exceptForTheirValues() {
        var log = Log()
        log.start()
        log.play(100..<300)
        log.call("userOptOut", "\"nielsenappsdk://1\"")
        for second in 300..<400 {
            // The logs of other programs have values, such as playheads in the background.
            if second == 350 { log.call("appInBackground") }
            if second == 360 { log.call("appInForeground") }
            log.call("playheadPosition", (350..<360).contains(second) ? "\(second)" : "null")
            if second % 10 == 0 { log.call("sendID3", "null") }
            log.at += 1
        }
        log.call("userOptOut", "\"nielsenappsdk://0\"")
        log.play(400..<600)
        log.call("end", "600")
        let violated = log.report(Self.stream()).outcomes.filter { $0.count > 0 }
        // The same rules fail without an opt-out: the id of the app and the tags are invented.
        #expect(
            violated.map(\.id.rawValue) == [
                "start.app-id", "order.calls", "tag.form", "interruption.background",
            ], "\(violated.map(\.id))")
        #expect(violated.first { $0.id.rawValue == "tag.form" }?.count == 40)
        #expect(log.findings().isEmpty, "\(log.findings())")
    }

    @Test func streamRules_withoutAStream_doNotRun_andNameTheMissingOption() throws {
        let report = try RuleTests.report(onLog: "tag.once.pass")
        let outcomes = report.outcomes.filter { $0.id.rawValue.hasPrefix("against.") }
        #expect(outcomes.allSatisfy { $0.status == .notRun && $0.reason?.contains("--against") == true })
    }

    @Test func droppedTag_isReportedAsMissing_atTheNextTag() throws {
        var log = Log()
        log.start()
        log.play(100..<700) { $0 == 30 || $0 == 31 ? [] : [Self.owners[$0]] }
        log.call("end", "700")
        #expect(
            log.findings() == [
                "against.missing": [
                    "the tag at 5:00 of the stream was not handed over: \(Self.owners[30])",
                    "the tag at 5:10 of the stream was not handed over: \(Self.owners[31])",
                ]
            ], "\(log.findings())")
        let outcome = try #require(
            log.report(Self.stream()).outcomes.first { $0.id.rawValue == "against.missing" })
        #expect(outcome.findings.first?.place.call?.at == 220)
    }

    /// The playhead has passed tags after the last one that was handed over.
    @Test func tags_thatStop_areReportedAsMissing() {
        var log = Log()
        log.start()
        log.play(100..<400) { $0 >= 35 ? [] : [Self.owners[$0]] }
        #expect(log.findings()["against.missing"]?.count == 4, "\(log.findings())")
    }

    @Test func lateTag_isReportedAsLate_andNotMissing() {
        var log = Log()
        log.start()
        log.play(100..<400) { number in
            switch number {
            case 20: []
            case 23: [Self.owners[23], Self.owners[20]]
            default: [Self.owners[number]]
            }
        }
        log.call("end", "400")
        let findings = log.findings()
        #expect(Set(findings.keys) == ["against.late"] && findings["against.late"]?.count == 1, "\(findings)")
        #expect(findings["against.late"]?.first?.contains("30 s more of playback pass") == true)
    }

    @Test func repeatedTag_isReported_unlessTheUserSeeksBack() {
        var log = Log()
        log.start()
        log.play(100..<400) { $0 == 25 ? [Self.owners[25], Self.owners[22]] : [Self.owners[$0]] }
        log.call("stop", "400")
        log.load()
        log.play(200..<300)
        log.call("end", "300")
        #expect(Set(log.findings().keys) == ["against.twice"], "\(log.findings())")
        #expect(log.findings()["against.twice"]?.count == 1)
    }

    @Test func alteredTag_isReportedAsAltered_andNotMissing() {
        var log = Log()
        log.start()
        log.play(100..<400) { number in
            let owner = Self.owners[number]
            return [number == 20 ? owner.replacing("AAAA/", with: "AAAB/") : owner]
        }
        log.call("end", "400")
        #expect(
            log.findings() == [
                "against.altered": [
                    "the tag at 3:20 of the stream was altered: \(Self.owners[20].replacing("AAAA/", with: "AAAB/"))"
                ]
            ],
            "\(log.findings())")
    }

    /// The rule `tag.form` reports the missing zeros.
    @Test func tag_withoutLeadingZeros_isFoundInTheStream() {
        var log = Log()
        log.start()
        log.play(100..<400) { number in
            [
                number == 20
                    ? Self.owners[20].replacing("/00200/00200/", with: "/200/200/") : Self.owners[number]
            ]
        }
        log.call("end", "400")
        #expect(log.findings().isEmpty, "\(log.findings())")
    }

    @Test func tag_ofAnotherStream_isForeign() {
        var log = Log()
        log.start()
        let other = Self.owners[150].replacing("q4Hk0mT7ZbW2s9Yx1LcVdA", with: "Zb4Hk0mT7Wq2s9Yx1LcVdA")
            .replacing("7777", with: "8888").replacing("A/0", with: "B/1")
        log.play(100..<400) { $0 == 25 ? [Self.owners[25], other + "9"] : [Self.owners[$0]] }
        log.call("end", "400")
        #expect(
            log.findings() == ["against.foreign": ["the stream has no such tag: \(other)9"]],
            "\(log.findings())")
    }

    /// Only the tags in the played ranges are expected.
    @Test func seekForward_reportsNoMissingTags() {
        var log = Log()
        log.start()
        log.play(0..<200)
        log.call("stop", "200")
        log.load()
        log.play(1_000..<1_200)
        log.call("end", "1200")
        #expect(log.findings().isEmpty, "\(log.findings())")
    }

    /// A jump of the playhead by more than 5 s begins another stretch, in which tags are handed over again.
    @Test(arguments: [
        (-5, true), (-6, false), (-20, false), (-49, false), (-51, false), (5, true), (6, false),
    ])
    func jumpOfThePlayhead_beginsAnotherStretch_ifItIsLongerThanFiveSeconds(seconds: Int, isTwice: Bool) {
        var log = Log()
        log.start()
        log.play(200..<303)
        log.call("playheadPosition", "\(303 + seconds)")
        log.tag(Self.owners[29])
        log.call("end", "\(303 + seconds)")
        #expect((log.findings()["against.twice"] != nil) == isTwice, "\(log.findings())")
    }

    @Test func report_hasTheCountsOfEachViewingSession() throws {
        var log = Log()
        log.start()
        log.play(100..<300)
        log.call("end", "300")
        log.call("play", #"{"channelName":"One"}"#)
        log.load()
        log.play(400..<600) { $0 == 50 ? [] : [Self.owners[$0]] }
        log.call("end", "600")
        var writer = JSONWriter()
        writer.beginObject()
        log.report(Self.stream()).writeMembers(to: &writer)
        writer.endObject()
        let object = try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any]
        let against = try #require(object?["against"] as? [String: Any])
        #expect(against["tags"] as? Int == 180)
        let sessions = try #require(against["sessions"] as? [[String: Any]])
        #expect(sessions.map { $0["handed"] as? Int } == [20, 19])
        #expect(sessions.map { $0["missing"] as? Int } == [0, 1])
        #expect(sessions.map { $0["viewing"] as? Int } == [1, 2])
    }

    /// A player that was recorded for longer than a live playlist lists its stream.
    @Test func tags_outsideTheWindowOfALivePlaylist_areNotCompared() throws {
        var log = Log()
        log.start()
        log.play(100..<700)
        log.call("end", "700")
        var window = Self.stream(Array(Self.owners[30..<50]))
        #expect(!log.findings(window).isEmpty)
        window.isWindow = true
        let report = log.report(window)
        #expect(log.findings(window).isEmpty, "\(log.findings(window))")
        #expect(
            report.facts.contains { $0.contains("40 outside the window: not compared") }, "\(report.facts)")
        // A tag within the window that the stream lacks is from elsewhere.
        log = Log()
        log.start()
        let other =
            Self.owners[150].replacing("q4Hk0mT7ZbW2s9Yx1LcVdA", with: "Zb4Hk0mT7Wq2s9Yx1LcVdA")
            .replacing("7777", with: "8888").replacing("A/0", with: "B/1") + "9"
        log.play(100..<700) { $0 == 40 ? [other] : [Self.owners[$0]] }
        #expect(log.findings(window)["against.foreign"]?.count == 1, "\(log.findings(window))")
    }

    /// Tags with times are placed by them, and not by the order of the calls.
    @Test func tagsWithTimes_areComparedByTheTimesOfTheWindow() throws {
        func tag(_ owner: String) throws -> NielsenTag {
            let tag = NielsenTag(ownerIdentifier: Array(owner.utf8).span)
            return try #require(tag)
        }
        var window = StreamTags(of: "stream")
        window.append(try tag(Samples.data2015), position: 0, segmentDuration: 10)
        window.isWindow = true
        #expect(window.isOutside(try tag(Samples.data2017), after: nil))
        #expect(!window.isOutside(try tag(Samples.data2015), after: nil))
    }
}

import CollectorService
import Foundation
import TestSupport
import Testing

@testable import PlayerSession

/// The record of the playback of each asset, written when the playback ends.
@Suite(.timeLimit(.minutes(30))) struct SessionRecordTests {
    private typealias Calls = RecordedCalls

    private static let play = SessionCall(.play, [["channelName": "One", "dataSrc": "cms"]])

    private static func playbacks(_ calls: [SessionCall], sendsOptedOut: Bool = false) throws -> [[String:
        Any]]
    {
        try Calls.records(of: calls, SessionPolicy(sendsOptedOut: sendsOptedOut)).records("session")
    }

    @Test func consecutiveAssets_haveOneRecordEach() throws {
        let playbacks = try Self.playbacks([
            Self.play, Calls.load("A"), Calls.playhead(0), Calls.playhead(1), Calls.playhead(1.5),
            Calls.load("AD", "midroll"), Calls.playhead(0), Calls.playhead(1), SessionCall(.stop, [2]),
            Calls.load("B"), Calls.playhead(3), Calls.playhead(4), SessionCall(.end, [5]),
        ])
        #expect(playbacks.map { $0.text("asset") } == ["A", "AD", "B"])
        #expect(playbacks.map { $0.text("type") } == ["content", "midroll", "content"])
        #expect(playbacks.map { $0.number("order") } == [0, 1, 2])
        #expect(playbacks.map { $0.number("first_playhead") } == [0, 0, 3])
        #expect(playbacks.map { $0.number("watched") } == [1.5, 2, 2])
        #expect(playbacks.map { $0.number("playhead") } == [1.5, 2, 5])
        #expect(playbacks.allSatisfy { $0.text("channel") == "One" && $0["opted_out"] == nil })
        #expect(Set(playbacks.map { $0.text("session") }).count == 1)
        #expect(Set(playbacks.map { $0.text("asset_play") }).count == 3)
    }

    /// The watched time excludes jumps back, and jumps forward by more than the elapsed time.
    @Test func jumps_areExcludedFromWatchedTime() throws {
        let playbacks = try Self.playbacks([
            Self.play, Calls.load("A"), Calls.playhead(10), Calls.playhead(12), Calls.playhead(2),
            Calls.playhead(3), Calls.playhead(500), Calls.playhead(501), SessionCall(.end),
        ])
        #expect(playbacks.map { $0.number("watched") } == [1 + 1 + 1])
        #expect(playbacks.first?.number("first_playhead") == 10)
        #expect(playbacks.first?.number("playhead") == 501)
    }

    static let endings: [(name: String, calls: [SessionCall], count: Int)] = [
        ("end", [SessionCall(.end)], 1),
        ("another channel", [SessionCall(.play, [["channelName": "Two"]])], 1),
        ("background", [SessionCall(.appInBackground), SessionCall(.appInForeground), SessionCall(.end)], 1),
        (
            "background, then more playheads",
            [
                SessionCall(.appInBackground), SessionCall(.appInForeground), RecordedCalls.playhead(3),
                RecordedCalls.playhead(4), SessionCall(.end),
            ], 2
        ),
        ("disabled", [SessionCall(.appDisableApi, [true])], 1),
        ("free", [SessionCall(.free)], 1),
        ("the user's choice", [SessionCall(.userOptOut, ["nielsenappsdk://1"]), SessionCall(.end)], 1),
        ("stop, which ends nothing", [SessionCall(.stop)], 0),
        ("the same metadata", [RecordedCalls.load("A")], 0),
        ("a tag and the end", [RecordedCalls.tag("a"), SessionCall(.end)], 1),
        ("another source", [SessionCall(.play, [["dataSrc": "id3"]]), SessionCall(.end)], 1),
    ]

    @Test(arguments: endings.indices)
    func asset_isRecordedWhenItEnds(index: Int) throws {
        let ending = Self.endings[index]
        let calls = [Self.play, Calls.load("A"), Calls.playhead(1), Calls.playhead(2)] + ending.calls
        #expect(try Self.playbacks(calls).count == ending.count, "\(ending.name)")
    }

    /// Neither the data source nor tags affect whether there is a record.
    @Test func asset_fromAnyDataSource_isRecorded_butNotWithoutPlayhead() throws {
        let played = [Calls.load("A"), Calls.playhead(1), Calls.playhead(2), SessionCall(.end)]
        #expect(try Self.playbacks([SessionCall(.play, [["channelName": "One"]])] + played).count == 1)
        #expect(try Self.playbacks(played).count == 1)
        let id3 = SessionCall(.play, [["channelName": "One", "dataSrc": "id3"]])
        #expect(try Self.playbacks([id3, Calls.tag("a")] + played).count == 1)
        #expect(try Self.playbacks([Self.play, Calls.load("A"), SessionCall(.end)]).isEmpty)
        #expect(try Self.playbacks([Self.play, Calls.load("A"), Calls.tag("a"), SessionCall(.end)]).isEmpty)
    }

    /// A position that a call passes while nothing plays belongs to no asset.
    @Test func position_whileNothingPlays_isIgnored() throws {
        let made = try Calls.records(
            of: [
                Self.play, Calls.load("A"), Calls.playhead(1), SessionCall(.end, [2]),
                SessionCall(.stop, [900]),
                Calls.playhead(901), Self.play, Calls.load("B"), Calls.playhead(0), Calls.playhead(1),
                SessionCall(.end),
            ])
        #expect(made.records("session").map { $0.number("first_playhead") } == [1, 0])
        #expect(made.results[4].outcome == .ignored && made.results[5].outcome == .ignored)
        #expect(made.results[4].findings.contains(.notMeasured))
        #expect(made.results[5].findings.contains(.notMeasured))
    }

    @Test func pauses_areRecordedWithTimes_andAnUnfinishedLastPauseIsIgnored() throws {
        var made = RecordedCalls()
        try made.make([Self.play, Calls.load("A"), Calls.playhead(0), Calls.playhead(1), SessionCall(.pause)])
        try made.make([Calls.playhead(1)], after: .seconds(60))
        try made.make([SessionCall(.stop, [2]), Calls.load("A"), Calls.playhead(2)])
        // More than half an hour without a call counts as a pause.
        try made.make([Calls.playhead(3)], after: .seconds(1_801))
        try made.make([SessionCall(.stop), SessionCall(.end)])
        let playback = try #require(made.records("session").first)
        #expect(playback.list("pauses").map { $0.number("seconds") } == [60, 2, 1_801])
        #expect(playback.list("pauses").map { $0.number("playhead") } == [1, 2, 2])
        #expect(playback.number("pause_count") == 3)
        #expect(playback.list("pauses").first?.text("at") == "2026-09-21T14:13:25.000Z")
        #expect(playback.text("started") == "2026-09-21T14:13:23.000Z")
        #expect(playback.text("ended") == "2026-09-21T14:44:29.000Z")
        #expect(playback.number("watched") == 2)
    }

    @Test func pauseEvent_isRecorded() throws {
        func event(_ kind: String, _ playhead: Int) -> SessionCall {
            SessionCall(
                .trackEvent,
                [
                    [
                        "event": .text(kind), "type": "content", "playheadPosition": .text("\(playhead)"),
                        "metadata": ["content": ["type": "content", "assetid": "A"]],
                    ]
                ])
        }
        var made = RecordedCalls()
        try made.make([event("playhead", 0), event("playhead", 1), event("pause", 2)])
        try made.make([event("playhead", 2)], after: .seconds(60))
        try made.make([event("complete", 3)])
        let playback = try #require(made.records("session").first)
        #expect(playback.list("pauses").map { $0.number("seconds") } == [60])
        #expect(playback.list("pauses").map { $0.number("playhead") } == [2])
        #expect(playback.number("watched") == 3)
    }

    @Test func optedOutUser_hasARecordOnlyIfConfiguredToBeSent() throws {
        let calls = [
            SessionCall(.userOptOut, ["nielsenappsdk://1"]), Self.play, Calls.load("A"), Calls.playhead(1),
            SessionCall(.end),
        ]
        #expect(try Self.playbacks(calls).isEmpty)
        let sent = try Self.playbacks(calls, sendsOptedOut: true)
        #expect(sent.count == 1 && sent.first?["opted_out"] as? Bool == true)
    }

    /// The records reach the collector, and do not change the counts of tags.
    @Test func records_areDelivered_andNotCountedAsTags() async throws {
        let folder = try TemporaryFolder()
        let collector = try Collector(settings: CollectorSettings(folder: folder.path + "/collected"))
        let file = folder.path + "/configuration.json"
        try #"{"collectors":{"us":"\#(collector.url)"},"uploadInterval":0.1}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        var options = SessionOptions(directory: folder.path + "/store")
        options.configuration = .file(path: file)
        let clock = ManualClock()
        let session = MeasurementSession(options: options, clock: clock)
        session.initialize(["appid": "T1", "appname": "App", "appversion": "1"])
        session.call(Self.play)
        session.call(Calls.load("A"))
        session.playheadPosition(1)
        clock.advance(by: .seconds(2))
        session.playheadPosition(3)
        session.call(Calls.load("B"))
        session.playheadPosition(0)
        session.end()
        #expect(await session.flush())
        #expect(session.counts.handed == 0 && session.counts.stored == 0 && session.counts.isConserved)
        #expect(session.storage.summaries == 5 && session.storage.accepted == 0)
        #expect(session.bufferTotals?.accepted == 5)
        try await wait(
            for: "the records",
            asking: {
                clock.advance(by: .milliseconds(100))
                return collector.status.accepted == 5
            })
        await session.finish()
        collector.stop()
        // The last one, of how long the app ran, may wait for the next launch.
        let records = try folder.records(of: "collected")
        #expect(records.prefix(5).map { $0.text("kind") } == ["app", "asset", "session", "asset", "session"])
        #expect(records.prefix(5).map { $0.text("asset") } == [nil, "A", "A", "B", "B"])
        #expect(records.compactMap { $0.number("watched") } == [2, 0])
        #expect(records.allSatisfy { $0["owner"] == nil })
        #expect(RecordReferences.objections(records).isEmpty)
    }
}

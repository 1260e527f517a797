import CollectorService
import Foundation
import MarketProfiles
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import PlayerSession

/// Viewing sessions that go by playheads alone: each asset's summary is kept once it is over, and counts as no tag.
@Suite(.timeLimit(.minutes(30))) struct SessionSummaryTests {
    private static let cms = SessionCall(.play, [["channelName": "One", "dataSrc": "cms"]])

    private static func load(_ asset: String, _ type: String = "content") -> SessionCall {
        SessionCall(.loadMetadata, [["type": .text(type), "assetid": .text(asset)]])
    }

    private static func playhead(_ seconds: Double) -> SessionCall {
        SessionCall(.playheadPosition, [.number(seconds)])
    }

    /// The summaries that come of calls, a second apart.
    private static func summaries(of calls: [SessionCall], sendsOptedOut: Bool = false) -> [AssetSummary] {
        var machine = SessionMachineTests.machine(sendsOptedOut: sendsOptedOut)
        var now = Duration.zero
        return calls.flatMap { call in
            now += .seconds(1)
            return machine.handle(call, at: now).writes.compactMap { write -> AssetSummary? in
                guard case .store(.summary(let summary)) = write else { return nil }
                return summary
            }
        }
    }

    @Test func assets_oneAfterTheOther_areEachSummarizedOnce() {
        let calls = [
            Self.cms, Self.load("A"), Self.playhead(0), Self.playhead(1), Self.playhead(2.5),
            Self.load("AD", "midroll"), Self.playhead(0), Self.playhead(15), SessionCall(.stop, [16]),
            Self.load("B"), Self.playhead(3), Self.playhead(4), SessionCall(.end, [5]),
        ]
        let summaries = Self.summaries(of: calls)
        #expect(summaries.map(\.session.asset) == ["A", "AD", "B"])
        #expect(summaries.map(\.session.assetType) == ["content", "midroll", "content"])
        #expect(summaries.map(\.session.order) == [0, 1, 2])
        #expect(summaries.map(\.firstPlayhead) == [0, 0, 3] && summaries.map(\.watched) == [2.5, 16, 2])
        #expect(summaries.map(\.session.playhead) == [2.5, 16, 5])
        #expect(summaries.allSatisfy { $0.session.channel == "One" && $0.session.optedOutStore == nil })
        #expect(Set(summaries.map(\.session.id)).count == 1)
    }

    /// Jumps are not watched: neither back, nor further forward than time passed.
    @Test func jumps_areNotWatched() {
        let calls = [
            Self.cms, Self.load("A"), Self.playhead(10), Self.playhead(12), Self.playhead(2),
            Self.playhead(3), Self.playhead(500), Self.playhead(501), SessionCall(.end),
        ]
        let summaries = Self.summaries(of: calls)
        #expect(summaries.map(\.watched) == [2 + 1 + 1])
        #expect(summaries.first?.firstPlayhead == 10 && summaries.first?.session.playhead == 501)
    }

    static let endings: [(name: String, calls: [SessionCall], count: Int)] = [
        ("end", [SessionCall(.end)], 1),
        ("another channel", [SessionCall(.play, [["channelName": "Two"]])], 1),
        ("background", [SessionCall(.appInBackground), SessionCall(.appInForeground), SessionCall(.end)], 1),
        (
            "background, and it goes on",
            [
                SessionCall(.appInBackground), SessionCall(.appInForeground), playhead(3), playhead(4),
                SessionCall(.end),
            ], 2
        ),
        ("disabled", [SessionCall(.appDisableApi, [true])], 1),
        ("free", [SessionCall(.free)], 1),
        ("the user's choice", [SessionCall(.userOptOut, ["nielsenappsdk://1"]), SessionCall(.end)], 1),
        ("stop, which ends nothing", [SessionCall(.stop)], 0),
        ("the same metadata", [load("A")], 0),
        ("a tag", [SessionCall(.sendID3, ["www.nielsen.com/a"]), SessionCall(.end)], 0),
        ("another source", [SessionCall(.play, [["dataSrc": "id3"]]), SessionCall(.end)], 0),
    ]

    @Test(arguments: endings.indices)
    func asset_isSummarized_whereItEnds(index: Int) {
        let ending = Self.endings[index]
        let calls = [Self.cms, Self.load("A"), Self.playhead(1), Self.playhead(2)] + ending.calls
        #expect(Self.summaries(of: calls).count == ending.count, "\(ending.name)")
    }

    @Test func session_withoutTheSource_orWithoutAPlayhead_hasNoSummary() {
        let played = [Self.load("A"), Self.playhead(1), Self.playhead(2), SessionCall(.end)]
        #expect(Self.summaries(of: [SessionCall(.play, [["channelName": "One"]])] + played).isEmpty)
        #expect(Self.summaries(of: [Self.cms, Self.load("A"), SessionCall(.end)]).isEmpty)
        // The metadata may say it as well, and capitals do not matter.
        let load = SessionCall(.loadMetadata, [["type": "content", "assetid": "A", "dataSRC": "CMS"]])
        #expect(Self.summaries(of: [load, Self.playhead(1), SessionCall(.end)]).count == 1)
    }

    @Test func userWhoIsOut_hasASummaryOnlyWhereTheyAreSent() {
        let calls = [
            SessionCall(.userOptOut, ["nielsenappsdk://1"]), Self.cms, Self.load("A"), Self.playhead(1),
            SessionCall(.end),
        ]
        #expect(Self.summaries(of: calls).isEmpty)
        let sent = Self.summaries(of: calls, sendsOptedOut: true)
        #expect(sent.count == 1 && sent.first?.session.optedOutStore != nil)
    }

    /// What reaches the collector, and what the numbers of tags say: nothing of it.
    @Test func summaries_areDelivered_andAreNoTags() async throws {
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
        session.call(Self.cms)
        session.call(Self.load("A"))
        session.playheadPosition(1)
        clock.advance(by: .seconds(2))
        session.playheadPosition(3)
        session.call(Self.load("B"))
        session.playheadPosition(0)
        session.end()
        #expect(await session.flush())
        #expect(session.counts.handed == 0 && session.counts.stored == 0 && session.counts.isConserved)
        #expect(session.storage.summaries == 2 && session.storage.accepted == 0)
        #expect(session.bufferTotals?.accepted == 2)
        try await wait(
            for: "the summaries",
            asking: {
                clock.advance(by: .milliseconds(100))
                return collector.status.accepted == 2
            })
        await session.finish()
        collector.stop()
        let records = try folder.records(of: "collected")
        #expect(records.map { $0["kind"] as? String } == ["session", "session"])
        #expect(records.map { $0["asset"] as? String } == ["A", "B"])
        #expect(records.map { $0["watched"] as? Double } == [2, 0])
        #expect(records.allSatisfy { $0["owner"] == nil && $0["channel"] as? String == "One" })
        #expect(Set(records.compactMap { $0["id"] as? String }).count == 2)
    }
}

import Foundation
import Testing

@testable import PlayerSession

/// Reports about volume, mute, screens and viewability are validated.
///
/// They are in the record of the playback, or count as not measured.
@Suite struct DeviceRecordTests {
    private typealias Calls = RecordedCalls

    private static let start = [
        SessionCall(.play, [["channelName": "One"]]), RecordedCalls.load("A"), RecordedCalls.playhead(0),
    ]

    private static func call(_ name: CallName, _ argument: MetadataValue) -> SessionCall {
        SessionCall(name, [argument])
    }

    @Test func deviceChanges_areRecorded_withTheirPlayheads() throws {
        let made = try Calls.records(
            of: [Self.call(.setVolume, 40)] + Self.start + [
                Self.call(.setVolume, 0), Self.call(.setVolume, 0), Calls.playhead(4),
                Self.call(.setMute, true),
                Self.call(.setMute, "false"),
                Self.call(
                    .updateOTT, ["ottStatus": "1", "ottType": "airplay", "ottDevice": "appleTV", "own": 1]),
                Calls.playhead(5), Self.call(.updateOTT, ["ottStatus": 0]), SessionCall(.end),
            ])
        #expect(made.results.allSatisfy { !$0.findings.contains(.notMeasured) })
        let playback = try #require(made.records("session").first)
        // The volume that was set before playback applies to the first playhead.
        #expect(playback.list("volume").map { $0.number("percent") } == [40, 0])
        #expect(playback.list("volume").map { $0.number("playhead") } == [0, 0])
        #expect(playback.list("mute").map { $0["muted"] as? Bool } == [true, false])
        #expect(playback.list("mute").map { $0.number("playhead") } == [4, 4])
        #expect(playback.list("ott").map { $0.number("playhead") } == [4, 5])
        #expect(
            playback.list("ott")[0].text("ottDevice") == "appleTV"
                && playback.list("ott")[0].number("own") == 1)
        #expect(playback.list("ott")[1].number("ottStatus") == 0)
    }

    @Test func ottData_ofTheSimplifiedAPI_isRecorded() throws {
        let event: MetadataValue = [
            "event": "playhead", "type": "content", "metadata": ["content": ["assetid": "A"]],
            "playheadPosition": "10",
            "ottData": [
                "ottStatus": 1, "ottType": "casting", "ottDevice": "chromecast", "ottDeviceID": 1234,
            ],
        ]
        let made = try Calls.records(
            of: [SessionCall(.trackEvent, [event]), SessionCall(.trackEvent, [event]), SessionCall(.end)])
        let screens = made.records("session").first?.list("ott") ?? []
        #expect(screens.count == 1 && screens.first?.number("ottDeviceID") == 1234)
        #expect(!made.machine.findings.keys.contains(.keyValue))
    }

    /// Reports about the device are recorded even if the player hands over tags without playheads.
    @Test func deviceChanges_withoutPlayhead_areRecorded() throws {
        let made = try Calls.records(
            of: [
                SessionCall(.play, [["channelName": "One"]]), Calls.load("A"), Calls.tag("a"),
                Self.call(.updateOTT, ["ottStatus": "1"]), SessionCall(.end),
            ])
        #expect(made.kinds == ["asset", "tag", "session"])
        #expect(made.records[2]["playhead"] == nil && made.records[2].list("ott").count == 1)
    }

    static let viewability: MetadataValue = [
        "invs": [[50, 1, 1_528_457_356, 10], [100, 11, 1_528_457_366, 5]],
        "inau": [30, 1, 1_528_457_356, 10],
        "inss": ["1024x768", 1, 1_528_457_356, 10], "INVP": [["800x600", 70_100, 1_528_457_356, 10]],
        "ines": ["300x200", "1", "1528457356", "10"], "containerId": "player-1",
    ]

    @Test func viewabilitySeries_areRecorded() throws {
        let made = try Calls.records(
            of: Self.start + [Self.call(.trackViewability, Self.viewability), SessionCall(.end)])
        let playback = try #require(made.records("session").first)
        #expect(
            playback["invs"] as? NSArray
                == [[50, 1, 1_528_457_356, 10], [100, 11, 1_528_457_366, 5]] as NSArray)
        #expect(playback["inss"] as? NSArray == [["1024x768", 1, 1_528_457_356, 10]] as NSArray)
        #expect((playback["inau"] as? NSArray)?.count == 1 && (playback["invp"] as? NSArray)?.count == 1)
        #expect((playback["ines"] as? NSArray)?.count == 1)
        #expect(playback.object("viewability").text("containerId") == "player-1")
    }

    static let invalid: [(call: CallName, argument: MetadataValue, finding: SessionFinding)] = [
        (.setVolume, "loud", .valueType), (.setVolume, 101, .keyValue), (.setVolume, -1, .keyValue),
        (.setVolume, nil, .valueType), (.setMute, 7, .valueType), (.updateOTT, "on", .valueType),
        (.updateOTT, [1], .valueType), (.trackViewability, [1], .valueType),
        (.trackViewability, ["invs": [101, 1, 1, 1]], .keyValue),
        (.trackViewability, ["inau": [-1, 1, 1, 1]], .keyValue),
        (.trackViewability, ["invs": [50, 1, 1]], .keyValue),
        (.trackViewability, ["invs": [50, -1, 1, 1]], .keyValue),
        (.trackViewability, ["inss": [1_024, 1, 1, 1]], .keyValue),
        (.trackViewability, ["invp": ["800", 1, 1, 1]], .keyValue),
        (.trackViewability, ["ines": ["axb", 1, 1, 1]], .keyValue),
        (.trackViewability, ["ines": ["1x2x3", 1, 1, 1]], .keyValue),
    ]

    @Test(arguments: invalid.indices) func value_notAllowedByTheGuides_isNotMeasured(index: Int) throws {
        let example = Self.invalid[index]
        var made = Calls()
        try made.make(Self.start + [Self.call(example.call, example.argument)])
        let result = try #require(made.results.last)
        #expect(result.outcome == .ignored)
        #expect(Set(result.findings) == [example.finding, .notMeasured], "\(example)")
        try made.make([SessionCall(.end)])
        let playback = try #require(made.records("session").first)
        for key in ["volume", "mute", "ott", "invs", "inau", "inss", "invp", "ines"] {
            #expect(playback[key] == nil, "\(example)")
        }
    }

    /// A value that no guide lists is a finding, and is recorded anyway.
    @Test func ottUpdate_withUnlistedValues_isRecordedWithFinding() throws {
        let calls = [
            Self.call(.updateOTT, ["ottStatus": "2"]), Self.call(.updateOTT, ["ottType": "airplay"]),
            Self.call(.updateOTT, ["ottStatus": "1", "ottType": "dlna", "ottDevice": "other"]),
        ]
        var made = Calls()
        try made.make(Self.start + calls + [SessionCall(.end)])
        #expect(made.results[3...5].map(\.findings) == [[.keyValue], [.keyMissing], [.keyValue]])
        #expect(made.results.allSatisfy { $0.outcome == .done })
        #expect(made.records("session").first?.list("ott").count == 3)
    }

    @Test func call_withoutRecordForItsContent_isNotMeasured() throws {
        let idle = try Calls.records(
            of: [
                Self.call(.trackViewability, Self.viewability), Self.call(.updateMetadata, ["title": "A"]),
                Calls.playhead(1), SessionCall(.pause, [1]),
            ])
        #expect(idle.results.allSatisfy { $0.outcome == .ignored && $0.findings.contains(.notMeasured) })
        #expect(idle.records.isEmpty)
        let disabled = try Calls.records(
            of: [Self.call(.appDisableApi, true), Calls.load("A"), Self.call(.setVolume, 1)])
        #expect(
            disabled.results[1...].allSatisfy { $0.outcome == .discarded && $0.findings == [.notMeasured] })
        var policy = SessionPolicy()
        policy.keepsRecords = false
        let tags = try Calls.records(
            of: Self.start + [
                Self.call(.setVolume, 1), Self.call(.updateOTT, ["ottStatus": 1]), Calls.tag("a"),
                Self.call(.trackViewability, Self.viewability), SessionCall(.end),
            ], policy)
        #expect(tags.kinds == ["tag"])
        for index in [3, 4, 6] {
            #expect(tags.results[index].outcome == .ignored, "\(index)")
            #expect(tags.results[index].findings.contains(.notMeasured), "\(index)")
        }
    }

    @Test func lists_beyondTheirLimit_areMarkedAsTruncated() throws {
        var calls = Self.start
        for index in 0..<5_000 {
            calls.append(Self.call(.setVolume, .number(Double(index % 100))))
            calls.append(Self.call(.trackViewability, ["invs": [.number(Double(index % 100)), 1, 1, 1]]))
            calls.append(
                Self.call(
                    .updateOTT,
                    [
                        "ottStatus": .number(Double(index % 2)),
                        "own": .text(String(repeating: "x", count: 99)),
                    ]))
        }
        var made = Calls()
        try made.make(calls)
        #expect(made.results.last?.outcome == .ignored)
        #expect(made.results.last?.findings == [.notMeasured])
        try made.make([SessionCall(.end)])
        let playback = try #require(made.records("session").first)
        #expect(playback["truncated"] as? [String] == ["volume", "ott", "invs"])
        #expect(made.lines.last.map { $0.utf8.count < 16_384 } == true)
        #expect(playback.list("volume").count > 20 && playback.list("ott").count > 20)
    }
}

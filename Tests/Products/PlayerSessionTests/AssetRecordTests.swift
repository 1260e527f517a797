import Foundation
import TestSupport
import Testing

@testable import PlayerSession

/// The records of the app and of its assets, and the references of tags to them.
@Suite(.timeLimit(.minutes(30))) struct AssetRecordTests {
    private typealias Calls = RecordedCalls

    private static let start = SessionCall(.initialize, [RecordedCalls.appInformation])
    private static let play = SessionCall(.play, [["channelName": "One", "adModel": "2", "Own": 7]])
    private static let free = SessionCall(.free)

    // MARK: The app

    @Test func app_isRecordedOnce_beforeItsOtherRecords_withAllKeys() throws {
        let made = try Calls.records(of: [
            Self.start, Self.play, Calls.load("A"), Calls.tag("a"), Calls.tag("b"),
        ])
        #expect(made.kinds == ["app", "asset", "tag", "tag"])
        let app = made.records[0]
        #expect(app.text("market") == "us" && app["opted_out"] as? Bool == false)
        #expect(app.text("library") == MeasurementSession.meterVersion && app["session"] == nil)
        let information = app.object("app")
        #expect(information.text("appid") == "T1" && information.text("appversion") == "1.0")
        #expect(information.number("latitude") == 59.9 && information.text("deviceId") == "device-1")
        #expect(information["Own-Key"] as? NSArray == [1, ["uoo": "x", "kept": true]] as NSArray)
        #expect(Set(made.records.map { $0.text("app_session") }).count == 1)
        #expect(RecordReferences.objections(made.records).isEmpty)
    }

    @Test func app_withAnotherIDOrAfterFree_isAnotherAppSession() throws {
        let again = SessionCall(.initialize, [["appid": "T2"]])
        let made = try Calls.records(
            of: [
                Self.start, Calls.tag("a"), Self.start, Calls.tag("b"), again, Calls.tag("c"), Self.free,
                Calls.tag("d"), Self.start, Calls.tag("e"),
            ])
        #expect(
            made.kinds == ["app", "tag", "tag", "run", "app", "tag", "run", "tag", "app", "tag"])
        #expect(made.records("app").map { $0.object("app").text("appid") } == ["T1", "T2", "T1"])
        #expect(Set(made.records("app").map { $0.text("app_session") }).count == 3)
        // Between `free` and `init` there is no app session.
        #expect(made.records("tag").map { $0["app_session"] == nil } == [false, false, false, true, false])
    }

    // MARK: Assets

    @Test func asset_includesAllMetadataOfTheApp_andItsTagsReferToIt() throws {
        let metadata: MetadataValue = [
            "type": "content", "assetid": "A", "title": "Eins", "length": 360, "own": ["deep": [true, nil]],
            "TITLE": "Zwei",
        ]
        let made = try Calls.records(
            of: [Self.play, SessionCall(.loadMetadata, [metadata]), Calls.tag("a"), SessionCall(.end)])
        #expect(made.kinds == ["asset", "tag"])
        let asset = made.records[0]
        #expect(
            asset.text("channel") == "One" && asset.text("asset") == "A" && asset.text("type") == "content")
        #expect(
            asset.object("channel_info") as NSDictionary
                == ["channelName": "One", "adModel": "2", "Own": 7] as NSDictionary)
        // If two members have the same key, without regard to case, the last one applies.
        #expect(
            asset.object("metadata") as NSDictionary
                == [
                    "type": "content", "assetid": "A", "length": 360, "own": ["deep": [true, NSNull()]],
                    "TITLE": "Zwei",
                ] as NSDictionary)
        for key in ["session", "asset_play"] {
            #expect(asset.text(key) != nil && made.records[1].text(key) == asset.text(key))
        }
        #expect(asset["truncated"] == nil)
    }

    @Test func asset_withMappedKeys_hasStandardKeys() throws {
        var policy = SessionPolicy()
        policy.names = ["episodename": "title"]
        let load = SessionCall(.loadMetadata, [["type": "content", "EpisodeName": "Eins"]])
        let made = try Calls.records(of: [load, Calls.tag("a")], policy)
        #expect(made.records[0].object("metadata").text("title") == "Eins")
    }

    /// Guide 002, 3.4: `loadMetadata` comes before `play`, which completes it.
    @Test func asset_loadedBeforePlay_isRecordedAtPlay() throws {
        var made = Calls()
        try made.make([Calls.load("A")])
        #expect(made.kinds.isEmpty)
        try made.make([Self.play])
        #expect(made.kinds == ["asset"])
        #expect(made.records[0].object("channel_info").text("adModel") == "2")
        try made.make([Calls.tag("a"), Calls.playhead(1), Self.play])
        #expect(made.kinds == ["asset", "tag"])
    }

    static let firsts: [(name: String, call: SessionCall)] = [
        ("a tag", RecordedCalls.tag("a")), ("a playhead", RecordedCalls.playhead(1)),
        ("end", SessionCall(.end)), ("another asset", RecordedCalls.load("B")),
        ("the background", SessionCall(.appInBackground)), ("free", SessionCall(.free)),
    ]

    @Test(arguments: firsts.indices) func asset_withoutPlay_isRecordedAtFirstTagPlayheadOrEnd(index: Int)
        throws
    {
        let made = try Calls.records(of: [Calls.load("A"), Self.firsts[index].call])
        #expect(
            made.kinds.first == "asset" && made.records[0].text("asset") == "A", "\(Self.firsts[index].name)")
    }

    @Test func channel_withoutMetadata_isRecordedWithTheFirstTag() throws {
        let made = try Calls.records(of: [Self.play, Calls.tag("a"), Calls.load("A"), Calls.tag("b")])
        #expect(made.kinds == ["asset", "tag", "asset", "tag"])
        #expect(made.records[0].object("metadata").isEmpty && made.records[0]["asset"] == nil)
        // The metadata describes the asset that already plays.
        #expect(Set(made.records.map { $0.text("asset_play") }).count == 1)
        #expect(made.records("asset").map { $0.number("order") } == [0, 1])
        // Tags alone refer to no asset.
        #expect(try Calls.records(of: [Calls.tag("a")]).records[0]["asset_play"] == nil)
    }

    @Test func changedMetadata_isRecordedAgain_andUnchangedMetadataIsNot() throws {
        let more = SessionCall(.updateMetadata, [["title": "Eins"]])
        let made = try Calls.records(
            of: [
                Self.play, Calls.load("A"), Calls.load("A"), more, more,
                SessionCall(.loadMetadata, [["type": "content", "assetid": "A", "title": "Zwei"]]),
                SessionCall(.play, [["channelName": "One", "adModel": "1"]]),
            ])
        #expect(
            made.records("asset").map { $0.object("metadata").text("title") } == [
                nil, "Eins", "Zwei", "Zwei",
            ])
        #expect(
            made.records("asset").map { $0.object("channel_info").text("adModel") } == ["2", "2", "2", "1"])
        #expect(made.records("asset").map { $0.number("order") } == [0, 1, 2, 3])
        #expect(Set(made.records.map { $0.text("asset_play") }).count == 1)
        #expect(RecordReferences.objections(made.records).isEmpty)
    }

    @Test func content_resumedAfterAd_isTheSameAssetPlay_andTheAdIsASeparateOne() throws {
        let made = try Calls.records(
            of: [
                Self.play, Calls.load("A"), Calls.tag("a"), SessionCall(.stop), Calls.load("AD", "midroll"),
                Calls.tag("b"), SessionCall(.stop), Calls.load("A"), Calls.tag("c"),
            ])
        let plays = made.records("tag").map { $0.text("asset_play") }
        #expect(plays[0] == plays[2] && plays[0] != plays[1])
        #expect(made.records("asset").map { $0.text("asset_play") } == plays)
    }

    private static func ad(_ index: String?) -> SessionCall {
        let members: [MetadataValue.Member] = [.init("type", "ad"), .init("assetid", "AD")]
        return SessionCall(
            .loadMetadata, [.object(members + (index.map { [.init("adldx", .text($0))] } ?? []))])
    }

    private static func event(_ event: String, _ index: String? = nil) -> SessionCall {
        var ad: [MetadataValue.Member] = [.init("assetid", "AD")]
        if let index { ad.append(.init("adIdx", .text(index))) }
        return SessionCall(
            .trackEvent,
            [
                [
                    "event": .text(event), "type": "ad", "metadata": ["ad": .object(ad)],
                    "playheadPosition": event == "playhead" ? "3" : "4",
                ]
            ])
    }

    static let twoPlays: [(name: String, first: [SessionCall], second: [SessionCall], count: Int)] = [
        ("adIdx", [ad("1"), RecordedCalls.playhead(3)], [ad("2"), RecordedCalls.playhead(0)], 2),
        (
            "stop and load", [ad(nil), RecordedCalls.playhead(3), SessionCall(.stop)],
            [ad(nil), RecordedCalls.playhead(0)], 2
        ),
        ("load alone", [ad(nil), RecordedCalls.playhead(3)], [ad(nil), RecordedCalls.playhead(4)], 1),
        ("trackEvent adIdx", [event("playhead", "1")], [event("playhead", "2")], 2),
        ("trackEvent adStop", [event("playhead"), event("adStop")], [event("playhead")], 2),
        ("trackEvent alone", [event("playhead")], [event("playhead"), event("adStop"), event("adStop")], 1),
    ]

    @Test(arguments: twoPlays.indices) func twoPlays_ofOneAd_areTwoAssets(index: Int) throws {
        let ad = Self.twoPlays[index]
        let made = try Calls.records(of: [Self.play] + ad.first + ad.second + [SessionCall(.end)])
        #expect(Set(made.records("asset").map { $0.text("asset_play") }).count == ad.count, "\(ad.name)")
        #expect(made.records("session").count == ad.count, "\(ad.name)")
        #expect(!made.machine.findings.keys.contains(.playheadBackwards), "\(ad.name)")
        if ad.name.hasSuffix("adIdx") {
            #expect(made.records("asset").map { $0.text("ad_index") } == ["1", "2"])
        }
    }

    @Test func newViewingSession_hasItsOwnAssets() throws {
        let made = try Calls.records(
            of: [
                Self.play, Calls.load("A"), Calls.tag("a"), SessionCall(.appInBackground),
                SessionCall(.appInForeground), Calls.tag("b"), SessionCall(.end), Calls.tag("c"),
            ])
        #expect(made.kinds == ["asset", "tag", "asset", "tag", "asset", "tag"])
        #expect(Set(made.records("tag").map { $0.text("asset_play") }).count == 3)
        #expect(RecordReferences.objections(made.records).isEmpty)
    }

    // MARK: Size

    @Test func object_above16kB_dropsKeys_andListsThem() throws {
        var members: [MetadataValue.Member] = [.init("type", "content"), .init("assetid", "A")]
        for index in 0..<40 {
            members.append(.init("own\(index)", .text(String(repeating: "é", count: 500))))
        }
        members.append(.init("huge", .text(String(repeating: "x", count: 20_000))))
        members.append(.init("title", "Eins"))
        var deep: MetadataValue = 1
        for _ in 0..<200 { deep = [deep] }
        members.append(.init("deep", deep))
        let made = try Calls.records(of: [Self.play, SessionCall(.loadMetadata, [.object(members)])])
        let asset = made.records[0]
        let metadata = asset.object("metadata")
        #expect(metadata.text("assetid") == "A" && metadata.text("title") == "Eins")
        let truncated = asset["truncated"] as? [String] ?? []
        #expect(truncated.contains("huge") && truncated.contains("deep"))
        #expect(asset.number("truncated_count") == Double(45 - metadata.count))
        #expect(metadata.count > 12 && made.lines[0].utf8.count < 16_384 + 2_000)
    }

    @Test func tooManyKeys_areCounted_andTheFirst32Listed() throws {
        let members = (0..<100_000).map { MetadataValue.Member("key-\($0)\"\n", .number(Double($0))) }
        let made = try Calls.records(of: [SessionCall(.loadMetadata, [.object(members)]), Calls.tag("a")])
        let asset = made.records[0]
        #expect((asset["truncated"] as? [String])?.count == 32)
        #expect(asset.number("truncated_count") == Double(100_000 - asset.object("metadata").count))
        #expect(made.lines[0].utf8.count < 20_000 && !made.lines[0].contains("\n"))
    }

    /// Each update has a new key, or a longer value.
    @Test(arguments: [false, true])
    func updates_withoutEnd_areLimited_andTheNewestCounts(haveNewKeys: Bool) throws {
        var metadata = Metadata(members: [.init("assetid", "A")])
        let text = String(repeating: "x", count: 1_000)
        for number in 0..<500 {
            let key = haveNewKeys ? "key-\(number)" : "key-\(number % 100)"
            metadata = metadata.updated(with: Metadata(members: [.init(key, .text("\(number)\(text)"))]))
        }
        #expect(metadata.members.reduce(0) { $0 + $1.byteCount } <= Metadata.maximumMergedByteCount)
        #expect(metadata.text("assetid") == "A")
        #expect(metadata.text(haveNewKeys ? "key-499" : "key-99") == "499\(text)")
        #expect(metadata.leftOutCount > 0)
        // The record counts what was left out.
        let calls = (0..<500).map {
            SessionCall(.updateMetadata, [.object([.init("key-\($0)", .text(text))])])
        }
        let made = try Calls.records(
            of: [SessionCall(.loadMetadata, [["type": "content", "assetid": "A"]])] + calls + [Calls.tag("a")]
        )
        let asset = try #require(made.records.last { $0["metadata"] != nil })
        #expect(asset.number("truncated_count") == Double(502 - asset.object("metadata").count))
        #expect(made.lines.allSatisfy { $0.utf8.count < 20_000 })
    }
}

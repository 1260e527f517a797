import Foundation
import TestSupport
import Testing

@testable import PlayerSession

/// The data that records omit after an opt-out, and by the configuration.
@Suite struct WithheldRecordTests {
    private typealias Calls = RecordedCalls

    private static let out = SessionCall(.userOptOut, ["nielsenappsdk://1"])
    private static let back = SessionCall(.userOptOut, ["nielsenappsdk://0"])
    private static let start = SessionCall(.initialize, [RecordedCalls.appInformation])

    private static let played = [
        SessionCall(.play, [["channelName": "One", "Latitude": "1"]]),
        SessionCall(
            .loadMetadata,
            [
                [
                    "type": "content", "assetid": "A", "title": "Eins", "device_id": "d",
                    "own": [["longitude": 2, "kept": 3]],
                ]
            ]),
        RecordedCalls.playhead(0), SessionCall(.setVolume, [7]),
        SessionCall(
            .updateOTT,
            [["ottStatus": "1", "ottDeviceID": "00:11", "ottDeviceModel": "Room", "ottType": "other"]]),
        SessionCall(.trackViewability, [["invs": [1, 1, 1, 1], "deviceId": "d", "own": 1]]),
        RecordedCalls.tag("a"), RecordedCalls.playhead(1), SessionCall(.end),
    ]

    @Test func optedOut_withDiscard_hasNoRecords_andDiscardsCalls() throws {
        var made = Calls()
        try made.make([Self.start, Self.out] + Self.played)
        #expect(made.records.isEmpty)
        for (call, result) in zip(Self.played.dropLast(), made.results[2...]) where call.name != .sendID3 {
            #expect(result.outcome == .discarded && result.findings.contains(.notMeasured), "\(call)")
        }
        // Playback before the user opted in again is not recorded either.
        try made.make(Self.played.dropLast() + [Self.back, Calls.tag("b"), SessionCall(.end)])
        #expect(made.kinds == ["app", "asset", "tag"])
    }

    @Test func optedOut_withSend_hasNoIdentifyingKey_andRandomIDs() throws {
        let made = try Calls.records(
            of: [Self.start, Self.out] + Self.played, SessionPolicy(sendsOptedOut: true))
        #expect(made.kinds == ["app", "asset", "tag", "session"])
        #expect(made.records.allSatisfy { $0["opted_out"] as? Bool == true })
        let text = made.lines.joined().lowercased()
        for key in [
            "latitude", "longitude", "deviceid", "device_id", "uoo", "ottdevicemodel", "00:11", "room",
            "device-1",
        ] { #expect(!text.contains(key), "\(key)") }
        #expect(made.records[0].object("app").text("appid") == "T1")
        #expect(made.records[0].object("app")["Own-Key"] as? NSArray == [1, ["kept": true]] as NSArray)
        #expect(made.records[1].object("metadata").text("title") == "Eins")
        #expect(made.records[3].list("ott").first?.text("ottType") == "other")
        #expect(made.records[3].object("viewability") as NSDictionary == ["own": 1] as NSDictionary)
    }

    @Test func optOutChange_startsNewAppSession() throws {
        let made = try Calls.records(
            of: [Self.start] + Self.played + [Self.out] + Self.played + [Self.back] + Self.played,
            SessionPolicy(sendsOptedOut: true))
        #expect(made.records("app").map { $0["opted_out"] as? Bool } == [false, true, false])
        for key in ["app_session", "session", "asset_play"] {
            #expect(Set(made.records("tag").compactMap { $0.text(key) }).count == 3, "\(key)")
        }
        #expect(made.records("app").map { $0.object("app")["latitude"] == nil } == [false, true, false])
        #expect(RecordReferences.objections(made.records).isEmpty)
    }

    @Test func identifyingNames_areNormalizedForComparison() {
        #expect(Withholding.identifyingNames.allSatisfy { $0 == $0.lowercased().filter(\.isLetterOrDigit) })
    }

    @Test func documentation_listsTheIdentifyingNames() throws {
        let page = try String(contentsOfFile: Project.root + "/docs/players.md", encoding: .utf8)
        for name in Withholding.identifyingNames { #expect(page.contains("`\(name)`"), "\(name)") }
    }

    @Test func configuration_withholdsNamedKeys_everywhere() throws {
        let json = #"{"withhold":["LATITUDE","title","assetId","channelName","ottDeviceID"]}"#
        let configuration = try SessionConfiguration(json: Array(json.utf8))
        var policy = SessionPolicy()
        policy.withheldNames = configuration.withheldNames
        let made = try Calls.records(of: [Self.start] + Self.played, policy)
        #expect(made.kinds == ["app", "asset", "tag", "session"])
        let text = made.lines.joined().lowercased()
        for word in [
            "latitude", "title", "eins", "assetid", "\"asset\":", "\"channel\":", "channelname",
            "ottdeviceid",
        ] {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.contains("longitude") && text.contains("ottdevicemodel"))
    }

    @Test func configuration_restrictsDeliveryToTags() throws {
        for (json, sends) in [(#"{"records":"tags"}"#, false), (#"{"records":"all"}"#, true), ("{}", true)] {
            #expect(try SessionConfiguration(json: Array(json.utf8)).sendsRecords == sends)
        }
        for json in [
            #"{"records":"none"}"#, #"{"records":1}"#, #"{"withhold":"title"}"#, #"{"withhold":[1]}"#,
        ] {
            #expect(throws: ConfigurationProblem.self, "\(json)") {
                try SessionConfiguration(json: Array(json.utf8))
            }
        }
        var policy = SessionPolicy()
        policy.keepsRecords = false
        let made = try Calls.records(of: [Self.start] + Self.played, policy)
        #expect(made.kinds == ["tag"])
        #expect(made.records[0].text("asset") == "A" && made.records[0].text("channel") == "One")
    }
}

extension Character {
    fileprivate var isLetterOrDigit: Bool { isLetter || isNumber }
}

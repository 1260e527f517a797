import Testing
import TextForms

@testable import PlayerSession

/// A finding names its key and value, the expected form, and the section of the guide.
@Suite struct PlayerFindingTests {
    /// Makes calls on a new session and returns the findings of each.
    static func findings(
        _ calls: [(CallName, [MetadataValue])], app: MetadataValue = ["appid": "T1", "sfcode": "ire"]
    ) -> [[PlayerFinding]] {
        var machine = SessionMachineTests.machine()
        _ = machine.handle(SessionCall(.initialize, [app]), at: .zero)
        return calls.enumerated().map { second, call in
            machine.handle(SessionCall(call.0, call.1), at: .seconds(second)).result.details
        }
    }

    @Test func finding_aboutAKey_namesKeyExpectationAndSection() throws {
        let made = Self.findings(
            [(.trackEvent, [["metadata": ["content": ["type": "content"]], "playheadPosition": "0"]])],
            app: ["appid": "T1", "sfcode": "dcr"])
        let finding = try #require(made[0].first { $0.key == "assetid" })
        #expect(finding.id == .keyMissing && finding.value == nil)
        #expect(finding.expected == "letters, digits, `.`, `_` and `-`")
        #expect(finding.description == "key.missing assetid (guide 003, Content metadata)")
    }

    @Test func finding_aboutALongValue_truncatesIt() throws {
        let title = String(repeating: "long ", count: 21)
        let asset: MetadataValue = [
            "type": "content", "assetid": "a", "program": "p", "title": .text(title), "length": "1",
            "airdate": "20260110 20:00:00", "isfullepisode": "y", "adloadtype": "2",
        ]
        let made = Self.findings([(.loadMetadata, [asset])])
        let finding = try #require(made[0].first)
        #expect(made[0].count == 1 && finding.id == .keyLength && finding.key == "title")
        #expect(finding.value == title.prefix(63) + "…")
        #expect(
            finding.description
                == "key.length title `\(title.prefix(63))…`, expected at most 100 characters "
                + "(guide 004, Create content metadata)")
    }

    @Test func finding_aboutACall_hasTheRuleOfItsKind() {
        let made = Self.findings([(.play, []), (.play, [])])
        #expect(made[1].map(\.description) == ["play.heartbeat (guide 002, 5.4 play)"])
        #expect(made[1][0].expected == "one `play` for each viewing session" && made[1][0].key == nil)
    }

    @Test func everyFinding_hasAnExpectationAndASource() {
        for entry in FindingReference.entries {
            #expect(!entry.rule.expected.isEmpty && !entry.rule.source.isEmpty, "\(entry.finding)")
        }
    }

    @Test func result_asJSON_hasIDsAndDetails() {
        var result = CallResult()
        #expect(result.json == #"{"outcome":"done","findings":[],"state":"initial"}"#)
        result.details = [PlayerFinding(.keyCase, key: "Title", expected: "`title`", source: "guide 9")]
        #expect(
            result.json
                == #"{"outcome":"done","findings":["key.case"],"details":[{"id":"key.case","key":"Title","#
                + #""expected":"`title`","source":"guide 9"}],"state":"initial"}"#)
        #expect(result.findings == [.keyCase])
    }

    @Test func text_ofHostileKeysAndValues_isPrintable() {
        let finding = PlayerFinding(
            .valueType, key: "\u{1B}[31m\n", value: ["a", ["b": [["deep"]]]], expected: "text", source: "x")
        #expect(finding.description.allSatisfy { $0 >= " " })
        #expect(finding.value == #"["a",{"b":null}]"#)
    }

    /// For the same facility, guide 002 requires the name and version of the app, and guide 003 does not.
    @Test func appNameAndVersion_areRequiredByGuide002_butNotByGuide003() {
        let app: MetadataValue = ["appid": "T1", "sfcode": "us"]
        let tag: MetadataValue = .text("www.nielsen.com/a")
        let missing = ["appname", "appversion"]
        for call in [(.play, []), (.sendID3, [tag]), (.loadMetadata, [["type": "ad"]])]
            as [(CallName, [MetadataValue])]
        {
            let made = Self.findings([call, call], app: app)
            #expect(made[0].filter { $0.id == .keyMissing }.map(\.key) == missing)
            #expect(made[1].allSatisfy { $0.id != .keyMissing })
        }
        let event: MetadataValue = [
            "metadata": ["content": ["channelName": "One", "adModel": "1"]], "playheadPosition": "0",
        ]
        #expect(Self.findings([(.trackEvent, [event])], app: app)[0].allSatisfy { $0.id != .keyMissing })
    }

    @Test(
        arguments: [
            ("ire", ["appname", "appversion"]), ("it", ["appname", "appversion"]), ("pl", []), ("dcr", []),
            ("no", []), ("anything", []),
        ] as [(String, [String])])
    func appNameAndVersion_areRequired_accordingToGuideOfTheMarket(facility: String, keys: [String]) {
        var machine = SessionMachineTests.machine()
        let call = SessionCall(.initialize, [["appid": "T1", "sfcode": .text(facility)]])
        let found = machine.handle(call, at: .zero).result.details
        #expect(found.filter { $0.id == .keyMissing }.map(\.key) == keys)
    }

    @Test func apid_ofBrowser_isAcceptedAsAppID() {
        var machine = SessionMachineTests.machine()
        let step = machine.handle(
            SessionCall(.initialize, [["apid": "T1", "instanceName": "player"]]), at: .zero)
        #expect(step.result.outcome == .done && step.result.findings == [] && machine.state == .idle)
        #expect(step.initializedApp?.appID == "T1")
    }
}

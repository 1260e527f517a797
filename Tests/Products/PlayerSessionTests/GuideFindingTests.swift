import Testing
import TextForms

@testable import PlayerSession

/// Calls from the guides' own samples that led to wrong findings.
///
/// The logs in `Guides` contain the sequences of calls.
@Suite struct GuideFindingTests {
    private static let content: [String: MetadataValue] = [
        "type": "content", "assetid": "C77664", "title": "Program S2, E3", "program": "Program Name",
        "length": "3600", "airdate": "20200321 10:05:00", "isfullepisode": "y", "adloadtype": "2",
    ]

    private static func asset(_ changes: [String: MetadataValue]) -> MetadataValue {
        .object(content.merging(changes) { $1 }.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    }

    /// Returns the ids and keys of the findings for metadata, in the app of a market.
    private static func load(_ metadata: MetadataValue, _ facility: String) -> [String] {
        let app: MetadataValue = [
            "appid": "T1", "appname": "A", "appversion": "1", "sfcode": .text(facility),
        ]
        return PlayerFindingTests.findings([(.loadMetadata, [metadata])], app: app)[0]
            .map { "\($0.id) \($0.key ?? "-")" }
    }

    /// Only the forms of air dates in the guide of the market are valid.
    @Test(
        arguments: [
            ("20180120100000", "dcr", true), ("20180120100000", "ire", false), ("01/20/2018", "pl", true),
            ("01/20/2018", "ire", false), ("2018-01-20T10:00:00+01:00", "no", true),
            ("20180120 10:00:00", "it", true),
        ] as [(String, String, Bool)])
    func airdate_inFormatOfTheMarket_isNotAFinding(airdate: String, facility: String, isValid: Bool) {
        var asset: [String: MetadataValue] = ["airdate": .text(airdate), "assetName": "A", "section": "S"]
        if facility == "no" { asset["isAudio"] = "true" }
        #expect(Self.load(Self.asset(asset), facility) == (isValid ? [] : ["key.airdate airdate"]))
    }

    @Test(
        arguments: [
            ("no", 64, 254), ("pl", 64, 254), ("ire", 32, 100), ("it", 32, 100),
        ])
    func lengthLimits_ofMarket_matchItsGuide(facility: String, id: Int, name: Int) {
        for (key, limit) in [("assetid", id), ("program", name), ("title", name)] {
            for (length, findings) in [(limit, []), (limit + 1, ["key.length \(key)"])] {
                let value = MetadataValue.text(String(repeating: "a", count: length))
                let audio: MetadataValue = facility == "no" ? "true" : .null
                let found = Self.load(Self.asset([key: value, "isAudio": audio]), facility)
                #expect(found == findings, "\(facility) \(key) \(length)")
            }
        }
        let progen = MetadataValue.text(String(repeating: "a", count: 255))
        let found = Self.load(Self.asset(["progen": progen, "isAudio": "true"]), "no")
        #expect(found == ["key.length progen"])
    }

    @Test func alphabet_inPoland_excludesPeriodInIDs_andBackslashInTitles() {
        #expect(Self.load(Self.asset(["assetid": "a.b"]), "pl") == ["key.alphabet assetid"])
        #expect(Self.load(Self.asset(["assetid": "a.b"]), "ire") == [])
        #expect(Self.load(Self.asset(["title": #"a\b"#]), "pl") == ["key.alphabet title"])
        #expect(Self.load(Self.asset(["title": #"a\b"#]), "ire") == [])
        #expect(Self.load(["type": "preroll", "assetid": "ad=123"], "pl") == [])
        #expect(Self.load(["type": "preroll", "assetid": "ad=123"], "ire") == ["key.alphabet assetid"])
    }

    /// The required keys depend on the market and on the type of the asset.
    @Test func requiredKeys_dependOnMarketAndAssetType() {
        #expect(Self.load(["type": "static", "section": "S"], "no") == [])
        #expect(Self.load(["type": "static", "section": "S"], "dcr") == ["key.missing segA"])
        #expect(Self.load(["type": "static", "section": "S", "segA": "a"], "dcr") == [])
        #expect(Self.load(["type": "static", "section": "Home_Brand_iOS"], "it") == ["key.missing assetid"])
        #expect(Self.load(["type": "static"], "no") == ["key.missing section"])
        #expect(Self.load(["type": "ad", "ocrTag": "http://x"], "us") == [])
        #expect(Self.load(["type": "preroll", "length": "16", "iag_pgm": "New Girl"], "us") == [])
        #expect(Self.load(["type": "content"], "us") == ["key.missing assetid"])
    }

    /// The samples of the guides contain both spellings.
    @Test(arguments: ["channelname", "channelName"])
    func keySpelling_ofGuideSamples_isNotAFinding(key: String) {
        let channel = MetadataValue.object([.init(key, "One")])
        let app: MetadataValue = ["appid": "T1", "appname": "A", "appversion": "1", "sfcode": "us"]
        #expect(PlayerFindingTests.findings([(.play, [channel])], app: app)[0] == [])
    }

    @Test func callNames_ofTheGuides_areRecognized() {
        let names: [(String, CallName)] = [
            ("initWithAppInfo", .initialize), ("optOutURLString", .optOutURL),
            ("userOptOutURLString", .optOutURL), ("getOptOutStatus", .optOutStatus),
            ("registerLifeCycleObserver", .registerLifeCycleObserver), ("nlsQ", .initialize),
        ]
        for (name, call) in names {
            #expect(CallName(name: name) == call && CallName(name: name.uppercased()) == call)
        }
        var machine = SessionMachineTests.machine()
        let call = SessionCall(named: "nlsQ", ["T1", "player", ["nol_sdkDebug": "DEBUG"]])
        let step = machine.handle(call, at: .zero)
        #expect(step.result.outcome == .done && step.result.findings == [] && machine.state == .idle)
        // A log contains the arguments in this form.
        #expect(SessionCall(named: "nlsQ", call.arguments).arguments == call.arguments)
        #expect(machine.handle(SessionCall(.registerLifeCycleObserver), at: .zero).result.outcome == .done)
        for bad in [[], ["T1"], ["T1", "p", "x"], [[1]], [nil]] as [[MetadataValue]] {
            _ = machine.handle(SessionCall(named: "nlsQ", bad), at: .zero)
        }
    }

    /// A pause, or a load of the same asset, does not start another viewing: the tag remains a repeat.
    @Test func repeatedTag_afterSeekStopOrNewAsset_isANewViewing() {
        let tag: (CallName, [MetadataValue]) = (.sendID3, ["www.nielsen.com/a"])
        let between: [([(CallName, [MetadataValue])], CallOutcome)] = [
            ([], .repeat), ([(.playheadPosition, [11])], .repeat), ([(.playheadPosition, [2])], .stored),
            ([(.playheadPosition, [300])], .stored), ([(.stop, [])], .stored), ([(.pause, [])], .repeat),
            ([(.loadMetadata, [["type": "content", "assetid": "B"]])], .stored),
            ([(.loadMetadata, [["type": "content", "assetid": "A"]])], .repeat),
        ]
        for (calls, outcome) in between {
            var machine = SessionMachineTests.machine()
            let before: [(CallName, [MetadataValue])] = [
                (.play, []), (.loadMetadata, [["type": "content", "assetid": "A"]]),
                (.playheadPosition, [10]), tag,
            ]
            var last = CallOutcome.done
            for call in before + calls + [tag] {
                last = machine.handle(SessionCall(call.0, call.1), at: .seconds(1)).result.outcome
            }
            #expect(last == outcome, "\(calls)")
            #expect(machine.counts.isConserved && machine.counts.handed == 2)
        }
    }

    /// The addresses of Nielsen's web pages resemble owner identifiers, but are not tags.
    @Test(arguments: [
        "http://www.nielsen.com/digitalprivacy", "www.nielsen.com/digitalprivacy",
        "Please see http://www.nielsen.com/digitalprivacy for more information.",
        "https://www.nielsen.com/us/en/legal/privacy-statement/digital-measurement/",
    ])
    func webPageAddress_inSendID3_isIgnored(text: String) {
        #expect(ParsedTag.tags(in: .text(text)) == [.other])
        let both = ParsedTag.tags(in: .text(text + " www.nielsen.com/065H2g6E7ZyQ5UdmMAbbpg==/a"))
        guard both.count == 1, case .nielsen? = both.first else {
            Issue.record("\(both)")
            return
        }
    }

    /// Guide 003, "Event types": a gap is more than 30 minutes without any call, not without a playhead.
    @Test func gap_betweenAnyTwoCalls_isAPause() throws {
        var made = RecordedCalls()
        let start: [SessionCall] = [
            SessionCall(.initialize, [RecordedCalls.appInformation]),
            SessionCall(.play, [["channelName": "One"]]),
            RecordedCalls.load("A"), RecordedCalls.playhead(1), RecordedCalls.tag("a"),
        ]
        for call in start { try made.make([call]) }
        // Tags every ten minutes prevent a gap; a query such as `getLastEvent` does not.
        for name in ["b", "c", "d", "e"] { try made.make([RecordedCalls.tag(name)], after: .seconds(600)) }
        try made.make([RecordedCalls.playhead(2)])
        #expect(made.machine.findings[.playheadGap] == nil)
        try made.make([SessionCall(.getLastEvent)], after: .seconds(1_000))
        try made.make([RecordedCalls.tag("f")], after: .seconds(801))
        #expect(made.machine.findings[.playheadGap] == 1)
        try made.make([RecordedCalls.playhead(3), SessionCall(.stop), SessionCall(.free)])
        let pauses = try #require(made.records("session").first).list("pauses")
        #expect(pauses.first?.number("seconds") == 1_802)
        #expect(pauses.count == 1)
    }

    /// A value that does not have the type in the guide of the market is a finding.
    ///
    /// In an unknown market it is not.
    @Test func value_withWrongTypeForTheMarket_isAFinding() {
        for (value, facility, findings) in [
            (1.5, "ire", ["value.type playheadPosition"]), (1, "ire", []),
            ("2.5", "us", ["value.type playheadPosition"]),
            ("2", "us", []), (1.5, "unknown", []),
        ] as [(MetadataValue, String, [String])] {
            let app: MetadataValue = [
                "appid": "T1", "appname": "A", "appversion": "1", "sfcode": .text(facility),
            ]
            let made = PlayerFindingTests.findings(
                [(.play, [["channelName": "A"]]), (.playheadPosition, [value])], app: app)
            #expect(made[1].map { "\($0.id) \($0.key ?? "-")" } == findings, "\(value) \(facility)")
        }
        #expect(Self.load(Self.asset(["length": 3_600]), "ire") == ["value.type length"])
        let event: MetadataValue = [
            "metadata": ["content": ["channelName": "One", "adModel": "1"]], "playheadPosition": 5,
        ]
        let app: MetadataValue = ["appid": "T1", "sfcode": "us"]
        let made = PlayerFindingTests.findings([(.trackEvent, [event])], app: app)
        #expect(made[0].map(\.key) == ["playheadPosition"] && made[0].map(\.id) == [.valueType])
    }

    /// Guide 003, "Static metadata": at most 25 values of `segA`, each with at most 25 characters.
    @Test func segmentValues_ofEvents_haveTheLimitsOfLoadMetadata() {
        var machine = SessionMachineTests.machine()
        _ = machine.handle(SessionCall(.initialize, [["appid": "T1", "sfcode": "dcr"]]), at: .zero)
        for number in 0..<27 {
            let page: MetadataValue = [
                "type": "static", "section": "S", "segA": .text("\(number)"), "assetid": .text("\(number)"),
            ]
            let event: MetadataValue = ["type": "static", "metadata": ["static": page]]
            let found = machine.handle(SessionCall(.trackEvent, [event]), at: .zero).result.details
            #expect(found.map(\.id) == (number == 25 ? [.keyValue] : []), "\(number)")
            #expect(found.allSatisfy { $0.key == "segA" && $0.source == "guide 003, Static metadata" })
        }
        let long = MetadataValue.text(String(repeating: "a", count: 26))
        #expect(Self.load(["type": "static", "section": "S", "segA": long], "dcr") == ["key.length segA"])
    }

    @Test func sections_beyond25PerApp_areReportedOnce() {
        var machine = SessionMachineTests.machine()
        _ = machine.handle(SessionCall(.initialize, [["appid": "T1", "sfcode": "no"]]), at: .zero)
        for number in 0..<27 {
            let page: MetadataValue = ["type": "static", "section": .text("S\(number)")]
            let found = machine.handle(SessionCall(.loadMetadata, [page]), at: .zero).result.details
            #expect(found.map(\.id) == (number == 25 ? [.keyValue] : []), "\(number)")
        }
    }
}

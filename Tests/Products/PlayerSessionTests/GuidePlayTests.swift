import Testing

@testable import PlayerSession

/// One play, one viewing session and one view of a page, as the guides count them.
@Suite struct GuidePlayTests {
    private typealias Calls = RecordedCalls

    private static func initialize(_ facility: String?) -> SessionCall {
        let code = facility.map { [MetadataValue.Member("sfcode", .text($0))] } ?? []
        return SessionCall(
            .initialize,
            [.object([.init("appid", "T1"), .init("appname", "A"), .init("appversion", "1")] + code)])
    }

    private static let play = SessionCall(.play, [["channelName": "One"]])
    private static let stop = SessionCall(.stop)

    private static func plays(_ calls: [SessionCall]) throws -> (count: Int, made: RecordedCalls) {
        let made = try Calls.records(of: calls + [SessionCall(.end)])
        #expect(RecordReferences.objections(made.records).isEmpty)
        return (Set(made.records("session").compactMap { $0.text("asset_play") }).count, made)
    }

    // MARK: Advertisements

    /// Guide 004, "Use case 2"; guide 000, "DCR Poland Video iOS", "Use case 2": the midroll pauses in the background.
    @Test(arguments: ["ire", "pl"]) func midroll_thatGoesOnAfterStop_isOnePlay(facility: String) throws {
        let start = [Self.initialize(facility), Self.play, Calls.load("A"), Calls.playhead(1), Self.stop]
        let first = [Calls.load("AD", "midroll"), Calls.playhead(0), Calls.playhead(8), Self.stop]
        let rest = [Calls.load("AD", "midroll"), Calls.playhead(9), Calls.playhead(15), Self.stop]
        let (count, made) = try Self.plays(start + first + rest)
        #expect(count == 2 && made.machine.findings[.playheadBackwards] == nil)
        let ads = made.records("session").filter { $0.text("type") == "midroll" }
        #expect(ads.count == 1 && ads[0].number("playhead") == 15)
        #expect(ads[0].list("pauses").count == 1)
    }

    /// Each advertisement begins at 0 (guide 004, "Use case 2", the note).
    @Test func midroll_fromZeroAfterStop_isAnotherPlay_andWithoutMetadataAFinding() throws {
        let start = [Self.initialize("ire"), Self.play, Calls.load("A"), Calls.playhead(1)]
        let first = [Calls.load("AD", "midroll"), Calls.playhead(0), Calls.playhead(8), Self.stop]
        let (count, made) = try Self.plays(
            start + first + [Calls.load("AD", "midroll"), Calls.playhead(0), Calls.playhead(15), Self.stop])
        #expect(count == 3 && made.machine.findings[.playheadBackwards] == nil)
        let bare = try Self.plays(start + first + [Calls.playhead(0), Calls.playhead(15), Self.stop])
        #expect(bare.count == 2 && bare.made.machine.findings[.playheadBackwards] == 1)
    }

    /// Guide 003, "Putting it all together": an event of an advertisement has the metadata of the content.
    @Test func contentOfAnAdvertisement_thatNeverStarts_isRecorded() throws {
        func event(_ type: String, _ playhead: String, _ kind: String = "playhead") -> SessionCall {
            SessionCall(
                .trackEvent,
                [
                    [
                        "event": .text(kind), "type": .text(type), "playheadPosition": .text(playhead),
                        "metadata": [
                            "content": ["type": "content", "assetid": "A", "title": "Eins"],
                            "ad": ["type": "preroll", "assetid": "AD"],
                        ],
                    ]
                ])
        }
        let ad = [Self.initialize("dcr"), event("ad", "0"), event("ad", "1"), event("ad", "2", "adStop")]
        let made = try Calls.records(of: ad + [SessionCall(.free)])
        #expect(Set(made.records("asset").map { $0.text("asset") }) == ["A", "AD"])
        #expect(
            made.records("asset").count == 2 && made.records("session").map { $0.text("asset") } == ["AD"])
        #expect(RecordReferences.objections(made.records).isEmpty)
        // The content that starts is the same play.
        let started = try Calls.records(of: ad + [event("content", "0"), event("content", "1", "complete")])
        let plays = started.records.filter { $0.text("asset") == "A" }.map { $0.text("asset_play") }
        #expect(Set(plays).count == 1 && started.records("session").count == 2)
        #expect(RecordReferences.objections(started.records).isEmpty)
    }

    // MARK: Viewing sessions

    /// Guide 002, 5.2 and 5.4 `stop`: `stop` ends a streaming session, and `play` starts one.
    @Test(
        arguments: [
            ("us", 2), ("drm", 2), ("cert", 2), ("US", 2), ("ire", 1), ("pl", 1), ("no", 1), ("it", 1),
            (nil, 1),
        ] as [(String?, Int)])
    func play_afterStop_opensAViewingSession_inAppSDK32(facility: String?, count: Int) throws {
        let start = [
            Self.initialize(facility), Self.play, Calls.load("A"), Calls.tag("a"), Calls.playhead(2),
        ]
        for (calls, assets) in [
            ([Self.play, Calls.tag("b")], ["A"]), ([Self.play, Calls.load("A"), Calls.tag("b")], ["A"]),
            ([Self.play, Calls.load("B"), Calls.tag("b")], ["A", "B"]),
            ([Calls.load("B"), Self.play, Calls.tag("b")], ["A", "B"]),
        ] {
            let made = try Calls.records(of: start + [Self.stop] + calls + [SessionCall(.end)])
            #expect(made.machine.counts.sessions == count, "\(calls)")
            #expect(Set(made.records("tag").map { $0.text("session") }).count == count)
            #expect(made.records("tag").map { $0.text("asset") } == ["A", assets.last])
            #expect(Set(made.records("asset").map { $0.text("asset") }) == Set(assets))
            #expect(RecordReferences.objections(made.records).isEmpty)
            if count == 2 {
                #expect(made.machine.findings[.playHeartbeat] == nil)
                // An asset of the session before that does not continue has no record in the new one.
                let last = made.records("asset").filter {
                    $0.text("session") == made.records("tag")[1].text("session")
                }
                #expect(last.map { $0.text("asset") } == [assets.last], "\(calls)")
            }
        }
        // A playhead or a tag resumes playback, so `play` is no start.
        let resumed = try Calls.records(of: start + [Self.stop, Calls.playhead(2), Self.play])
        #expect(resumed.machine.counts.sessions == 1)
    }

    /// Guide 001, "Interruptions during playback": the background interrupts video players, not audio players.
    @Test func audio_inTheBackground_isMeasured() throws {
        func load(_ isAudio: Bool) -> SessionCall {
            let audio: MetadataValue = isAudio ? "true" : .null
            return SessionCall(.loadMetadata, [["type": "content", "assetid": "A", "isAudio": audio]])
        }
        for isAudio in [true, false] {
            let made = try Calls.records(of: [
                Self.play, load(isAudio), Calls.playhead(0), Calls.tag("a"), SessionCall(.appInBackground),
                Calls.playhead(2), Calls.tag("b"), SessionCall(.appInForeground), Calls.playhead(4),
                SessionCall(.end),
            ])
            #expect(made.machine.findings[.tagInBackground] == (isAudio ? nil : 1))
            #expect((made.machine.counts.sessions == 1) == isAudio)
            #expect((made.records("session").count == 1) == isAudio)
        }
    }

    // MARK: Pages and the app

    /// Guide 000, "DCR Italy Static iOS", "Overview": the time of viewing a section.
    @Test func page_hasTheSecondsOfEachView_andAnotherSectionIsAnotherView() throws {
        func page(_ section: String) -> SessionCall {
            SessionCall(.loadMetadata, [["type": "static", "assetid": "P", "section": .text(section)]])
        }
        var made = Calls()
        try made.make([Self.initialize("it"), page("Home_Brand_iOS")])
        try made.make([page("Home_Brand_iOS")], after: .seconds(5))
        try made.make([page("News_Brand_iOS")], after: .seconds(15))
        try made.make([SessionCall(.appInBackground)], after: .seconds(7))
        try made.make([SessionCall(.appInForeground)], after: .seconds(100))
        try made.make([SessionCall(.staticEnd)], after: .seconds(3))
        #expect(made.records("session").map { $0.number("viewed") } == [20, 7, 3])
        #expect(made.records("session").map { $0.text("ended") != $0.text("started") } == [true, true, true])
        #expect(Set(made.records("session").map { $0.text("asset_play") }).count == 3)
        #expect(made.records("asset").count == 3)
        #expect(RecordReferences.objections(made.records).isEmpty)
    }

    /// Guide 003, "Event types": `pause` when the app enters the background.
    @Test func page_ofEvents_hasTheSecondsOfEachView() throws {
        func event(_ section: String, _ kind: String = "playhead") -> SessionCall {
            let page: MetadataValue = [
                "type": "static", "assetid": "P", "section": .text(section), "segA": "a",
            ]
            return SessionCall(
                .trackEvent, [["event": .text(kind), "type": "static", "metadata": ["static": page]]])
        }
        var made = Calls()
        try made.make([Self.initialize("dcr"), event("Home")])
        try made.make([event("Home", "pause")], after: .seconds(6))
        try made.make([event("Home")], after: .seconds(60))
        try made.make([event("News")], after: .seconds(4))
        try made.make([event("News", "complete")], after: .seconds(9))
        #expect(made.records("session").map { $0.number("viewed") } == [10, 9])
        #expect(RecordReferences.objections(made.records).isEmpty)
    }

    /// Guide 000, "Overview": app launch events, and how long the app was running.
    @Test func app_hasTheSecondsOfEachTimeInTheForeground() throws {
        var made = Calls()
        try made.make([Self.initialize("no")])
        try made.make([SessionCall(.appInBackground)], after: .seconds(60))
        try made.make([SessionCall(.appInForeground)], after: .seconds(500))
        try made.make([SessionCall(.free)], after: .seconds(30))
        #expect(made.kinds == ["app", "run", "run"])
        #expect(made.records("run").map { $0.number("seconds") } == [60, 30])
        #expect(made.records("run").map { $0.number("order") } == [0, 1])
        #expect(made.records[0].text("market") == "no")
        #expect(RecordReferences.objections(made.records).isEmpty)
    }

    @Test func app_withoutFacility_hasNoMarket() throws {
        let made = try Calls.records(of: [Self.initialize(nil), SessionCall(.free)])
        #expect(made.records("app").count == 1 && made.records[0]["market"] == nil)
    }

    /// Guide 004, "Privacy and opt-out": `userOptOut` follows `init` at once.
    @Test(arguments: [false, true]) func app_optedOutAtOnce_hasOnlyMarkedRecords(isSent: Bool) throws {
        let out = SessionCall(.userOptOut, ["nielsenappsdk://1"])
        let made = try Calls.records(
            of: [
                Self.initialize("ire"), out, Self.play, Calls.load("A"), Calls.playhead(1),
                SessionCall(.free),
            ],
            SessionPolicy(sendsOptedOut: isSent))
        #expect(made.kinds == (isSent ? ["app", "asset", "session", "run"] : []))
        #expect(made.records.allSatisfy { $0["opted_out"] as? Bool == true })
    }

    /// A position from the time in which the user had opted out is in no record.
    @Test func playhead_beforeAnOptIn_isForgotten() throws {
        let made = try Calls.records(of: [
            Self.play, SessionCall(.userOptOut, ["nielsenappsdk://1"]), Calls.load("A"),
            Calls.playhead(77.625),
            SessionCall(.userOptOut, ["nielsenappsdk://0"]), Calls.tag("a"), Calls.playhead(5),
            SessionCall(.end),
        ])
        #expect(made.records("tag").map { $0.number("playhead") } == [nil])
        #expect(!made.lines.joined().contains("77.625") && made.machine.findings[.playheadBackwards] == nil)
    }

    // MARK: Findings

    /// The log of a user who opted out in an earlier launch has null in place of values.
    @Test func nulls_ofAUserWhoHasOptedOut_areNoFindings() {
        let information: MetadataValue = ["appid": "T1", "appname": nil, "appversion": nil, "sfcode": "ire"]
        let asset: MetadataValue = ["type": nil, "assetid": nil]
        let calls = [
            SessionCall(.initialize, [information]), SessionCall(.play, [["channelName": nil]]),
            SessionCall(.loadMetadata, [asset]), SessionCall(.playheadPosition, [nil]),
            SessionCall(.stop, [nil]),
            SessionCall(.setVolume, [nil]),
        ]
        for isOut in [true, false] {
            var machine = SessionMachineTests.machine()
            _ = machine.choose(isOut: isOut)
            let found = calls.map {
                Set(machine.handle($0, at: .zero).result.findings).subtracting([.notMeasured])
            }
            #expect(found.allSatisfy(\.isEmpty) == isOut, "\(found)")
        }
        // A key that is not in the log at all is missing.
        var machine = SessionMachineTests.machine()
        _ = machine.choose(isOut: true)
        let bare = SessionCall(.initialize, [["appid": "T1", "sfcode": "ire", "appname": nil]])
        #expect(machine.handle(bare, at: .zero).result.details.map(\.key) == ["appversion"])
    }

    /// Guide 003 prints a playhead in milliseconds, and guide 002 asks for seconds.
    @Test func playhead_inMilliseconds_isAFindingOutsideOfEvents() throws {
        let event: MetadataValue = [
            "type": "content", "playheadPosition": "1501225191747",
            "metadata": ["content": ["type": "content", "channelName": "One", "adModel": "1"]],
        ]
        let made = try Calls.records(of: [
            Self.initialize("us"), SessionCall(.trackEvent, [event]), SessionCall(.free),
        ])
        #expect(made.machine.findings[.playheadMilliseconds] == nil)
        #expect(made.records("session").first?.number("playhead") == 1_501_225_191.747)
        let app = try Calls.records(of: [Self.initialize("us"), Self.play, Calls.playhead(1_501_225_191_747)])
        #expect(app.machine.findings[.playheadMilliseconds] == 1)
    }

    /// Guide 000, "DCR Italy Audio Browser": `nlsQ`, `apid` and `ggPM`, without an `sfcode`.
    @Test func browser_isRecognizedByAnyOfItsNames() {
        let pod: MetadataValue = ["type": "content", "isAudio": "true", "assetid": "a b"]
        let load = SessionCall(.loadMetadata, [pod])
        let starts = [
            SessionCall(named: "nlsQ", ["PXXXX", "player"]),
            SessionCall(.initialize, [["apid": "PXXXX", "instanceName": "player"]]),
        ]
        for start in starts {
            var machine = SessionMachineTests.machine()
            #expect(machine.handle(start, at: .zero).result.findings == [])
            let found = machine.handle(load, at: .zero).result.details
            #expect(
                found.contains { $0.source == "guide 000, DCR Italy Audio Browser, Audio content metadata" })
        }
        var machine = SessionMachineTests.machine()
        let event = SessionCall(.ggPM, ["loadMetadata", pod])
        #expect(
            machine.handle(event, at: .zero).result.details
                .contains { $0.source == "guide 000, DCR Italy Audio Browser, Audio content metadata" })
    }
}

import Testing

@testable import StreamSynthesis

/// The lines of a script of live faults: their meanings, and the errors of invalid lines.
@Suite struct LiveScriptTests {
    private static func event(_ line: String) throws -> LiveScript.Event {
        try #require(try LiveScript(parsing: line, channelCount: 9).events.first)
    }

    @Test(arguments: [
        ("late-playlist 8s", LiveFault.latePlaylist(milliseconds: 8_000)),
        ("late-playlist 1.5m", .latePlaylist(milliseconds: 90_000)),
        ("late-playlist 250ms", .latePlaylist(milliseconds: 250)),
        ("stalled-playlist", .stalledPlaylist), ("status 503", .status(503, nil)),
        ("status 404 playlist", .status(404, .playlist)), ("status 404 segment", .status(404, .segment)),
        ("slow-drip 2000", .slowDrip(bytesPerSecond: 2_000, .segment)),
        ("slow-drip 10 playlist", .slowDrip(bytesPerSecond: 10, .playlist)),
        ("redirect", .redirect(expiringAfter: nil)), ("redirect 15", .redirect(expiringAfter: 15_000)),
        ("expired-session", .expiredSession), ("sequence-reset", .sequenceReset),
        ("changed-key", .changedKey(every: nil)), ("changed-key 12s", .changedKey(every: 12_000)),
        ("no-tags", .noTags),
    ])
    func fault_ofEachKind_isParsed(text: String, fault: LiveFault) throws {
        let event = try Self.event("at 30s channel 3: \(text)")
        #expect(event.fault == fault)
        #expect(event.start == 30_000 && event.length == nil && event.period == nil)
        #expect(event.channels == [3...3])
    }

    @Test func adBreak_ofEachMarking_isParsed() throws {
        for (text, marking) in [
            ("", LiveFault.BreakMarking.cue), (" cue", .cue), (" daterange", .daterange),
            (" unmarked", .unmarked),
        ] {
            let event = try Self.event("at 1m every 1h for 90s channels *: ad-break\(text)")
            #expect(event.fault == .adBreak(marking))
            #expect(event.start == 60_000 && event.length == 90_000 && event.period == 3_600_000)
            #expect(event.channels == nil && event.includes(channel: 9))
        }
    }

    @Test func channels_inEachForm_areParsed() throws {
        for (list, expected) in [
            ("1", [1]), ("2-4", [2, 3, 4]), ("1,3-4,9", [1, 3, 4, 9]), ("*", Array(1...9)),
        ] {
            let event = try Self.event("at 0 channel \(list) : no-tags")
            #expect((1...9).filter { event.includes(channel: $0) } == expected, "\(list)")
        }
    }

    @Test func script_withCommentsAndBlankLines_ignoresThem() throws {
        let text = "# faults\n\n  at 1s channel 1: no-tags # here\n\t\r\nat 2s channel 2:status 503\n"
        let script = try LiveScript(parsing: text, channelCount: 2)
        #expect(script.events.map(\.fault) == [.noTags, .status(503, nil)])
        #expect(try LiveScript(parsing: "", channelCount: 1) == .empty)
    }

    @Test(arguments: [
        ("no-tags", 1, "'at' is expected here, not 'no-tags'"),
        ("at", 3, "a time (the start) is missing"),
        ("at soon channel 1: no-tags", 4, "a time is 8s, 1.5m or 1h, not 'soon'"),
        ("at 5w channel 1: no-tags", 4, "a time is 8s, 1.5m or 1h, not '5w'"),
        ("at -1s channel 1: no-tags", 4, "not '-1s'"),
        ("at 9999999d channel 1: no-tags", 4, "not '9999999d'"),
        ("at 1s 2s", 7, "'channel' is expected here, not '2s'"),
        ("at 1s for channel 1: no-tags", 11, "not 'channel'"),
        ("at 1s channel: no-tags", 14, "channels are 3, 1-5, 1,4,7-9 or *, not ':'"),
        ("at 1s channel 1,: no-tags", 15, "not '1,'"), ("at 1s channel 3-1: no-tags", 15, "not '3-1'"),
        ("at 1s channel 10: no-tags", 15, "there is no channel 10: there are channels 1 to 9"),
        ("at 1s channel 0-3: no-tags", 15, "there is no channel 0"),
        ("at 1s channel 1 no-tags", 17, "':' is expected here, not 'no-tags'"),
        ("at 1s channel 1:", 17, "a fault is missing"),
        (
            "at 1s channel 1: late-playlst 8s", 18,
            "unknown fault 'late-playlst'; the faults are late-playlist, "
        ),
        ("at 1s channel 1: late-playlist", 31, "a time (the delay) is missing"),
        ("at 1s channel 1: status 200", 25, "'200' is not a status such as 404, from 400 to 599"),
        ("at 1s channel 1: status 404 key", 29, "'key' is not one of playlist, segment"),
        ("at 1s channel 1: slow-drip 0", 28, "'0' is not a number of bytes per second"),
        ("at 1s channel 1: no-tags please", 26, "unexpected 'please'"),
        ("at 1s for 0 channel 1: no-tags", 7, "'for' takes a time above 0"),
        ("at 1s every 0 channel 1: no-tags", 7, "'every' takes a time above 0"),
        ("at 1s every 5s channel 1: no-tags", 7, "a repeated fault needs 'for'"),
        ("at 1s every 5s for 6s channel 1: no-tags", 7, "the fault would repeat before it ends"),
        ("at 1s for 5s channel 1: sequence-reset", 7, "this fault has no duration: it takes no 'for'"),
        ("at 1s channel 1: ad-break", 18, "a break needs 'for'"),
        ("at 1s channel 1: changed-key 0s", 30, "the lifetime of a key must be above 0"),
    ])
    func line_thatIsInvalid_isReportedWithItsPosition(line: String, column: Int, message: String) throws {
        let error = #expect(throws: SynthesisError.self) {
            try LiveScript(parsing: "# one\n\(line)\n", channelCount: 9)
        }
        guard case .script(2, column, let told) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(told.contains(message), "\(told)")
    }

    @Test func unknownFaultError_namesEveryFaultOfTheGrammar() throws {
        let unknown = try #require(
            #expect(throws: SynthesisError.self) { try Self.event("at 0 channel 1: none") })
        for line in LiveScript.grammar.split(separator: "\n").dropFirst(3) where !line.hasPrefix(" ") {
            let name = line.prefix { $0 != " " }
            #expect("\(unknown)".contains(name), "\(name)")
        }
    }

    @Test func event_thatRepeats_isActiveEachTime() throws {
        let event = try Self.event("at 10s every 60s for 5s channel 1: no-tags")
        let active = [9_999, 10_000, 14_999, 15_000, 69_999, 70_000, 74_999, 75_000].map {
            event.activeStart(at: $0)
        }
        #expect(active == [nil, 10_000, 10_000, nil, nil, 70_000, 70_000, nil])
        #expect([0, 10_000, 69_999, 70_000, 130_000].map { event.startCount(at: $0) } == [0, 1, 1, 2, 3])
        let once = try Self.event("at 10s channel 1: sequence-reset")
        #expect([9_999, 10_000, 900_000].map { once.startCount(at: $0) } == [0, 1, 1])
    }
}

import Testing

@testable import PlayerSession

/// The machine as a value: every call has a result in every state, and every tag is counted once.
@Suite struct SessionMachineTests {
    static let owner = "www.nielsen.com/X100zdCIGeIlgZnkYj6UvQ==/1/2/3/4/"
    static let appInfo: MetadataValue = ["appid": "T1", "appname": "App", "appversion": "1"]

    /// Returns a machine whose viewing sessions have numbered ids.
    static func machine(keepsRepeats: Bool = false, sendsOptedOut: Bool = false) -> SessionMachine {
        let ids = IDCounter()
        let policy = SessionPolicy(keepsRepeats: keepsRepeats, sendsOptedOut: sendsOptedOut)
        return SessionMachine(policy: policy) { ids.next() }
    }

    /// The situations in which a call may be made, each with the calls that lead to it.
    static let situations: [(name: String, calls: [SessionCall])] = [
        ("initial", []),
        ("idle", [SessionCall(.initialize, [appInfo])]),
        ("playing", [SessionCall(.initialize, [appInfo]), SessionCall(.play, [["channelName": "One"]])]),
        (
            "loaded",
            [
                SessionCall(.initialize, [appInfo]),
                SessionCall(.loadMetadata, [["type": "content", "assetid": "A"]]),
            ]
        ),
        (
            "stopped",
            [
                SessionCall(.initialize, [appInfo]), SessionCall(.play, [["channelName": "One"]]),
                SessionCall(.stop),
            ]
        ),
        (
            "paused",
            [
                SessionCall(.initialize, [appInfo]), SessionCall(.play, [["channelName": "One"]]),
                SessionCall(.pause),
            ]
        ),
        (
            "ended",
            [
                SessionCall(.initialize, [appInfo]), SessionCall(.play, [["channelName": "One"]]),
                SessionCall(.end),
            ]
        ),
        (
            "background",
            [
                SessionCall(.initialize, [appInfo]), SessionCall(.play, [["channelName": "One"]]),
                SessionCall(.appInBackground),
            ]
        ),
        ("failed", [SessionCall(.initialize, [["appid": ""]])]),
        ("disabled", [SessionCall(.initialize, [appInfo]), SessionCall(.appDisableApi, [true])]),
        (
            "opted out",
            [SessionCall(.initialize, [appInfo]), SessionCall(.userOptOut, ["nielsenappsdk://1"])]
        ),
        ("freed", [SessionCall(.initialize, [appInfo]), SessionCall(.free)]),
    ]

    /// Returns a valid call with a name.
    static func goodCall(_ name: CallName) -> SessionCall {
        switch name {
        case .initialize: SessionCall(name, [appInfo])
        case .play: SessionCall(name, [["channelName": "Two"]])
        case .loadMetadata, .staticStart: SessionCall(name, [["type": "content", "assetid": "B"]])
        case .updateMetadata: SessionCall(name, [["title": "T"]])
        case .sendID3: SessionCall(name, [.text(owner)])
        case .playheadPosition, .setPlayheadPosition, .setVolume: SessionCall(name, [10])
        case .setMute, .appDisableApi: SessionCall(name, [false])
        case .userOptOut: SessionCall(name, ["nielsenappsdk://0"])
        case .updateOTT: SessionCall(name, [["ottStatus": "0"]])
        case .trackViewability: SessionCall(name, [[]])
        case .processEvent: SessionCall(name, ["focus"])
        case .trackEvent:
            SessionCall(name, [["event": "playhead", "type": "content", "id3Data": .text(owner)]])
        case .ggPM: SessionCall(name, ["sendID3", .text(owner)])
        default: SessionCall(name)
        }
    }

    /// The state after each valid call, by situation.
    ///
    /// A call without an entry does not change the state.
    static let statesAfter: [String: [CallName: SessionState]] = [
        "initial": [.initialize: .idle],
        "idle": [
            .play: .processing, .loadMetadata: .processing, .staticStart: .processing, .sendID3: .processing,
            .trackEvent: .processing, .ggPM: .processing, .free: .initial,
        ],
        "playing": [
            .end: .idle, .staticEnd: .idle, .appInBackground: .idle, .free: .initial,
        ],
        "loaded": [
            .end: .idle, .staticEnd: .idle, .appInBackground: .idle, .free: .initial,
        ],
        "stopped": [
            .end: .idle, .staticEnd: .idle, .appInBackground: .idle, .free: .initial,
        ],
        "paused": [
            .end: .idle, .staticEnd: .idle, .appInBackground: .idle, .free: .initial,
        ],
        "ended": [
            .play: .processing, .loadMetadata: .processing, .staticStart: .processing, .sendID3: .processing,
            .trackEvent: .processing, .ggPM: .processing, .free: .initial,
        ],
        "background": [
            .play: .processing, .loadMetadata: .processing, .staticStart: .processing, .sendID3: .processing,
            .trackEvent: .processing, .ggPM: .processing, .free: .initial, .appInForeground: .processing,
            .processEvent: .processing,
        ],
        "failed": [.initialize: .idle],
        "disabled": [.appDisableApi: .idle],
        "opted out": [
            .play: .processing, .loadMetadata: .processing, .staticStart: .processing, .free: .initial,
            .trackEvent: .processing,
        ],
        "freed": [.initialize: .idle],
    ]

    @Test(arguments: situations.map(\.name), CallName.allCases)
    func call_inEachState_hasExpectedOutcomeAndNextState(situation: String, name: CallName) throws {
        let calls = try #require(Self.situations.first { $0.name == situation }).calls
        var machine = Self.machine()
        var now = Duration.zero
        for call in calls {
            _ = machine.handle(call, at: now)
            now += .seconds(1)
        }
        let before = machine.state
        let counts = machine.counts
        let step = machine.handle(Self.goodCall(name), at: now)
        let expected = Self.statesAfter[situation]?[name] ?? before
        #expect(step.result.state == expected && machine.state == expected)
        #expect(machine.counts.isConserved)
        // A tag is stored in every state, unless the user has opted out or the session is disabled.
        let bringsTag = [CallName.sendID3, .trackEvent, .ggPM].contains(name)
        let isOff = ["disabled", "opted out"].contains(situation)
        #expect(machine.counts.handed == counts.handed + (bringsTag ? 1 : 0))
        if bringsTag { #expect(step.result.outcome == (isOff ? .discarded : .stored)) }
        #expect(
            step.writes.contains { if case .store(.tag) = $0 { true } else { false } }
                == (bringsTag && !isOff))
        if before == .disabled, !bringsTag, machine.state == .disabled {
            let isHeard = [
                CallName.appDisableApi, .userOptOut, .optOutStatus, .optOutURL, .getLastEvent,
                .getLastOccurredEvent, .getLastOccurredError, .getMeterVersion, .deviceId, .firstPartyId,
                .free, .initialize,
            ].contains(name)
            #expect((step.result.outcome == .discarded) == !isHeard)
        }
    }

    /// The arguments are null, or values that no guide describes.
    ///
    /// No call crashes, and every tag is counted.
    @Test(arguments: situations.map(\.name), CallName.allCases)
    func call_withArbitraryArguments_conservesCounts(situation: String, name: CallName) throws {
        let calls = try #require(Self.situations.first { $0.name == situation }).calls
        let wild: [MetadataValue] = [
            nil, "", "{", "{}", "[]", -1, 1e300, 99_999_999_999_999, true, [], [nil, []], ["": ["": nil]],
            ["type": [], "assetid": ["a": 1], "channelName": [1]], "nielsenappsdk://2", "\u{0}", "payload=",
            "type=nielsen_tag;payload=%%%", ["event": [], "metadata": "x", "id3Data": 5, "optout": []],
            .number(.nan), .number(-.infinity),
        ]
        for first in wild {
            for second in [nil, wild[5], wild[9]] as [MetadataValue?] {
                var machine = Self.machine()
                for call in calls { _ = machine.handle(call, at: .zero) }
                let arguments = [first] + (second.map { [$0] } ?? [])
                _ = machine.handle(SessionCall(name, arguments), at: .seconds(1))
                #expect(machine.counts.isConserved)
            }
        }
    }
}

/// Makes ids with consecutive numbers.
final class IDCounter: Sendable {
    private let count = Counter()

    func next() -> String { "viewing-\(count.next())" }
}

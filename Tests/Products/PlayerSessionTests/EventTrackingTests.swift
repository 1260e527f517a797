import NielsenID3
import TestSupport
import Testing

@testable import PlayerSession

/// The Simplified API, event by event.
@Suite(.timeLimit(.minutes(30))) struct EventTrackingTests {
    private static func event(
        _ event: MetadataValue, type: MetadataValue = "content", ad: MetadataValue = [:], tag: String? = nil,
        playhead: MetadataValue = "1"
    ) -> SessionCall {
        var members: [MetadataValue.Member] = [
            .init("event", event), .init("type", type), .init("playheadPosition", playhead),
            .init(
                "metadata",
                [
                    "content": ["type": "content", "assetid": "C", "channelName": "One"], "ad": ad,
                    "static": [:],
                ]),
        ]
        if let tag { members.append(.init("id3Data", .text(tag))) }
        return SessionCall(.trackEvent, [.object(members)])
    }

    /// Reports events to a new session as an app does, and ends the session.
    @discardableResult
    private static func track(
        _ events: [SessionCall], in folder: TemporaryFolder
    ) async throws -> MeasurementSession {
        let session = MeasurementSession(
            appInfo: SessionMachineTests.appInfo, options: SessionOptions(directory: folder.path))
        for event in events { session.trackEvent(event.arguments[0]) }
        #expect(await session.finish())
        return session
    }

    private static func machine() -> SessionMachine {
        var machine = SessionMachineTests.machine()
        _ = machine.handle(SessionCall(.initialize, [SessionMachineTests.appInfo]), at: .zero)
        return machine
    }

    @Test func events_ofAnAdAndItsContent_areOneSession() {
        var machine = Self.machine()
        let ad: MetadataValue = ["assetid": "AD", "type": "preroll", "adldx": "1"]
        let second: MetadataValue = ["assetid": "AD", "type": "preroll", "adIdx": "2"]
        let events = [
            Self.event("playhead", type: "ad", ad: ad), Self.event("playhead", type: "ad", ad: second),
            Self.event("adStop", type: "ad", ad: second), Self.event("playhead"), Self.event("pause"),
            Self.event("playhead", tag: "www.nielsen.com/a"), Self.event("complete"),
        ]
        var findings: [SessionFinding] = []
        for (second, event) in events.enumerated() {
            findings += machine.handle(event, at: .seconds(second)).result.findings
        }
        #expect(machine.counts.sessions == 1 && machine.counts.stored == 1 && machine.state == .idle)
        #expect(findings.allSatisfy { $0 == .keyMissing || $0 == .keyCase }, "\(findings)")
    }

    /// For every order of the events, the machine infers the missing loads and stops, and stores every tag.
    @Test func events_outOfOrder_loseNoTag() {
        let ad: MetadataValue = ["assetid": "AD", "type": "midroll"]
        let events = [
            Self.event("adStop", type: "ad", ad: ad, tag: "www.nielsen.com/a"),
            Self.event("complete", tag: "www.nielsen.com/b"),
            Self.event("pause", tag: "www.nielsen.com/c"),
            Self.event("playhead", type: "ad", ad: ad, tag: "www.nielsen.com/d"),
        ]
        for first in events.indices {
            for second in events.indices where second != first {
                for third in events.indices where ![first, second].contains(third) {
                    var machine = Self.machine()
                    let order = [first, second, third, 6 - first - second - third]
                    for index in order {
                        let result = machine.handle(events[index], at: .seconds(1)).result
                        #expect(result.outcome == .stored)
                    }
                    #expect(machine.counts.stored == 4 && machine.counts.isConserved)
                }
            }
        }
    }

    /// The tag of an event is handled before the end that the event reports.
    @Test func tag_ofCompleteEvent_belongsToTheEndingSession() async throws {
        let folder = try TemporaryFolder()
        let session = try await Self.track(
            [
                Self.event("playhead", tag: "www.nielsen.com/a"),
                Self.event("complete", tag: "www.nielsen.com/b", playhead: "2"),
            ], in: folder)
        let places = try await folder.storedPlaces()
        #expect(places.map(\.order) == [0, 1] && Set(places.map(\.id)).count == 1)
        #expect(session.counts.sessions == 1 && session.findings[.tagAfterEnd] == nil)
    }

    /// The index distinguishes ads with the same id: the playhead of each ad starts again, and each tag has the type of
    /// its ad.
    @Test(arguments: ["adIdx", "adldx"])
    func ads_withTheSameIDAndDifferentIndexes_areDistinct(key: String) async throws {
        func ad(_ index: String, _ type: String) -> MetadataValue {
            .object([
                .init("assetid", "AD"), .init("type", .text(type)), .init(key, .text(index)),
            ])
        }
        let folder = try TemporaryFolder()
        let events = [
            Self.event("playhead", type: "ad", ad: ad("1", "preroll"), playhead: "15"),
            Self.event(
                "playhead", type: "ad", ad: ad("2", "preroll"), tag: "www.nielsen.com/a", playhead: "0"),
            Self.event("playhead", type: "ad", ad: ad("3", "midroll"), tag: "www.nielsen.com/b"),
        ]
        let session = try await Self.track(events, in: folder)
        #expect(try await folder.storedPlaces().map(\.assetType) == ["preroll", "midroll"])
        #expect(session.counts.sessions == 1 && session.findings[.playheadBackwards] == nil)
    }

    /// Ads with the same id are the same ad if they have the same index, or no index.
    @Test func ads_withTheSameIDAndIndex_areTheSameAd() async throws {
        let folder = try TemporaryFolder()
        let ad: MetadataValue = ["assetid": "AD", "type": "preroll", "adIdx": "1"]
        let session = try await Self.track(
            [
                Self.event("playhead", type: "ad", ad: ad, playhead: "15"),
                Self.event("playhead", type: "ad", ad: ad, playhead: "0"),
            ], in: folder)
        #expect(session.findings[.playheadBackwards] == 1)
    }

    @Test func event_withOptout_optsTheUserOut() {
        var machine = Self.machine()
        let event: MetadataValue = ["event": "playhead", "type": "content", "optout": "true", "id3Data": "x"]
        let outcome = machine.handle(SessionCall(.trackEvent, [event]), at: .zero).result.outcome
        #expect(outcome == .discarded)
        #expect(machine.choice.isOptedOut)
    }

    @Test func event_whileDisabled_countsItsTagAsDiscarded() {
        var machine = Self.machine()
        _ = machine.handle(SessionCall(.appDisableApi, [true]), at: .zero)
        let step = machine.handle(Self.event("playhead", tag: "www.nielsen.com/a"), at: .zero)
        #expect(step.result.outcome == .discarded && machine.counts.discarded == 1)
        _ = machine.handle(Self.event("playhead"), at: .zero)
        #expect(machine.counts.handed == 1)
    }
}

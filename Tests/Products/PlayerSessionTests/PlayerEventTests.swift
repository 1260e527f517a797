import Testing

@testable import PlayerSession

@Suite struct PlayerEventTests {
    private static func event(_ kind: String, _ index: String) -> SessionCall {
        SessionCall(
            .trackEvent,
            [
                [
                    "event": .text(kind), "type": "ad",
                    "metadata": ["ad": ["type": "ad", "assetid": "AD", "adIdx": .text(index)]],
                ]
            ])
    }

    private static func loads(_ events: [PlayerEvent]) -> Int {
        events.count { if case .load = $0 { true } else { false } }
    }

    private static func stops(_ events: [PlayerEvent]) -> Int {
        events.count { if case .stop = $0 { true } else { false } }
    }

    /// Guide 003, "Managing ads": the advertisement that ends is the previous one.
    @Test func adStop_withIndexOfTheNextAd_stopsThePreviousAd() {
        var last: TrackedAsset?
        let first = PlayerEvent.events(of: Self.event("playhead", "1"), after: &last)
        #expect(Self.loads(first) == 1 && Self.stops(first) == 0)
        let stop = PlayerEvent.events(of: Self.event("adStop", "2"), after: &last)
        #expect(Self.loads(stop) == 0 && Self.stops(stop) == 1)
        let second = PlayerEvent.events(of: Self.event("playhead", "2"), after: &last)
        #expect(Self.loads(second) == 1)
    }
}

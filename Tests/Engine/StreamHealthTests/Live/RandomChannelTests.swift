import HLSPlaylist
import NielsenID3
import StreamHealth
import Testing

/// Random events of a channel, in any order.
@Suite struct RandomChannelTests {
    /// Numbers determined by a seed (SplitMix64).
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            return value ^ (value >> 31)
        }
    }

    private static func perform(_ feed: inout ChannelFeed, _ numbers: inout Numbers) throws {
        let rendition = Int.random(in: 0..<3, using: &numbers)
        switch Int.random(in: 0..<16, using: &numbers) {
        case 0: try feed.play(30, .unheard)
        case 1: try feed.play(30, .replaced)
        case 2: try feed.play(120, .replaced, isInBreak: true)
        case 3: feed.splice()
        case 4: feed.wait(Double(Int.random(in: 1..<90, using: &numbers)))
        case 5: feed.sequence = UInt16.random(in: 0...UInt16.max, using: &numbers)
        case 6:
            feed.change = { $0.checksumError = 1 }
            try feed.play(30)
            feed.change = { _ in }
        case 7:
            for _ in 0..<3 {
                feed.perform {
                    $0.observe(
                        .failed(FetchFailure(httpStatus: 503)), rendition: RenditionID(rendition), at: $1)
                }
            }
        case 8:
            feed.perform {
                $0.observe(
                    [.stale(unchangedFor: .seconds(10), targetDuration: .seconds(6))],
                    rendition: RenditionID(rendition),
                    at: $1)
            }
        case 9:
            for _ in 0..<2 {
                feed.perform {
                    $0.observe(
                        [.sequenceBack(newest: 9, found: 0)], rendition: RenditionID(rendition), at: $1)
                }
            }
        case 10:
            let fetch = SegmentFetch(
                name: "a", duration: 6, seconds: 9, failure: FetchFailure(httpStatus: 404))
            feed.perform { $0.observe(fetch, rendition: RenditionID(rendition), at: $1) }
        case 11:
            feed.perform { $0.pause(at: $1) }
            feed.wait(20)
            feed.perform { $0.resume(at: $1) }
        case 12:
            feed.perform { $0.end(at: $1) }
            feed.wait(20)
            feed.perform { $0.resume(at: $1) }
        case 13: feed.perform { $0.resume(at: $1) }
        default: try feed.play(60)
        }
    }

    @Test(arguments: 1...12) func randomEvents_raiseAndClearAlertsInTurn_andEndHealthy(seed: UInt64) throws {
        var numbers = Numbers(state: seed)
        var feed = ChannelFeed { $0.quietHours = QuietHours("12:10-12:20") }
        for _ in 0..<60 { try Self.perform(&feed, &numbers) }
        feed.perform { $0.resume(at: $1) }
        try feed.play(900)
        #expect(feed.health.state == .healthy, "\(feed.events.suffix(3))")
        #expect(feed.openAlerts == [])

        var open: [CheckID: Episode] = [:]
        var state = ChannelState.connecting
        for event in feed.events {
            switch event {
            case .state(let from, let to, _):
                #expect(from == state && to != state)
                state = to
            case .finding(_, let finding): #expect(finding.status >= .warn)
            case .backup: break
            }
        }
        for alert in feed.alertChanges {
            if alert.isCleared {
                #expect(open.removeValue(forKey: alert.check)?.since == alert.since)
            } else {
                #expect(open.updateValue(alert, forKey: alert.check) == nil)
            }
        }
        #expect(open.isEmpty)
        #expect(feed.alertChanges.count { !$0.isCleared } > 3)
    }
}

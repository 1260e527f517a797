import HLSPlaylist
import NielsenID3
import StreamHealth
import Testing

@testable import StreamMonitor

@Suite("What a channel may use in some time", .timeLimit(.minutes(30)))
struct RateShareTests {
    @Test func share_isLimitedPerPeriod_andRecoversOverTime() {
        var share = RateShare(60, every: .seconds(60))
        let taken = [(100, 0), (1, 0), (5, 2), (100, 30), (1_000, 10_000)].map { wanted, seconds in
            share.claim(wanted, at: .seconds(seconds))
        }
        #expect(taken == [60, 0, 2, 28, 60])
    }

    @Test func initialCount_appliesOnlyToTheFirstPeriod() {
        var share = RateShare(10, every: .seconds(60), initialCount: 1_000)
        let taken = [(500, 100), (100, 159), (500, 160)].map { wanted, seconds in
            share.claim(wanted, at: .seconds(seconds))
        }
        #expect(taken == [500, 100, 10])
    }

    @Test func share_whileTheClockIsStopped_doesNotRecover() {
        var share = RateShare(1, every: .seconds(1))
        let taken = (0..<3).map { _ in share.claim(1, at: .seconds(5)) }
        #expect(taken == [1, 0, 0])
    }

    private static func alert(_ check: CheckID, _ index: Int) -> Alert {
        Alert(scope: .channel("a"), check: check, since: Double(index), severity: .fail, detail: "")
    }

    /// An alert that is cleared before it was published is dropped; one that lasts is published later.
    @Test func alertsBeyondTheQuota_waitUntilTheyFitOrAreCleared() {
        var policy = HealthPolicy()
        policy[.channelAlerts] = 2
        var quota = AlertQuota(policy)
        let raised = (0..<4).map { Self.alert(.segmentHTTP, $0) }
        let first = quota.pass(raised.map(AlertChange.raised), at: .zero)
        #expect(first.changes.map(\.alert) == Array(raised.prefix(2)) && first.isExceeded)
        let over = quota.pass([.cleared(raised[0]), .cleared(raised[2])], at: .seconds(1))
        #expect(over.changes.map(\.alert) == [raised[0]] && !over.isExceeded)
        // The alert about an exceeded share always passes, because an operator must see it.
        let own = quota.pass([.raised(Self.alert(.channelOverLimit, 9))], at: .seconds(1))
        #expect(own.changes.map(\.alert.check) == [.channelOverLimit])
        let later = quota.pass([], at: .seconds(1_801))
        #expect(later.changes == [.raised(raised[3])])
        let end = quota.pass([.cleared(raised[3])], at: .seconds(1_802))
        #expect(end.changes.map(\.alert) == [raised[3]])
    }
}

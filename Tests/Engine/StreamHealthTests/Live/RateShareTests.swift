import StreamHealth
import Testing

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
}

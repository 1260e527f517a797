import Testing

@testable import PlayerSession

/// `watched` in the record of a playback: docs/keys.md, "Records of players".
@Suite struct WatchedTimeTests {
    private typealias Calls = RecordedCalls

    private static let epoch = 1_790_000_000.0

    /// Returns the seconds watched in the only record of a playback.
    private static func watched(_ play: (inout Calls) throws -> Void) throws -> Double {
        var made = Calls()
        try made.make([SessionCall(.play, [["channelName": "One"]]), Calls.load("A")], after: .zero)
        try play(&made)
        try made.make([SessionCall(.end)], after: .zero)
        let records = made.records("session")
        try #require(records.count == 1)
        return try #require(records[0].number("watched"))
    }

    /// Reports a playhead at each of these times; the position is `start` and the time since the first.
    private static func play(
        _ made: inout Calls, at times: [Double], from start: Double, speed: Double = 1
    ) throws {
        for time in times {
            try made.make([Calls.playhead(start + (time - times[0]) * speed)], at: .seconds(time))
        }
    }

    private static func seconds(_ range: ClosedRange<Int>, every step: Int = 1) -> [Double] {
        stride(from: range.lowerBound, through: range.upperBound, by: step).map(Double.init)
    }

    /// A live stream of 10 s, an interruption, and 10 s more.
    @Test(arguments: [60, 600, 1_200], [CallName.stop, .pause])
    func interruption_ofLiveStream_isNotWatched(pause: Int, call: CallName) throws {
        let watched = try Self.watched { made in
            try Self.play(&made, at: Self.seconds(0...10), from: Self.epoch)
            try made.make([SessionCall(call)])
            let start = 11 + pause
            try Self.play(&made, at: Self.seconds(start...start + 10), from: Self.epoch + Double(start))
        }
        #expect(watched == 20)
    }

    /// Guide 004, "Interruption scenario": content that buffers needs no `stop`.
    @Test(arguments: [true, false]) func stall_of12Seconds_isNotWatched(isLive: Bool) throws {
        let watched = try Self.watched { made in
            let start = isLive ? Self.epoch : 0
            try Self.play(&made, at: Self.seconds(0...10), from: start)
            try Self.play(&made, at: Self.seconds(22...32), from: start + (isLive ? 22 : 11))
        }
        #expect(watched == 20)
    }

    /// A player that reports the same position while it buffers.
    @Test func position_thatStandsStill_isNotWatched() throws {
        let watched = try Self.watched { made in
            try Self.play(&made, at: Self.seconds(0...10), from: 0)
            for time in 11...22 { try made.make([Calls.playhead(10)], at: .seconds(time)) }
            try Self.play(&made, at: Self.seconds(23...33), from: 11)
        }
        #expect(watched == 21)
    }

    @Test func skips_areNotWatched_norIsASeekAfterStop() throws {
        let skipped = try Self.watched { made in
            try Self.play(&made, at: Self.seconds(0...10), from: 0)
            for skip in 1...3 {
                try Self.play(&made, at: Self.seconds(11 * skip...11 * skip + 10), from: Double(35 * skip))
            }
        }
        // The second of each skip may count.
        #expect((40...43).contains(skipped))
        let sought = try Self.watched { made in
            try Self.play(&made, at: Self.seconds(0...10), from: 0)
            try made.make([SessionCall(.stop), Calls.load("A")], after: .zero)
            try Self.play(&made, at: Self.seconds(11...20), from: 26)
        }
        #expect(sought == 19)
    }

    @Test(arguments: [1, 2, 5, 10], [true, false])
    func playheads_ofAnyInterval_countWhole_andStallsAmongThemDoNot(interval: Int, isLive: Bool) throws {
        let start = isLive ? Self.epoch : 0
        let whole = try Self.watched {
            try Self.play(&$0, at: Self.seconds(0...100, every: interval), from: start)
        }
        #expect(whole == 100)
        let stalled = try Self.watched { made in
            try Self.play(&made, at: Self.seconds(0...100, every: interval), from: start)
            try Self.play(&made, at: Self.seconds(160...260, every: interval), from: start + 160)
        }
        #expect(stalled == 200)
    }

    /// Players use timers that are late, and some report several times a second.
    @Test func wholePositions_ofAnyTimer_countWhole() throws {
        let late = try Self.watched { made in
            for second in 0...100 {
                let delay = second % 2 == 0 ? 0 : 0.2
                try made.make([Calls.playhead(Double(second))], at: .seconds(Double(second) + delay))
            }
        }
        #expect((99...100.5).contains(late))
        let often = try Self.watched { made in
            for quarter in 0...400 {
                try made.make([Calls.playhead(Double(quarter / 4))], at: .seconds(Double(quarter) / 4))
            }
        }
        #expect((99...100).contains(often))
    }

    /// Live playheads are the wall clock, which may be set.
    @Test(arguments: [3_600.0, -3_600]) func step_ofTheClock_isNotWatched(step: Double) throws {
        let watched = try Self.watched { made in
            try Self.play(&made, at: Self.seconds(0...10), from: Self.epoch)
            try Self.play(&made, at: Self.seconds(11...21), from: Self.epoch + 11 + step)
        }
        #expect(watched == 20)
    }

    /// No more than the time that passed, also of a log that was written at 100 times the speed.
    @Test(arguments: [0.5, 1, 2, 100]) func speed_ofPlayback_countsTheTimeThatPassed(speed: Double) throws {
        let watched = try Self.watched { made in
            try Self.play(&made, at: (0...360).map { Double($0) / 10 }, from: 0, speed: speed)
        }
        #expect((min(speed, 1) * 36 - 0.2...min(speed, 1) * 36 + 0.001).contains(watched))
    }
}

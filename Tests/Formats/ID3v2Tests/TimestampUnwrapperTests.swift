import ID3v2
import Testing

@Suite struct TimestampUnwrapperTests {
    private static let period = Int64(MediaTimestamp.transportPeriod)

    @Test func firstPTS_isUnchanged() {
        for pts in [0, 1, 900_000, MediaTimestamp.transportPeriod - 1] {
            var unwrapper = TimestampUnwrapper()
            #expect(unwrapper.unwrap(pts: pts) == Int64(pts))
        }
    }

    /// Every start with every step of less than half the period results in start + step.
    @Test func step_belowHalfThePeriod_isPreserved() {
        let starts: [Int64] = [0, 1, 90_000, Self.period / 2, Self.period - 90_000, Self.period - 1]
        let half = Self.period / 2
        let steps: [Int64] = [0, 1, -1, 900_000, -900_000, half - 1, -half]
        for start in starts {
            for step in steps {
                var unwrapper = TimestampUnwrapper()
                _ = unwrapper.unwrap(pts: UInt64(start))
                let wrapped = UInt64(bitPattern: start + step) & (MediaTimestamp.transportPeriod - 1)
                #expect(unwrapper.unwrap(pts: wrapped) == start + step, "start \(start), step \(step)")
            }
        }
    }

    @Test func timeline_overThreeWraps_increasesWithoutAJump() {
        var unwrapper = TimestampUnwrapper()
        let step: Int64 = 90_000 * 3_600
        for index in 0..<90 {
            let place = Int64(index) * step
            let pts = UInt64(place % Self.period)
            #expect(unwrapper.unwrap(pts: pts) == place)
        }
    }

    @Test func ptsBitsAboveThe33rd_areIgnored() {
        var unwrapper = TimestampUnwrapper()
        #expect(unwrapper.unwrap(pts: 1 << 33 | 5) == 5)
        #expect(MediaTimestamp(pts: 1 << 40 | 7).ticks == 7)
    }
}

@Suite struct MediaTimestampTests {
    @Test func timestamp_withZeroTimescale_isNil() {
        #expect(MediaTimestamp(ticks: 1, timescale: 0) == nil)
        #expect(MediaTimestamp(ticks: 90, timescale: 60)?.seconds == 1.5)
    }
}

import Foundation
import ID3v2
import Testing

@Suite struct ClockMomentTests {
    @Test(
        arguments: [
            (1_795_176_000.0004, 1_795_176_000_000), (1_795_176_000.0006, 1_795_176_000_001), (-1.5, -1_500),
            (1e300, 0), (-1e300, 0), (.nan, 0), (.infinity, 0),
        ] as [(Double, Int64)])
    func wallTime_fromAnyNumber_isRoundedToMilliseconds(seconds: Double, milliseconds: Int64) {
        #expect(WallTime(unixSeconds: seconds).unixMilliseconds == milliseconds)
    }

    @Test(arguments: [0, 1, 999, 1_795_176_000_123, -1] as [Int64])
    func wallTime_fromMilliseconds_roundTrips(milliseconds: Int64) {
        #expect(WallTime(unixMilliseconds: milliseconds).unixMilliseconds == milliseconds)
    }

    @Test func moment_withAdvancedSteadyTime_keepsTheWallClockOffset() {
        var moment = ClockMoment(steady: SteadyTime(seconds: 1_000), wall: WallTime(unixSeconds: 700))
        #expect(moment.wallOffset == -300)
        moment.steady = moment.steady + 60
        #expect(moment.wall == WallTime(unixSeconds: 760))
        #expect(moment.steady - SteadyTime(seconds: 1_000) == 60)
    }

    @Test func steadyTime_inJSON_isANumber() throws {
        let text = try JSONEncoder().encode(["a": SteadyTime(seconds: 1.5)])
        #expect(String(decoding: text, as: UTF8.self) == #"{"a":1.5}"#)
        #expect(
            try JSONDecoder().decode([String: SteadyTime].self, from: text) == ["a": SteadyTime(seconds: 1.5)]
        )
    }
}

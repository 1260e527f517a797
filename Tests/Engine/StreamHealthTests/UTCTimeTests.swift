import Foundation
import Testing

@testable import StreamHealth

@Suite struct UTCTimeTests {
    /// Compares with Foundation every 4.6 days over 136 years, including leap years and their exceptions.
    @Test func dates_matchFoundation() {
        let format = Date.ISO8601FormatStyle(timeZone: .gmt)
        for seconds in stride(from: Int64(0), through: Int64(UInt32.max), by: 400_321) {
            let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(format)
                .replacing("T", with: " ").replacing("Z", with: " UTC")
            #expect(UTCTime(unixSeconds: seconds).withDate == expected)
        }
    }

    @Test func seconds_areWrittenWithoutTrailingZeros() {
        let cases: [(Double, String)] = [
            (0, "0 s"), (9, "9 s"), (0.5, "0.5 s"), (-12.25, "-12.25 s"), (1.0004, "1 s"),
            (0.0616, "0.062 s"),
            (-0.0001, "0 s"), (310, "310 s"), (9.999_9, "10 s"),
        ]
        for (seconds, text) in cases { #expect(SecondsText(seconds).description == text) }
        #expect(SecondsText(.infinity).description == "inf s")
        #expect(SecondsText(.nan).description == "nan s")
        #expect(SecondsText(-7).description == "-7 s")
    }
}

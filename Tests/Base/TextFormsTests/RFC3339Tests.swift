import Foundation
import Testing
import TextForms

@Suite struct RFC3339Tests {
    @Test func rfc3339_onEachDayOfFourCenturies_agreesWithFoundation() throws {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        // Steps of 13 days and 1.2 hours from 1890 cover all months, leap days and century years.
        for step in stride(from: -2_524_608_000_000, to: 10_098_345_600_000, by: 1_127_593_123) {
            let milliseconds = Int64(step)
            let seconds = (Double(milliseconds) / 1_000).rounded(.down)
            let text = RFC3339.text(unixMilliseconds: milliseconds)
            let expected = formatter.string(from: Date(timeIntervalSince1970: seconds))
            try #require(text.prefix(20) == expected.prefix(19) + ".")
            try #require(
                text.dropFirst(20).dropLast() == Self.threeDigits(milliseconds - Int64(seconds) * 1_000))
        }
        #expect(RFC3339.text(unixMilliseconds: 1_763_640_019_200) == "2025-11-20T12:00:19.200Z")
        #expect(RFC3339.text(unixMilliseconds: .min) == "0000-01-01T00:00:00.000Z")
        #expect(RFC3339.text(unixMilliseconds: .max) == "9999-12-31T23:59:59.999Z")
        #expect(RFC3339.tableText(unixSeconds: 1_491_483_783) == "2017-04-06 13:03:03")
    }

    private static func threeDigits(_ number: Int64) -> Substring {
        Substring(String(repeating: "0", count: 3 - String(number).count) + String(number))
    }
}

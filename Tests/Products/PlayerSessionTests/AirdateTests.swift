import Testing

@testable import PlayerSession

@Suite struct AirdateTests {
    private static func isValid(_ text: String) -> Bool {
        AirdateForm.allCases.contains { $0.matches(text) }
    }

    @Test(arguments: [
        "20260110 20:00:00", "2026011020:00:00", "2026-01-10T20:00:00", "2026-01-1020:00:00",
        "2026-01-10 20:00:00", "2026-01-10T20:00:00+02:00", "2026-01-10T20:00:00-05:30", "01-10-2026",
        "01/10/2026", "19700101 00:00:00", "20240229 23:59:59", "20260110200000",
    ])
    func airdate_inAFormatOfTheGuides_isValid(text: String) {
        #expect(Self.isValid(text))
    }

    @Test(arguments: [
        "", "today", "20260110", "2026-01-10", "20260132 20:00:00", "20230229 00:00:00", "20260110 24:00:00",
        "20260110 20:60:00", "13/10/2026", "01-10/2026", "2026-01-10T20:00:00Z", "2026-01-10T20:00:00+2:00",
        "20260110 20:00:00 and more", "2026011020000", "20260110240000", "２０２６0110 20:00:00",
    ])
    func airdate_inAnyOtherFormat_isInvalid(text: String) {
        #expect(!Self.isValid(text))
    }

    /// Each character in turn is replaced by a letter.
    ///
    /// The result is not a date, and does not crash the parser.
    @Test func airdate_withALetterAnywhere_isInvalid() {
        for text in ["20260110 20:00:00", "2026-01-10T20:00:00+02:00", "01-10-2026"] {
            for place in text.indices where text[place] != "T" && text[place] != " " {
                var damaged = text
                damaged.replaceSubrange(place...place, with: "x")
                #expect(!Self.isValid(damaged))
                // Without its time zone, the longest form is another valid form.
                let front = String(text[..<place])
                #expect(!Self.isValid(front) || front == "2026-01-10T20:00:00")
            }
        }
    }
}

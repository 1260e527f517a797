import CDTVRHeader
import TestSupport
import Testing

/// The numbers that a player passes, at their extremes: each call returns, and every tag is counted.
@Suite(.timeLimit(.minutes(30))) struct ExtremeArgumentTests {
    private static let numbers: [Double] = [
        0, -0.0, 1, -1, 0.5, .nan, .infinity, -.infinity, 1e308, -1e308, 9_007_199_254_740_992,
        9_223_372_036_854_775_808, -9_223_372_036_854_775_808, 18_446_744_073_709_551_616, 100_000_000_001,
        .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    ]

    @Test func numberArgument_withExtremeValue_isUsedOrRefused() async throws {
        let folder = try TemporaryFolder()
        let session = try #require(CSession(folder.path))
        #expect(try await session.settle() == DTVR_DONE)
        var sentCount: UInt64 = 0
        for (index, number) in Self.numbers.enumerated() {
            for form in 0..<3 {
                session.hand(number)
                session.send("www.nielsen.com/\(index)/\(form)", mediaTime: number)
                sentCount += 1
            }
        }
        let texts = ExtremeNumbers.texts.map { $0.isEmpty ? "null" : $0 } + ["1e999", "-1e999", "0e99999"]
        for text in texts {
            session.handMetadata(#"{"assetid":"a","type":"content","length":\#(text),"program":"\#(text)"}"#)
            for name in ["setPlayheadPosition", "ggPM", "play", "stop", "end", "setVolume", "15", text] {
                session.call(name, "[\(text), \(text), \"\(text)\"]")
            }
        }
        #expect(try await session.settle() == DTVR_DONE)
        let counts = session.counts
        let accounted = [
            counts.stored, counts.repeats, counts.ignored, counts.invalid, counts.discarded,
        ].reduce(0, +)
        #expect(counts.handed == accounted && counts.handed >= sentCount)
        #expect(try await session.destroy() == DTVR_DONE)
    }

    @Test func sizeAndAgeOptions_withExtremeValues_areUsedOrRefused() async throws {
        let folder = try TemporaryFolder()
        let extremes = ExtremeNumbers.unsigned(bitCount: 64)
        for number in extremes {
            for isAge in [false, true] {
                let path = folder.path + "/\(number)\(isAge)"
                let options = CSession.Options(
                    maximumByteCount: isAge ? 0 : number, maximumAgeSeconds: isAge ? number : 0)
                let isValid =
                    isAge
                    ? number <= 100 * 365 * 86_400 : number == 0 || (2_000_000...1_000_000_000_000) ~= number
                let session = CSession(path, options)
                #expect((session != nil) == isValid, "\(number)")
                guard let session else { continue }
                session.send("www.nielsen.com/a")
                #expect(try await session.settle(milliseconds: .max) == DTVR_DONE)
                #expect([DTVR_DONE, DTVR_TIMED_OUT].contains(try await session.settle(milliseconds: 0)))
                #expect(try await session.destroy() == DTVR_DONE)
            }
        }
        for code in [Int32.min, -1, 0, 1, .max] { #expect(unsafe dtvr_error_text(code) != nil) }
    }
}

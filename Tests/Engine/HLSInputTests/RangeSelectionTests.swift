import Testing

@testable import HLSInput

@Suite struct RangeSelectionTests {
    /// Every selection of a stream of 12 bytes, in pieces of every size.
    @Test func selection_inPiecesOfAnySize_yieldsExactlyItsBytes() throws {
        let bytes = Array(0..<12)
        for size in 1...12 {
            for offset in 0...14 {
                for length in [nil] + Array(0...14).map(UInt64?.some) {
                    var selection = RangeSelection(skipping: UInt64(offset), taking: length)
                    var taken: [Int] = []
                    for start in stride(from: 0, to: bytes.count, by: size) {
                        let piece = bytes[start..<min(start + size, bytes.count)]
                        let part = selection.advance(by: piece.count)
                        taken += piece.dropFirst(part.lowerBound).prefix(part.count)
                    }
                    let wanted = bytes.dropFirst(offset).prefix(length.map { Int($0) } ?? .max)
                    try #require(taken == Array(wanted))
                    try #require(selection.isMissingBytes == (taken.count < (length.map { Int($0) } ?? 0)))
                    try #require(selection.isComplete == (length.map { taken.count == Int($0) } ?? false))
                }
            }
        }
    }
}

import Foundation
import Testing

@testable import NielsenID3

@Suite struct ContentIDTests {
    @Test func text_withEachBitSet_matchesFoundationBase64() {
        for bit in 0..<128 {
            let high: UInt64 = bit < 64 ? 1 << UInt64(bit) : 0
            let low: UInt64 = bit < 64 ? 0 : 1 << UInt64(bit - 64)
            for id in [ContentID(high: high, low: low), ContentID(high: ~high, low: ~low)] {
                let bytes = [id.high, id.low].flatMap { word in
                    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
                }
                let base64 = Data(bytes).base64EncodedString()
                let expected = base64.replacing("+", with: "-").replacing("/", with: "_")
                #expect(id.text == expected)
            }
        }
    }
}

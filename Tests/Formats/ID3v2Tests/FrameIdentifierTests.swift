import ID3v2
import Testing

@Suite struct FrameIdentifierTests {
    /// Every byte at every position, with the first and last letter and digit at the other positions.
    @Test func frameID_withAnyByteAtAnyPosition_allowsOnlyCapitalsAndDigits() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        for others in ["A", "Z", "0", "9"].map({ UInt32($0.utf8.first ?? 0) * 0x0101_0101 }) {
            for place in 0..<4 {
                let shift = UInt32(24 - 8 * place)
                for byte in UInt8.min...UInt8.max {
                    let code = others & ~(0xFF << shift) | UInt32(byte) << shift
                    // Without its fourth character, an identifier is one of version 2.2.
                    let isThree = place == 3 && (byte == 0 || byte == 0x20)
                    let id = ID3FrameID(code: code)
                    #expect((id != nil) == (allowed.contains(byte) || isThree))
                    #expect(id?.code == nil || id?.code == (isThree ? others & 0xFFFF_FF00 : code))
                }
            }
        }
    }

    /// Two invalid bytes never cancel each other out.
    @Test func frameID_withAnyPairOfBytes_requiresBothToBeValid() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let code = 0x5000_0056 | UInt32(first) << 16 | UInt32(second) << 8
                let isRight = allowed.contains(first) && allowed.contains(second)
                if (ID3FrameID(code: code) != nil) != isRight {
                    Issue.record("\(first), \(second)")
                }
            }
        }
    }
}

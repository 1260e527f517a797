/// The 128 bits of a tag's id as its line brings them.
struct ReceivedID: Sendable, Hashable {
    let value: UInt128

    /// The id that the JSON string in `range`, quotation marks included, spells in 32 hexadecimal digits.
    init?(_ bytes: Span<UInt8>, quoted range: Range<Int>) {
        guard range.count == 34 else { return nil }
        var value: UInt128 = 0
        for index in (range.lowerBound + 1)..<(range.upperBound - 1) {
            let byte = bytes[index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            value = value << 4 | UInt128(digit)
        }
        self.value = value
    }

    init?(text: String) {
        let quoted = Array("\"\(text)\"".utf8)
        self.init(quoted.span, quoted: 0..<quoted.count)
    }

    /// 32 lowercase hexadecimal digits.
    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}

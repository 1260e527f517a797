import ByteReading

/// The 128 bits of a tag's id as its line has them.
struct ReceivedID: Sendable, Hashable {
    let value: UInt128

    /// The id that the JSON string in `range`, quotation marks included, spells in 32 hexadecimal digits.
    init?(_ bytes: Span<UInt8>, quoted range: Range<Int>) {
        guard range.count == 34,
            let value: UInt128 = Hexadecimal.number(bytes, in: range.lowerBound + 1..<range.upperBound - 1)
        else { return nil }
        self.value = value
    }

    init?(text: String) {
        let digits = Array(text.utf8)
        guard let value: UInt128 = Hexadecimal.number(digits.span, in: 0..<digits.count) else { return nil }
        self.value = value
    }

    /// 32 lowercase hexadecimal digits.
    var text: String { Hexadecimal.text(of: value) }
}

import ByteReading

/// The 128-bit ID of a tag.
struct ReceivedID: Sendable, Hashable {
    let value: UInt128

    /// Parses a JSON string, including its quotation marks, of 32 hexadecimal digits.
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

    /// The ID as 32 lowercase hexadecimal digits.
    var text: String { Hexadecimal.text(of: value) }
}

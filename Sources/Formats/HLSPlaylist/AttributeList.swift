/// The attributes of one tag: `NAME=value` pairs between commas (RFC 8216, 4.2).
///
/// Of a name that stands twice, which is not lawful, the first counts.
struct AttributeList {
    /// Where an attribute lies in the playlist; `value` is without its quotation marks.
    struct Attribute {
        let name: Range<Int>
        let value: Range<Int>
    }

    private(set) var attributes: [Attribute] = []

    /// Where the reading had to stop short; nil where the list was read to its end.
    private(set) var defect: Range<Int>?

    /// Reads what fills the range, up to the first thing that is no attribute.
    init(in bytes: Span<UInt8>, _ range: Range<Int>) {
        var position = range.lowerBound
        while position < range.upperBound {
            // A comma at the end, or two in a row, says nothing and harms nothing.
            if bytes[position] == 0x2C || bytes[position] == 0x20 || bytes[position] == 0x09 {
                position += 1
                continue
            }
            let rest = position..<range.upperBound
            guard let equals = bytes.firstIndex(of: 0x3D, in: rest) else {
                defect = rest
                return
            }
            let name = bytes.trimmed(position..<equals)
            if let comma = bytes.firstIndex(of: 0x2C, in: name) {
                // A word without a value before this attribute.
                defect = position..<comma
                position = comma + 1
                continue
            }
            let start = equals + 1
            if start < range.upperBound, bytes[start] == 0x22 {
                guard let quote = bytes.firstIndex(of: 0x22, in: start + 1..<range.upperBound) else {
                    defect = rest
                    return
                }
                attributes.append(Attribute(name: name, value: start + 1..<quote))
                position = quote + 1
            } else {
                let end = bytes.firstIndex(of: 0x2C, in: start..<range.upperBound) ?? range.upperBound
                attributes.append(Attribute(name: name, value: bytes.trimmed(start..<end)))
                position = end
            }
        }
    }

    /// Where the value of the attribute with this name lies.
    func range(of name: StaticString, in bytes: Span<UInt8>) -> Range<Int>? {
        for attribute in attributes where bytes.isASCII(name, in: attribute.name) { return attribute.value }
        return nil
    }

    /// Whether the attribute's value is `YES`.
    func isYes(_ name: StaticString, in bytes: Span<UInt8>) -> Bool {
        guard let range = range(of: name, in: bytes) else { return false }
        return bytes.isASCII("YES", in: range)
    }
}

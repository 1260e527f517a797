/// The attributes of one tag: comma-separated `NAME=value` pairs (RFC 8216, 4.2).
///
/// If a name occurs twice, which is invalid, the first occurrence counts.
struct AttributeList {
    /// The position of an attribute in the playlist; `value` excludes its quotation marks.
    struct Attribute {
        let name: Range<Int>
        let value: Range<Int>
    }

    private(set) var attributes: [Attribute] = []

    /// The position at which parsing failed; nil if the entire list is valid.
    private(set) var defect: Range<Int>?

    /// Parses the attributes in a range, up to the first error that hides the rest.
    init(in bytes: Span<UInt8>, _ range: Range<Int>) {
        var position = range.lowerBound
        while position < range.upperBound {
            // Accept a trailing comma and repeated commas, which do no harm.
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
                // A word without a value precedes this attribute.
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

    /// Returns the position of the value of the attribute with this name.
    func range(of name: StaticString, in bytes: Span<UInt8>) -> Range<Int>? {
        for attribute in attributes where bytes.isASCII(name, in: attribute.name) { return attribute.value }
        return nil
    }

    /// Returns whether the attribute's value is `YES`.
    func isYes(_ name: StaticString, in bytes: Span<UInt8>) -> Bool {
        guard let range = range(of: name, in: bytes) else { return false }
        return bytes.isASCII("YES", in: range)
    }
}

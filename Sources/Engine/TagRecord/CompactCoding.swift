import TimedMedia

/// Writes the fields of a stored body.
struct CompactWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(448) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func fixed(_ value: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    mutating func text(_ value: String) {
        varint(UInt64(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    mutating func blob(_ value: [UInt8]) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }
}

/// Reads the fields of a stored body, whose every byte may be damaged.
///
/// It keeps the offset and is handed the bytes, so that it need not be a borrowed view itself.
struct CompactReader {
    private(set) var offset = 0
    private let count: Int

    init(count: Int) { self.count = count }

    mutating func byte(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) -> UInt8 {
        guard offset < count else { throw .truncated(offset: offset) }
        defer { offset += 1 }
        return bytes[offset]
    }

    mutating func varint(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) -> UInt64 {
        let start = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let next = try byte(bytes)
            // The tenth byte holds the 64th bit alone.
            guard shift < 63 || (shift == 63 && next <= 1) else { throw .invalid(offset: start) }
            value |= UInt64(next & 0x7F) << shift
            if next & 0x80 == 0 { return value }
            shift += 7
        }
    }

    /// A varint that must fit the type asked for.
    mutating func number<Number: FixedWidthInteger>(
        _ bytes: Span<UInt8>
    ) throws(StoredBody.DecodingError) -> Number {
        let start = offset
        guard let number = Number(exactly: try varint(bytes)) else { throw .invalid(offset: start) }
        return number
    }

    mutating func fixed(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) -> UInt64 {
        guard count - offset >= 8 else { throw .truncated(offset: offset) }
        defer { offset += 8 }
        return bytes.bigEndianUInt64(at: offset)
    }

    mutating func blob(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) -> Range<Int> {
        let length: Int = try number(bytes)
        guard length <= count - offset else { throw .truncated(offset: offset) }
        defer { offset += length }
        return offset..<offset + length
    }

    mutating func text(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) -> String {
        let range = try blob(bytes)
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            throw .invalid(offset: range.lowerBound)
        }
    }
}

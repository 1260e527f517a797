import ByteReading

/// A writer for the fields of a stored body.
struct CompactWriter {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(448) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    mutating func varint(_ value: UInt64) { LEB128.append(value, to: &bytes) }

    mutating func fixed(_ value: UInt64) {
        bytes.append(bigEndian: value)
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

/// A reader for the fields of a stored body, which may be damaged anywhere.
///
/// The caller passes the bytes to each call. The reader keeps only the offset, so that it does not have to be a
/// borrowed view.
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
        do throws(LEB128.ReadingError) {
            return try LEB128.read(from: bytes, at: &offset)
        } catch {
            switch error {
            // The missing bytes are always those at the end.
            case .truncated: throw .truncated(offset: count)
            case .tooLarge: throw .invalid(offset: start)
            }
        }
    }

    /// Reads a varint that must fit the requested type.
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

    /// Reads a text, and returns its position.
    mutating func textRange(_ bytes: Span<UInt8>) throws(StoredBody.DecodingError) -> Range<Int> {
        let range = try blob(bytes)
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.extracting(range))
            return range
        } catch {
            throw .invalid(offset: range.lowerBound)
        }
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

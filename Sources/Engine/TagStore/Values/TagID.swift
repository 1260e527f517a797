internal import ByteReading
import Glibc

/// The unique 128-bit id of a tag, from its acceptance to its delivery.
public struct TagID: Sendable, Hashable {
    /// The first eight bytes, big-endian.
    public let high: UInt64
    /// The last eight bytes, big-endian.
    public let low: UInt64

    /// Creates an id from its two halves.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns a unique id: 128 random bits from the operating system.
    package static func random() -> TagID {
        var words = [0, 0] as InlineArray<2, UInt64>
        var span = words.mutableSpan
        let code = unsafe span.withUnsafeMutableBytes { buffer in
            // `getentropy` writes either all sixteen bytes or none.
            unsafe getentropy(buffer.baseAddress, buffer.count)
        }
        guard code == 0 else {
            return TagID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
        }
        return TagID(high: words[0], low: words[1])
    }

    /// Returns unique ids for a list of tags, with one system call for every sixteen ids.
    package static func random(count: Int) -> [TagID] {
        var ids: [TagID] = []
        ids.reserveCapacity(count)
        while ids.count < count {
            // 256 bytes is the maximum for one call to `getentropy`.
            var words = InlineArray<32, UInt64>(repeating: 0)
            var span = words.mutableSpan
            let code = unsafe span.withUnsafeMutableBytes { buffer in
                unsafe getentropy(buffer.baseAddress, buffer.count)
            }
            for index in 0..<min(16, count - ids.count) {
                let id = TagID(high: words[index * 2], low: words[index * 2 + 1])
                ids.append(code == 0 ? id : .random())
            }
        }
        return ids
    }

    /// Parses an id from 32 hexadecimal digits; nil for any other text.
    public init?(text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 32, let high: UInt64 = Hexadecimal.number(digits.span, in: 0..<16),
            let low: UInt64 = Hexadecimal.number(digits.span, in: 16..<32)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// The id as 32 lowercase hexadecimal digits.
    public var text: String { Hexadecimal.text(of: UInt128(high) << 64 | UInt128(low)) }

    // MARK: Bytes

    /// Creates an id from sixteen big-endian bytes; nil for any other length.
    init?(bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        self.init(high: bytes.bigEndianUInt64(at: 0), low: bytes.bigEndianUInt64(at: 8))
    }

    /// Appends the sixteen bytes, big-endian.
    package func appendBytes(to bytes: inout [UInt8]) {
        bytes.append(bigEndian: high)
        bytes.append(bigEndian: low)
    }

    /// The sixteen bytes, big-endian.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        appendBytes(to: &bytes)
        return bytes
    }
}

/// The id of a buffer, created with it and sent with every batch.
public struct StoreID: Sendable, Hashable {
    /// The 128 bits of the id.
    public let value: TagID

    /// Creates a buffer id from its bits.
    package init(_ value: TagID) { self.value = value }

    /// The id as 32 lowercase hexadecimal digits.
    public var text: String { value.text }
}

import Glibc

/// The 128 bits that a tag is told apart by, from the moment it is accepted until a collector has it.
package struct TagID: Sendable, Hashable {
    /// The first eight bytes, big-endian.
    package let high: UInt64
    /// The last eight bytes, big-endian.
    package let low: UInt64

    /// An id of given bits.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// An id that nothing else has: random bits of the operating system.
    package static func random() -> TagID {
        var words = [0, 0] as InlineArray<2, UInt64>
        var span = words.mutableSpan
        let code = unsafe span.withUnsafeMutableBytes { buffer in
            // One call for all sixteen bytes, which it writes, or none of them.
            unsafe getentropy(buffer.baseAddress, buffer.count)
        }
        guard code == 0 else {
            return TagID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
        }
        return TagID(high: words[0], low: words[1])
    }

    /// Ids that nothing else has, for a list of tags: the operating system is asked once for sixteen of them.
    ///
    /// - Parameter count: 0 or more.
    package static func random(count: Int) -> [TagID] {
        var ids: [TagID] = []
        ids.reserveCapacity(count)
        while ids.count < count {
            // As many bytes as one call may ask for.
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

    /// The id that 32 hexadecimal digits spell; nil where they are not that.
    package init?(text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        var words: [UInt64] = [0, 0]
        for (index, digit) in digits.enumerated() {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x41...0x46: value = digit - 0x37
            case 0x61...0x66: value = digit - 0x57
            default: return nil
            }
            words[index / 16] = words[index / 16] << 4 | UInt64(value)
        }
        self.init(high: words[0], low: words[1])
    }

    /// The id as 32 lowercase hexadecimal digits.
    package var text: String {
        unsafe String(unsafeUninitializedCapacity: 32) { digits in
            for index in 0..<32 {
                let word = index < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: word >> (60 - 4 * UInt64(index % 16))) & 0xF
                // Each of the 32 bytes is within the capacity that was asked for.
                unsafe digits[index] = value < 10 ? 0x30 + value : 0x57 + value
            }
            return 32
        }
    }
}

/// The id of a store: made with it, sent with every batch.
package struct StoreID: Sendable, Hashable {
    /// The bits.
    package let value: TagID

    /// A store's id of given bits.
    package init(_ value: TagID) { self.value = value }

    /// The id as 32 lowercase hexadecimal digits.
    package var text: String { value.text }
}

extension [UInt8] {
    /// Appends a copy of the bytes in one step.
    @inlinable
    package mutating func append(_ bytes: Span<UInt8>) {
        // The closure only reads the buffer, and the span outlives it.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends the bytes of a number in big-endian order.
    @inlinable
    package mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

extension FixedWidthInteger {
    /// The bytes of the number in big-endian order.
    @inlinable package var bigEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.bitWidth / 8)
        bytes.append(bigEndian: self)
        return bytes
    }
}

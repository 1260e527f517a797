extension [UInt8] {
    /// Appends a copy of the bytes, in one step.
    @inlinable
    package mutating func append(_ bytes: Span<UInt8>) {
        // The buffer is read while the closure runs, and the span outlives it.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends the bytes of a number, the most significant first.
    @inlinable
    package mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

extension FixedWidthInteger {
    /// The bytes of the number, the most significant first.
    @inlinable package var bigEndianBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.bitWidth / 8)
        bytes.append(bigEndian: self)
        return bytes
    }
}

extension [UInt8] {
    /// Appends a copy of the bytes, in one step.
    mutating func append(_ bytes: Span<UInt8>) {
        // The buffer is read while the closure runs, and the span outlives it.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}

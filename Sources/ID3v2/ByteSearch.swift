extension Span<UInt8> {
    /// The offset of the first `byte` from `start` on; `count` where there is none.
    ///
    /// Many bytes are looked at together, without a branch, so that the compiler compares them at once.
    func firstIndex(of byte: UInt8, from start: Int) -> Int {
        var position = start
        while count - position >= 64, !hasByte(byte, in: position..<position &+ 64) { position &+= 64 }
        while count - position >= 16, !hasByte(byte, in: position..<position &+ 16) { position &+= 16 }
        while position < count, self[position] != byte { position &+= 1 }
        return position
    }

    /// Whether one of a fixed number of bytes is `byte`.
    @inline(__always)
    private func hasByte(_ byte: UInt8, in range: Range<Int>) -> Bool {
        let chunk = extracting(range)
        // The smallest difference is zero where one of them is equal.
        var smallest = UInt8.max
        for index in 0..<range.count { smallest = Swift.min(smallest, chunk[index] ^ byte) }
        return smallest == 0
    }
}

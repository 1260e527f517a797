import Foundation

extension LocalFile {
    /// How much of a file is mapped at a time: more would only count as memory that the process has.
    private static let windowByteCount = 4 << 20

    /// Below this, reading is as fast.
    private static let leastMappedByteCount = 128 << 10

    /// Hands on the bytes from here to the end of the file, at most `limit`, in place and as bytes that may change;
    /// says how many there were.
    ///
    /// None where little is left or the file cannot be mapped: it is to be read then, as is whatever is
    /// appended meanwhile. `body` says whether it wants more.
    func passMapped(
        limit: UInt64, _ body: (Span<UInt8>) throws(InputError) -> Bool
    ) throws(InputError) -> UInt64 {
        guard let size = regularByteCount else { return 0 }
        let here = lseek(descriptor, 0, SEEK_CUR)
        guard here >= 0, size - here >= off_t(Self.leastMappedByteCount) else { return 0 }
        let start = UInt64(here)
        let end = start + min(UInt64(size) - start, limit)
        var position = start
        while position < end {
            let window = position / UInt64(Self.windowByteCount) * UInt64(Self.windowByteCount)
            let windowEnd = min(window + UInt64(Self.windowByteCount), end)
            guard let mapped = MappedWindow(of: descriptor, from: window, count: Int(windowEnd - window))
            else { break }
            var wantsMore = true
            try mapped.withBytes(from: Int(position - window)) { (bytes) throws(InputError) in
                wantsMore = try body(bytes)
            }
            // What was there before the cut has been handed on; nobody wants the zeros behind it.
            if mapped.isCut { throw .unreadable(name, reason: "was cut while it was read") }
            position = windowEnd
            if !wantsMore { break }
        }
        try seek(to: position)
        return position - start
    }
}

import Foundation

extension LocalFile {
    /// How much of a file is mapped at a time, where `readerCount` files are: it counts as memory that the process
    /// has, and below 1 MiB mapping takes longer than looking.
    static func windowByteCount(readerCount: Int = 1) -> Int { max(1 << 20, (4 << 20) / readerCount) }

    /// Below this, reading is as fast.
    private static let leastMappedByteCount = 128 << 10

    /// Hands on the bytes from here to the end of the file, at most `limit`, in place and as bytes that may change;
    /// says how many there were.
    ///
    /// None where little is left or the file cannot be mapped: it is to be read then, as is whatever is
    /// appended meanwhile. `body` is given a window at a time and says whether it wants more; `windowByteCount` is
    /// a multiple of a page's size.
    func passMapped(
        limit: UInt64, windowByteCount: Int = windowByteCount(),
        _ body: (Span<UInt8>) throws(InputError) -> Bool
    ) throws(InputError) -> UInt64 {
        guard let size = regularByteCount else { return 0 }
        let here = lseek(descriptor, 0, SEEK_CUR)
        guard here >= 0, size - here >= off_t(Self.leastMappedByteCount) else { return 0 }
        let start = UInt64(here)
        let end = start + min(UInt64(size) - start, limit)
        var position = start
        while position < end {
            let window = position - position % UInt64(windowByteCount)
            let windowEnd = min(window + UInt64(windowByteCount), end)
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

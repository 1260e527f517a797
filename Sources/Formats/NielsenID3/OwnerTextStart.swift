import TimedMedia

/// The search for where an owner identifier may begin: a `w` followed by another one, in either case, or by what may
/// stand inside an identifier.
enum OwnerTextStart {
    /// How many bytes are looked at together.
    private static let width = 32

    /// The next such place from `start` on; the count of the bytes where there is none.
    ///
    /// The last byte is one where it is a `w` and the text may go on.
    static func next(in bytes: Span<UInt8>, from start: Int, isAtEnd: Bool) -> Int {
        var position = start
        while position < bytes.count {
            while bytes.count - position > width, !hasStart(bytes, at: position) { position &+= width }
            let end = min(position + width, bytes.count)
            while position < end {
                guard bytes[position] | 0x20 == 0x77 else {
                    position += 1
                    continue
                }
                guard position + 1 < bytes.count else { return isAtEnd ? bytes.count : position }
                if mayFollow(bytes[position + 1]) { return position }
                position += 1
            }
        }
        return bytes.count
    }

    /// Whether one of a fixed number of bytes is such a place, without a branch, so that they become a vector.
    @inline(__always)
    private static func hasStart(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        let chunk = bytes.extracting(start..<start &+ width &+ 1)
        var smallest = UInt8.max
        for index in 0..<width {
            let letter = (chunk[index] | 0x20) ^ 0x77
            let next = chunk[index &+ 1]
            // Zero where `next` may follow: w, a blank or line end, a colon, a per cent sign or a backslash.
            var follower = (next | 0x20) ^ 0x77
            follower = Swift.min(follower, next ^ 0x20)
            follower = Swift.min(follower, next ^ 0x3A)
            follower = Swift.min(follower, next ^ 0x25)
            follower = Swift.min(follower, next ^ 0x5C)
            follower = Swift.min(follower, next &- 0x09 < 5 ? 0 : 0xFF)
            smallest = Swift.min(smallest, letter | follower)
        }
        return smallest == 0
    }

    private static func mayFollow(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x57, 0x77, 0x20, 0x3A, 0x25, 0x5C, 0x09...0x0D: true
        default: false
        }
    }
}

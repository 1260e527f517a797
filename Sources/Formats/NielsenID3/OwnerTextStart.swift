import ByteReading

/// A search for positions at which an owner identifier may begin.
///
/// Such a position has a `w` in either case, followed by another `w` or by text that may occur inside an identifier.
enum OwnerTextStart {
    /// The number of bytes examined together.
    private static let width = 32

    /// Returns the next such position at or after `start`, or the number of bytes if there is none.
    ///
    /// A `w` as the last byte counts if the text may continue.
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

    /// Returns whether one of `width` bytes is such a position, without branches, so that the compiler can vectorize
    /// it.
    @inline(__always)
    private static func hasStart(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        let chunk = bytes.extracting(start..<start &+ width &+ 1)
        var smallest = UInt8.max
        for index in 0..<width {
            let letter = (chunk[index] | 0x20) ^ 0x77
            let next = chunk[index &+ 1]
            // Zero if `next` may follow: w, a blank or line end, a colon, a percent sign or a backslash.
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

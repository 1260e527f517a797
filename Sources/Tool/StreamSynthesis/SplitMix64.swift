/// A small random number generator with the same output for the same seed on every platform and in every version.
///
/// It implements SplitMix64 (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, 2014). In a
/// synthetic tag, its output replaces the encrypted bytes of a genuine tag; it is not encryption.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates the independent generator for one purpose (`stream`) and one position in it (`index`).
    init(seed: UInt64, stream: UInt64 = 0, index: UInt64 = 0) {
        state = seed
        state = next() ^ stream
        state = next() ^ index
    }

    /// Creates the generator in its published form from a state.
    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns the next `count` bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            var word = next()
            for _ in 0..<min(8, count - bytes.count) {
                bytes.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
            }
        }
        return bytes
    }
}

/// A small random number generator that gives the same numbers for the same seed, everywhere and for ever.
///
/// SplitMix64 (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, 2014). What it fills
/// in a synthetic tag stands where encrypted bytes stand in a genuine one; it hides nothing.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The generator for one purpose (`stream`) and one place in it (`index`), independent of all others.
    init(seed: UInt64, stream: UInt64 = 0, index: UInt64 = 0) {
        state = seed
        state = next() ^ stream
        state = next() ^ index
    }

    /// The generator as it is published, from a state.
    init(state: UInt64) { self.state = state }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// The next `count` bytes.
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

/// A trial walk over a tag's frame headers that tests one encoding of their sizes.
///
/// Some writers use plain sizes where sync-safe ones are required, or the reverse. A size alone does not reveal its
/// encoding. However, the intended encoding leads from frame to frame to the end of the tag, and the other one leads
/// into the middle of a frame.
struct FrameWalk {
    /// The position at which the walk ended.
    enum Landing {
        /// The exact end of the region, or padding.
        case end
        /// The end of the available bytes; the tag continues after it.
        case truncated
        /// A frame that is longer than the region.
        case overrun
        /// Bytes that are neither a frame nor padding.
        case lost
    }

    let landing: Landing
    /// The number of frames passed.
    let frameCount: Int
    /// Whether a size could also be read in the other encoding.
    let isAmbiguous: Bool

    var isValid: Bool { landing == .end || landing == .truncated }

    @inline(__always)
    init(_ region: FrameRegion, in bytes: Span<UInt8>) {
        var position = region.start
        var frameCount = 0
        var isAmbiguous = false
        var landing = Landing.end
        walk: while position < region.end {
            switch region.frameStart(in: bytes, at: position) {
            case .padding:
                // Zeros also occur inside frames, so they count as padding only if nothing follows them.
                if isAmbiguous, !Self.isZero(bytes, from: position, to: region.end) { landing = .lost }
                break walk
            case .notAnIdentifier:
                landing = .lost
                break walk
            case .sizeInvalid:
                isAmbiguous = true
                landing = .lost
                break walk
            case .truncated:
                landing = region.end > bytes.count ? .truncated : .lost
                break walk
            case .frame(let header):
                isAmbiguous = isAmbiguous || header.isSizeAmbiguous
                frameCount += 1
                let (next, missing) = region.bodyEnd(of: header, in: bytes)
                position = next
                if missing > 0 {
                    landing = Self.landing(ofMissing: missing, at: next, region: region)
                    break walk
                }
            }
        }
        self.landing = landing
        self.frameCount = frameCount
        self.isAmbiguous = isAmbiguous
    }

    private static func landing(ofMissing missing: Int, at position: Int, region: FrameRegion) -> Landing {
        let room = region.end - position
        if missing == room { return .end }
        return missing < room ? .truncated : .overrun
    }

    private static func isZero(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        for position in start..<min(end, bytes.count) where bytes[position] != 0 { return false }
        return true
    }
}

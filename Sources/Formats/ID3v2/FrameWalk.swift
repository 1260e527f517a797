/// A walk over the headers of a tag's frames, to see where a way of reading their sizes ends up.
///
/// Writers put plain sizes where sync-safe ones belong, and the other way about. Nothing in a size tells
/// which it is; but the right reading leads from frame to frame to the end of the tag, and the wrong one
/// into the middle of a frame.
struct FrameWalk {
    /// Where the walk ended up.
    enum Landing {
        /// Exactly at the end of the region, or in padding.
        case end
        /// At the end of the bytes, and the tag goes on.
        case cut
        /// In a frame that is longer than the region.
        case overrun
        /// At bytes that are neither a frame nor padding.
        case lost
    }

    let landing: Landing
    /// How many frames lie on the way.
    let frameCount: Int
    /// Whether a size on the way could be read in the other form too.
    let isAmbiguous: Bool

    var isSound: Bool { landing == .end || landing == .cut }

    @inline(__always)
    init(_ region: FrameRegion, in bytes: Span<UInt8>) {
        var position = region.start
        var frameCount = 0
        var isAmbiguous = false
        var landing = Landing.end
        walk: while position < region.end {
            switch region.frameStart(in: bytes, at: position) {
            case .padding:
                // Inside a frame there may be zeros too. They pass for padding only where nothing follows.
                if isAmbiguous, !Self.isZero(bytes, from: position, to: region.end) { landing = .lost }
                break walk
            case .notAnIdentifier:
                landing = .lost
                break walk
            case .sizeInvalid:
                isAmbiguous = true
                landing = .lost
                break walk
            case .cut:
                landing = region.end > bytes.count ? .cut : .lost
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
        return missing < room ? .cut : .overrun
    }

    private static func isZero(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
        for position in start..<min(end, bytes.count) where bytes[position] != 0 { return false }
        return true
    }
}

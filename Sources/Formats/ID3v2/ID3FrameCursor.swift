/// An iterator over the frames of a tag.
///
///     var frames = tag.frames
///     while let frame = frames.next() { … }
///     if let defect = frames.defect { … }
///
/// The iteration ends at padding, at the end of the tag, or at the first position without a recognizable frame. Check
/// `defect` afterwards to distinguish these cases.
package struct ID3FrameCursor: ~Escapable {
    private let bytes: Span<UInt8>
    private let region: FrameRegion

    /// The current offset in the tag, in bytes.
    package private(set) var position: Int

    /// The rule that the last frame broke or that ended the iteration; nil if there is no error.
    package private(set) var defect: ID3Error?

    /// The first position at which `recover()` looks for a frame after the last defect.
    private var resumption: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, region: FrameRegion) {
        self.bytes = bytes
        self.region = region
        position = region.start
        resumption = region.start
    }

    /// Returns the next frame, or nil after the last.
    ///
    /// A truncated frame is returned with its available bytes and is the last one.
    @_lifetime(copy self)
    @_lifetime(self: copy self)
    package mutating func next() -> ID3Frame? {
        guard position < region.end, defect == nil else { return nil }
        switch region.frameStart(in: bytes, at: position) {
        case .padding:
            return nil
        case .notAnIdentifier:
            resumption = position + 1
            defect = .frameIdentifierInvalid(at: position)
            return nil
        case .sizeInvalid:
            resumption = position + 1
            defect = .frameSizeInvalid(at: position + 4)
            return nil
        case .truncated:
            // Truncation between two frames is not visible here; `ID3Tag.isTruncated` reports it.
            let available = min(region.end, bytes.count) - position
            resumption = min(region.end, bytes.count)
            if available > 0 {
                defect = .frameTruncated(
                    at: position, declared: region.version.frameHeaderLength, available: available)
            }
            return nil
        case .frame(let header):
            let start = position
            let (end, missing) = region.bodyEnd(of: header, in: bytes)
            if missing > 0 {
                let available = header.size - missing
                defect =
                    missing > region.end - end
                    ? .frameBeyondTag(at: start, declared: header.size, available: available)
                    : .frameTruncated(at: start, declared: header.size, available: available)
            }
            position = end
            resumption = start + 1
            return ID3Frame(
                bytes.extracting(header.bodyStart..<end), header: header, region: region, offset: start,
                isTruncated: missing > 0)
        }
    }

    /// Resumes after a defect at the next complete frame that fits the rest of the tag.
    ///
    /// This keeps one damaged size from hiding the frames after it. A frame qualifies if another frame, padding or the
    /// end of the tag follows it. Returns false if there is no such frame or no defect. On success, `defect` is reset,
    /// so read it first. Unsynchronised tags are not searched, because every position would need a count byte by byte.
    @_lifetime(self: copy self)
    package mutating func recover() -> Bool {
        guard defect != nil, !region.isUnsynchronised else { return false }
        var place = resumption
        let limit = min(region.end, bytes.count)
        while limit - place > region.version.frameHeaderLength {
            if isWholeFrame(at: place) {
                position = place
                resumption = place
                defect = nil
                return true
            }
            place += 1
        }
        return false
    }

    private func isWholeFrame(at place: Int) -> Bool {
        guard case .frame(let header) = region.frameStart(in: bytes, at: place), header.size > 0 else {
            return false
        }
        let (end, missing) = region.bodyEnd(of: header, in: bytes)
        guard missing == 0 else { return false }
        if end == region.end { return true }
        switch region.frameStart(in: bytes, at: end) {
        case .frame, .padding: return true
        case .notAnIdentifier, .sizeInvalid, .truncated: return false
        }
    }
}

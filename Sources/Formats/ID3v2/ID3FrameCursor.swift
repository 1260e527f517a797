/// A walk over the frames of a tag.
///
///     var frames = tag.frames
///     while let frame = frames.next() { … }
///     if let defect = frames.defect { … }
///
/// The walk ends at padding, at the end of the tag, or at the first place where no frame can be told;
/// `defect` says afterwards which it was.
package struct ID3FrameCursor: ~Escapable {
    private let bytes: Span<UInt8>
    private let region: FrameRegion

    /// The offset in the tag of the byte at which the walk stands.
    package private(set) var position: Int

    /// The rule that the last frame broke, or that ended the walk early; nil while all is well.
    package private(set) var defect: ID3Error?

    /// Where a frame may begin that the last defect hid.
    private var resumption: Int

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>, region: FrameRegion) {
        self.bytes = bytes
        self.region = region
        position = region.start
        resumption = region.start
    }

    /// The next frame; nil behind the last.
    ///
    /// A frame that is longer than what there is of it comes as far as it goes, and is the last.
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
        case .cut:
            // Between two frames nothing shows that the bytes are cut: `ID3Tag.isTruncated` says it.
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

    /// Goes on behind a defect, at the next place where a whole frame stands that fits the rest of the tag.
    ///
    /// One damaged size must not cost the frames behind it. A place counts where an identifier and a size lead
    /// to another frame, to padding, or to the end of the tag. False where there is none, or no defect; the
    /// defect is kept by whoever asked for it. Not tried in tags that are unsynchronised as a whole, where
    /// every place would have to be counted out byte by byte.
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
        case .notAnIdentifier, .sizeInvalid, .cut: return false
        }
    }
}

/// The part of a tag between header and footer, read with one assumption about the tag's size.
struct TagBody {
    let extendedHeader: ID3ExtendedHeader?
    let region: FrameRegion
    let walk: FrameWalk
    let deviations: ID3Deviations

    @inline(__always)
    init(
        _ bytes: Span<UInt8>, from start: Int, size: Int, version: ID3Version, flags: ID3Header.Flags
    ) throws(ID3Error) {
        let end = start + size
        let available = start..<max(start, min(end, bytes.count))
        var deviations: ID3Deviations = []
        var isUnsynchronised = false
        if version != .v24, flags.contains(.unsynchronisation) {
            isUnsynchronised = !Unsynchronisation.isFalselyClaimed(of: bytes, in: available)
            if !isUnsynchronised { deviations.insert(.falseUnsynchronisation) }
        }
        var framesStart = start
        var extendedHeader: ID3ExtendedHeader?
        if flags.contains(.extendedHeader) {
            let place = try ExtendedHeaderPlace(
                bytes, at: start, end: end, version: version, isUnsynchronised: isUnsynchronised)
            framesStart = place.framesStart
            extendedHeader = place.header
            deviations.formUnion(place.deviations)
        }

        let standard = FrameRegion(
            version: version, start: framesStart, end: end, sizeForm: .standard(of: version),
            isUnsynchronised: isUnsynchronised)
        let standardWalk = FrameWalk(standard, in: bytes)
        self.extendedHeader = extendedHeader
        if !standardWalk.isValid,
            let other = Self.readingInTheOtherForm(insteadOf: standard, standardWalk, bytes)
        {
            deviations.insert(version == .v24 ? .plainFrameSizes : .syncSafeFrameSizes)
            region = other.region
            walk = other.walk
        } else {
            region = standard
            walk = standardWalk
        }
        self.deviations = deviations
    }

    /// Reads the frames with their sizes in the other encoding; returns nil unless that leads further.
    ///
    /// Some writers designed for version 2.3, mainly players that write their own tags, put plain sizes into 2.4 tags.
    /// Others put sync-safe sizes into 2.3 tags. Sizes below 128 are the same in both encodings. With a larger size,
    /// only the intended encoding leads from frame to frame to the end of the tag.
    @inline(never)
    private static func readingInTheOtherForm(
        insteadOf standard: FrameRegion, _ standardWalk: FrameWalk, _ bytes: Span<UInt8>
    ) -> (region: FrameRegion, walk: FrameWalk)? {
        guard standardWalk.isAmbiguous, standard.version != .v22 else { return nil }
        let region = FrameRegion(
            version: standard.version, start: standard.start, end: standard.end,
            sizeForm: standard.sizeForm == .plain ? .syncSafe : .plain,
            isUnsynchronised: standard.isUnsynchronised)
        let walk = FrameWalk(region, in: bytes)
        return walk.isValid || walk.frameCount > standardWalk.frameCount ? (region, walk) : nil
    }
}

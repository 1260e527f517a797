/// What lies between header and footer, read with one size of the tag.
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
        if !standardWalk.isSound,
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

    /// The frames with their sizes in the other form, where that leads further than the standard's.
    ///
    /// Writers that learned version 2.3 first put plain sizes into 2.4, some players' own tags above all, and
    /// others put the sync-safe sizes of 2.4 into 2.3. Sizes under 128 are the same either way; with a larger
    /// one, only the form that was meant leads from frame to frame to the end of the tag.
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
        return walk.isSound || walk.frameCount > standardWalk.frameCount ? (region, walk) : nil
    }
}

/// The properties of a listed segment that identify it in later loads of a live playlist.
struct KnownSegment: Sendable, Hashable {
    /// Its media sequence number in the newest load that listed it.
    var mediaSequence: Int
    let uri: String
    let byteRange: ByteRange?
    let dateMilliseconds: Int64?
    let duration: Double

    /// Its discontinuity sequence number as first established; later loads do not change it.
    let discontinuitySequence: Int

    /// The EXT-X-CUE-OUT break to which it belongs.
    let cueBreak: CueBreak?

    /// The keys needed to read it, which a playlist with skipped segments does not repeat.
    let keys: [EncryptionKey]
    let map: InitializationSection?

    init(_ segment: MediaSegment, discontinuitySequence: Int) {
        mediaSequence = segment.mediaSequence
        uri = segment.uri
        byteRange = segment.byteRange
        dateMilliseconds = segment.programDateTimeMilliseconds
        duration = segment.duration
        self.discontinuitySequence = discontinuitySequence
        cueBreak = segment.cueBreak
        keys = segment.keys
        map = segment.map
    }

    /// The date at which it ends, in Unix milliseconds; nil without a date.
    var endMilliseconds: Int64? {
        guard let dateMilliseconds, let length = Int64(exactly: (duration * 1_000).rounded()) else {
            return nil
        }
        let (end, overflow) = dateMilliseconds.addingReportingOverflow(length)
        return overflow ? nil : end
    }

    /// The approximate memory use in bytes, without what it may share with other segments.
    var memoryByteCount: Int {
        let keys = (keys + (map?.keys ?? [])).reduce(0) { $0 + $1.memoryByteCount }
        return MemoryLayout<KnownSegment>.stride + uri.utf8.count + (map?.uri.utf8.count ?? 0) + keys
    }

    /// Returns whether a newly listed segment may be this one.
    func isSame(as segment: MediaSegment, by naming: SegmentNaming) -> Bool {
        hasSameResource(as: segment, by: naming) && !hasOtherDate(than: segment)
    }

    /// Returns whether both have dates, and the dates are close enough to be those of one segment.
    func hasSameDate(as segment: MediaSegment) -> Bool {
        dateDistance(to: segment).map { $0 <= Self.dateTolerance(segment) } ?? false
    }

    /// Returns whether both have the same byte range and a name that may be that of one segment.
    func hasSameResource(as segment: MediaSegment, by naming: SegmentNaming) -> Bool {
        guard byteRange == segment.byteRange else { return false }
        return mediaSequence == segment.mediaSequence
            ? naming.areSame(uri, segment.uri) : naming.areSameRenumbered(uri, segment.uri)
    }

    /// Returns whether both have dates that cannot be those of one segment.
    ///
    /// An encoder that restarts reuses file names but not dates.
    func hasOtherDate(than segment: MediaSegment) -> Bool {
        dateDistance(to: segment).map { $0 > Self.dateTolerance(segment) } ?? false
    }

    private func dateDistance(to segment: MediaSegment) -> UInt64? {
        guard let dateMilliseconds, let other = segment.programDateTimeMilliseconds else { return nil }
        let (distance, overflow) = dateMilliseconds.subtractingReportingOverflow(other)
        return overflow ? .max : distance.magnitude
    }

    /// Returns the tolerated difference in milliseconds: dates are rounded, and corrected by less than a segment.
    private static func dateTolerance(_ segment: MediaSegment) -> UInt64 {
        UInt64(max(1, min(segment.duration, 86_400)) * 1_000)
    }
}

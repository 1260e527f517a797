/// What is remembered of a segment that a load of a live playlist listed: what it is known again by.
struct KnownSegment: Sendable, Hashable {
    /// Its media sequence number, as the newest load that listed it has it.
    var mediaSequence: Int
    let uri: String
    let byteRange: ByteRange?
    let dateMilliseconds: Int64?
    let duration: Double

    /// Its discontinuity sequence number by the loads that listed it first, whatever later ones say.
    let discontinuitySequence: Int

    /// The break of EXT-X-CUE-OUT that it belongs to.
    let cueBreak: CueBreak?

    /// What it needs to be read, which playlists that leave out their first segments do not repeat.
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

    /// The date at which it ends, in Unix milliseconds; nil without one.
    var endMilliseconds: Int64? {
        guard let dateMilliseconds, let length = Int64(exactly: (duration * 1_000).rounded()) else {
            return nil
        }
        let (end, overflow) = dateMilliseconds.addingReportingOverflow(length)
        return overflow ? nil : end
    }

    /// Whether a segment that is listed now may be this one.
    func isSame(as segment: MediaSegment) -> Bool {
        hasSameResource(as: segment) && !hasOtherDate(than: segment)
    }

    /// Whether both state dates, which may be those of one segment.
    func hasSameDate(as segment: MediaSegment) -> Bool {
        dateDistance(to: segment).map { $0 <= Self.dateTolerance(segment) } ?? false
    }

    /// Whether both name the same bytes, as far as that shows.
    ///
    /// Queries differ from load to load where addresses are signed, and so do directories where they hold a session:
    /// the name of the file decides.
    func hasSameResource(as segment: MediaSegment) -> Bool {
        byteRange == segment.byteRange && Self.fileName(uri).elementsEqual(Self.fileName(segment.uri))
    }

    /// Whether both state dates that cannot be those of one segment: an encoder that starts over uses the same names
    /// again, but not the same dates.
    func hasOtherDate(than segment: MediaSegment) -> Bool {
        dateDistance(to: segment).map { $0 > Self.dateTolerance(segment) } ?? false
    }

    private func dateDistance(to segment: MediaSegment) -> UInt64? {
        guard let dateMilliseconds, let other = segment.programDateTimeMilliseconds else { return nil }
        let (distance, overflow) = dateMilliseconds.subtractingReportingOverflow(other)
        return overflow ? .max : distance.magnitude
    }

    /// Dates are rounded, and corrected by less than a segment.
    private static func dateTolerance(_ segment: MediaSegment) -> UInt64 {
        UInt64(max(1, min(segment.duration, 86_400)) * 1_000)
    }

    private static func fileName(_ uri: String) -> Substring.UTF8View {
        let path = uri.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return path[path.index(after: slash)...]
    }
}

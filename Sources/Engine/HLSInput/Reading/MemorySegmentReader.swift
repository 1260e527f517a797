import HTTPTransfer
public import NielsenID3

/// Reads the segments of one rendition from memory, as a packager or a proxy has them, in playlist order.
///
///     let reader = try MemorySegmentReader(source: "channel 5")
///     let reading = await reader.read(bytes, name: "seg1.ts", duration: 6)
///
/// The tags and the times are those that `Presentation.readings` returns for the same segments. One task may use a
/// reader. Memory is bounded: that of the segment, and that of an incomplete tag.
public final class MemorySegmentReader {
    private let reader: SegmentReader

    /// The client of a reader whose segments refer to no address.
    private struct NoLoader: ResourceLoader {
        struct Unavailable: Error {}

        func load(_ request: ResourceRequest) async throws -> ResourceResponse { throw Unavailable() }
    }

    /// Creates a reader of a rendition that has no segments yet.
    ///
    /// - Parameters:
    ///   - source: The name of the stream in readings.
    ///   - policy: The policy that determines the problems of each tag.
    /// - Throws: `InputError.unreadable` if no thread can be started.
    public init(source: String, policy: TagPolicy = TagPolicy()) throws(InputError) {
        let fetcher = try ResourceFetcher(loader: NoLoader())
        reader = SegmentReader(
            ReadStream(source: source, rendition: .first, uri: nil),
            reader: ResourceReader(fetcher: fetcher, policy: .publicOnly), policy: policy)
    }

    /// Reads the next segment.
    ///
    /// An error is the outcome of the reading, and the next segment can still be read. The segment must not be
    /// encrypted.
    ///
    /// - Parameters:
    ///   - bytes: The whole segment: a transport stream, fragmented MP4, or packed audio.
    ///   - name: The name in readings.
    ///   - duration: The duration in seconds, as in EXTINF.
    ///   - mediaSequence: The media sequence number; nil if there is no playlist.
    ///   - isDiscontinuity: Whether EXT-X-DISCONTINUITY precedes the segment, or an earlier one is missing.
    ///   - programDateTime: The date of its start in Unix milliseconds; nil if it is unknown.
    ///   - initialization: The media initialization segment (EXT-X-MAP); nil if there is none.
    ///   - isLast: Whether this is the last segment: incomplete tags at its end are then returned too.
    public func read(
        _ bytes: [UInt8], name: String, duration: Double, mediaSequence: UInt64? = nil,
        isDiscontinuity: Bool = false, programDateTime: Int64? = nil, initialization: [UInt8]? = nil,
        isLast: Bool = false
    ) async -> SegmentReading {
        var segment = Presentation.Segment(address: .memory(bytes), name: name)
        segment.duration = duration.isFinite ? max(0, duration) : 0
        segment.mediaSequence = mediaSequence
        segment.isDiscontinuity = isDiscontinuity
        segment.programDateTime = programDateTime
        segment.statesDate = programDateTime != nil
        segment.initialization = initialization.map {
            Presentation.Initialization(
                name: "initialization segment", address: .memory($0), byteRange: nil, encryption: nil)
        }
        let read = await reader.read(segment, isLast: isLast)
        var reading = read.reading
        reading.tags = read.tags.map(\.occurrence)
        return reading
    }

    /// Records that segments are missing before the next one, so that no tag continues in it.
    public func skip() { reader.interrupt() }
}

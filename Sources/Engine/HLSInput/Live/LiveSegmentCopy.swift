package import HostSystem
import SegmentDemux

/// What was written to a file of a segment of a live channel, or of its initialization segment.
package struct LiveSegmentCopy: Sendable {
    /// The bytes in the file, decrypted.
    package private(set) var byteCount = 0

    /// How long it took to fetch.
    package fileprivate(set) var duration = Duration.zero

    /// Why they are not all that there are; nil where they are.
    package private(set) var failure: InputError?

    /// Why the file could not be written; nil where it could.
    package private(set) var writingFailure: SystemError?

    /// Which of the two is copied.
    package enum Part: Sendable, Hashable {
        /// The media segment.
        case segment
        /// The media initialization segment that it needs (EXT-X-MAP).
        case initialization
    }
}

extension LiveInput {
    /// Fetches a segment once more, as it was fetched to be read, and writes it to a new file as it arrives.
    ///
    /// - Parameters:
    ///   - maximumByteCount: what is written at most; of a longer one, the front.
    ///   - seconds: how long it may take, at most four target durations.
    package func copy(
        _ part: LiveSegmentCopy.Part, of segment: LiveSegment, to path: String, maximumByteCount: Int,
        seconds: Int
    ) async -> LiveSegmentCopy {
        let start = clock.sinceBoot
        var fetcher = fetcher
        fetcher.limits.maximumSegmentSeconds = max(1, min(4 * segment.targetSeconds, seconds))
        let reader = ResourceReader(
            fetcher: fetcher, keys: KeyRing(fetcher: fetcher), buffers: ReadBuffers(), policy: segment.policy)
        let listed = ListedSegments([segment.listed], at: .network(segment.playlistAddress))[0]
        let resource =
            switch part {
            case .segment: Resource(listed)
            case .initialization: listed.initialization.map { Resource($0) } ?? Resource(listed)
            }
        var copy = await fetcher.onThread {
            await LiveSegmentCopy(of: listed, resource, through: reader, to: path, maximumByteCount)
        }
        copy.duration = clock.sinceBoot - start
        return copy
    }
}

extension LiveSegmentCopy {
    /// Copies on the thread of the caller, which waits for files and servers.
    fileprivate init(
        of listed: Presentation.Segment, _ resource: Resource, through reader: ResourceReader,
        to path: String,
        _ maximumByteCount: Int
    ) async {
        failure = listed.unreadable
        if failure != nil { return }
        do throws(SystemError) {
            var taker = SegmentFileTaker(
                try FileDescriptor(path: path, options: [.writing, .create, .exclusive, .noFollow]),
                maximumByteCount: maximumByteCount)
            failure = await reader.read(resource, into: &taker).failure
            if failure == nil, taker.isTruncated {
                failure = .tooLarge(resource.name, maximumByteCount: UInt64(maximumByteCount))
            }
            byteCount = taker.byteCount
            writingFailure = taker.failure
        } catch {
            writingFailure = error
        }
    }
}

/// Writes the bytes of a segment to a file, up to a limit.
private struct SegmentFileTaker: SegmentByteTaker, ~Copyable {
    private let file: FileDescriptor
    private let maximumByteCount: Int
    /// How many bytes were written.
    private(set) var byteCount = 0
    /// Whether there were more than the limit lets through.
    private(set) var isTruncated = false
    /// Why nothing more was written.
    private(set) var failure: SystemError?

    init(_ file: consuming FileDescriptor, maximumByteCount: Int) {
        self.file = file
        self.maximumByteCount = maximumByteCount
    }

    var skippableByteCount: UInt64 { 0 }
    var hasGivenUp: Bool { isTruncated || failure != nil }

    mutating func skip(_ count: UInt64) {}

    mutating func feed(_ chunk: Span<UInt8>) throws(DemuxError) {
        if hasGivenUp { return }
        let count = min(chunk.count, maximumByteCount - byteCount)
        isTruncated = count < chunk.count
        do throws(SystemError) {
            try file.write(chunk.extracting(first: count))
            byteCount += count
        } catch {
            failure = error
        }
    }
}

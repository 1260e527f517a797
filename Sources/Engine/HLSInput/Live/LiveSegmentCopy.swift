import HLSPlaylist
package import HostSystem
import SegmentDemux

/// The result of copying a live segment, or its initialization segment, to a file.
package struct LiveSegmentCopy: Sendable {
    /// The URI of the resource in the playlist, without secrets.
    package fileprivate(set) var printableURI = ""

    /// The number of decrypted bytes in the file.
    package private(set) var byteCount = 0

    /// The duration of the fetch.
    package fileprivate(set) var duration = Duration.zero

    /// The reason why the copy is incomplete, or nil if it is complete.
    package fileprivate(set) var failure: InputError?

    /// The error in writing the file, or nil without one.
    package private(set) var writingFailure: SystemError?

    /// The resource that is copied.
    package enum Part: Sendable, Hashable {
        /// The media segment.
        case segment
        /// The media initialization segment that it needs (EXT-X-MAP).
        case initialization
    }
}

extension LiveInput {
    /// Fetches a segment again, as for reading, and writes it to a new file as it arrives.
    ///
    /// - Parameters:
    ///   - maximumByteCount: The maximum number of bytes to write; a longer segment is truncated.
    ///   - seconds: The time limit, which is capped at four target durations.
    package func copy(
        _ part: LiveSegmentCopy.Part, of segment: LiveSegment, to path: String, maximumByteCount: Int,
        seconds: Int
    ) async -> LiveSegmentCopy {
        let start = clock.sinceBoot
        var fetcher = fetcher
        fetcher.limits.maximumSegmentSeconds = max(1, min(4 * segment.targetSeconds, seconds))
        let reader = ResourceReader(fetcher: fetcher, policy: segment.policy)
        let listed = segment.resolved
        let resource =
            switch part {
            case .segment: Resource(listed)
            case .initialization: listed.initialization.map { Resource($0) } ?? Resource(listed)
            }
        var copy = await fetcher.onThread {
            await LiveSegmentCopy(of: listed, resource, through: reader, to: path, maximumByteCount)
        }
        copy.duration = clock.sinceBoot - start
        copy.printableURI = segment.secrets.hidden(
            inURL: part == .segment ? segment.listed.uri : segment.listed.map?.uri ?? segment.listed.uri)
        copy.failure = copy.failure.map(segment.secrets.hidden(inError:))
        return copy
    }
}

extension LiveSegmentCopy {
    /// Copies the resource on the calling thread, which may block on files and servers.
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

/// A writer of segment bytes to a file, up to a limit.
private struct SegmentFileTaker: SegmentByteTaker, ~Copyable {
    private let file: FileDescriptor
    private let maximumByteCount: Int
    /// The number of bytes written.
    private(set) var byteCount = 0
    /// Whether the segment exceeds the limit.
    private(set) var isTruncated = false
    /// The error that stopped writing.
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

import SegmentDemux
import Synchronization

/// Reads the segments that come next in a rendition ahead of their turn, several at once.
///
/// Each is read apart from the others down to the few kilobytes that matter; their order is the demuxer's.
/// Only whole files of this machine are read ahead: what is encrypted, comes from the network or once only, or
/// needs an initialisation section is read in its turn, and so is what cannot be read without the segment
/// before it.
final class SegmentLookahead {
    private let segments: Programme.SegmentList
    private let depth: Int
    private let threads: ThreadExecutor
    private let buffers = ReadBuffers()
    /// The segments from `first` on that are being read, or were; nil for those that are not read ahead.
    private var pending: [Task<PreparedSegment?, Never>?] = []
    private var first = 0

    /// A lookahead of at most `depth` segments on threads that may serve others too.
    init(_ segments: Programme.SegmentList, depth: Int, threads: ThreadExecutor) {
        self.segments = segments
        self.depth = depth
        self.threads = threads
    }

    deinit {
        for task in pending { task?.cancel() }
    }

    /// A segment as it was read ahead; nil where it must be read now.
    ///
    /// To be asked for each segment, in order.
    func take(_ index: Int) async -> PreparedSegment? {
        while first < index, !pending.isEmpty {
            pending.removeFirst()?.cancel()
            first += 1
        }
        if pending.isEmpty { first = index }
        while pending.count < depth, first + pending.count < segments.count {
            pending.append(prepare(segments[first + pending.count]))
        }
        guard !pending.isEmpty else { return nil }
        first += 1
        return await pending.removeFirst()?.value
    }

    private func prepare(_ segment: Programme.Segment) -> Task<PreparedSegment?, Never>? {
        guard case .path(let path) = segment.address, segment.readAhead == nil, !segment.isGap,
            segment.unreadable == nil, segment.encryption == nil, segment.initialization == nil
        else { return nil }
        let range = segment.byteRange
        let buffers = buffers
        return Task(executorPreference: threads) {
            do throws(InputError) {
                return try PreparedSegment(path: path, range: range, buffers: buffers)
            } catch {
                // Reading it in its turn fails likewise, and keeps what comes before the failure.
                return nil
            }
        }
    }
}

/// A segment that was read ahead of its turn.
struct PreparedSegment: Sendable {
    /// What the demuxer takes in the place of its bytes.
    let filtered: FilteredSegment
    /// What was read.
    let fed: SegmentSource.Fed

    /// Reads a file, or a range of it; nil where it must be read in its turn, or nobody wants it any more.
    init?(path: String, range: Programme.ByteRange?, buffers: ReadBuffers) throws(InputError) {
        guard !Task.isCancelled, case .file = try LocalFile.kind(of: path) else { return nil }
        let file = try LocalFile(path: path)
        if let range { try file.seek(to: range.offset) }
        var buffer = buffers.take()
        defer { buffers.giveBack(buffer) }
        var filter = SegmentFilter()
        var fed = SegmentSource.Fed()
        var rest = range?.length ?? .max
        while rest > 0 {
            let count = try file.read(into: &buffer, limit: Int(clamping: rest))
            if count == 0 { break }
            rest -= UInt64(count)
            let bytes = buffer.span.extracting(0..<count)
            fed.note(bytes)
            filter.feed(bytes)
            if filter.mustBeReadInOrder || Task.isCancelled { return nil }
        }
        // A file that ends before its range does is reported by the one who reads it in its turn.
        guard range == nil || rest == 0, let filtered = filter.finish() else { return nil }
        self.filtered = filtered
        self.fed = fed
    }
}

/// The buffers that files are read into: as many as threads read at once, used again and again.
final class ReadBuffers: Sendable {
    private let free = Mutex<[[UInt8]]>([])

    /// How many bytes a buffer has.
    static let byteCount = 256 << 10

    func take() -> [UInt8] {
        free.withLock { $0.popLast() } ?? [UInt8](repeating: 0, count: Self.byteCount)
    }

    func giveBack(_ buffer: consuming [UInt8]) {
        let buffer = buffer
        free.withLock { $0.append(buffer) }
    }
}

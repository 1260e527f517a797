import SegmentDemux

/// Reads the segments that come next in a rendition on the fetcher's threads, several at once.
///
/// Each is filtered by itself down to the few kilobytes that matter; their order is the demuxer's. Files are
/// prefetched. What comes from the network, or comes once, is read in its turn, as is a file that cannot be understood
/// without the segments before it.
final class SegmentPrefetch {
    private let segments: Presentation.SegmentList
    private let reader: ResourceReader
    private let maximumCount: Int
    /// The segments from `first` on that are being read, or were; nil for those that are read in their turn.
    private var pending: [Task<PrefetchedSegment?, Never>?] = []
    private var first = 0

    /// A prefetch of at most so many segments.
    init(_ segments: Presentation.SegmentList, reader: ResourceReader, maximumCount: Int) {
        self.segments = segments
        self.reader = reader
        self.maximumCount = maximumCount
    }

    deinit {
        for task in pending { task?.cancel() }
    }

    /// A segment as it was prefetched; nil where it must be read now.
    ///
    /// To be asked for each segment, in order.
    func removeSegment(at index: Int) async -> PrefetchedSegment? {
        while first < index, !pending.isEmpty {
            pending.removeFirst()?.cancel()
            first += 1
        }
        if pending.isEmpty { first = index }
        while pending.count < maximumCount, first + pending.count < segments.count {
            pending.append(prefetch(segments[first + pending.count]))
        }
        guard !pending.isEmpty else { return nil }
        first += 1
        guard let task = pending.removeFirst() else { return nil }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func prefetch(_ segment: Presentation.Segment) -> Task<PrefetchedSegment?, Never>? {
        guard case .path = segment.address, segment.stream == nil, !segment.isGap, segment.unreadable == nil
        else { return nil }
        let reader = reader
        let resource = Resource(segment)
        return Task(executorPreference: reader.fetcher.threads) {
            if Task.isCancelled { return nil }
            var filter = SegmentFilter()
            let (read, failure) = await reader.read(resource, into: &filter)
            guard let content = filter.finish() else { return nil }
            return PrefetchedSegment(content: content, read: read, failure: failure)
        }
    }
}

/// A segment that was read before its turn.
struct PrefetchedSegment: Sendable {
    /// What the demuxer takes in place of its bytes.
    let content: FilteredSegment
    /// What was read.
    let read: ReadBytes
    /// Why it was not read to its end; nil where it was.
    let failure: InputError?
}

import SegmentDemux

/// Prefetches the next segments of a rendition concurrently on the fetcher's threads.
///
/// Each segment is filtered independently to the few relevant kilobytes, and the demuxer processes the results in
/// order. Only files are prefetched. Network resources, streams, and files that depend on previous segments are read in
/// order.
final class SegmentPrefetch {
    private let segments: Presentation.SegmentList
    private let reader: ResourceReader
    private let maximumCount: Int
    /// The prefetch tasks from `first` on, with nil for segments that are read in order.
    private var pending: [Task<PrefetchedSegment?, Never>?] = []
    private var first = 0

    /// Creates a prefetcher for at most `maximumCount` segments.
    init(_ segments: Presentation.SegmentList, reader: ResourceReader, maximumCount: Int) {
        self.segments = segments
        self.reader = reader
        self.maximumCount = maximumCount
    }

    deinit {
        for task in pending { task?.cancel() }
    }

    /// Returns a prefetched segment, or nil if it must be read now.
    ///
    /// Call it for each segment, in order.
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

/// A prefetched segment.
struct PrefetchedSegment: Sendable {
    /// The filter output, which replaces the segment's bytes in the demuxer.
    let content: FilteredSegment
    /// The bytes that were read.
    let read: ReadBytes
    /// The reason why reading stopped early, or nil if it did not.
    let failure: InputError?
}

/// Takes in the bytes of one segment of one container, on any thread, and passes on what a demuxer needs of it.
///
/// What comes out is a function of the bytes, however they were split into chunks. A transport stream's filter
/// may also be given the program map of the segments before; see `needsEarlierSegments`.
protocol ContainerFilter: Sendable {
    /// What the container's demuxer takes in place of the bytes.
    associatedtype Passed: Sendable

    /// Takes bytes of the segment, in chunks of any size.
    mutating func feed(_ chunk: Span<UInt8>)

    /// How many of the bytes that come next need not be fed, because nothing in them matters.
    var skippableByteCount: UInt64 { get }

    /// Says that so many bytes, at most `skippableByteCount`, were skipped.
    mutating func skip(_ count: UInt64)

    /// Roughly how much memory takes what was passed and not taken yet.
    var passedByteCount: Int { get }

    /// Roughly how much memory takes what was not decided on yet.
    var pendingByteCount: Int { get }

    /// Whether the segment cannot be understood without what the segments before it said.
    var needsEarlierSegments: Bool { get }

    /// Takes out what was passed so far, so that a long segment need not be held as a whole.
    mutating func drainPassed() -> Passed

    /// Ends the segment: what was passed and not taken out.
    mutating func finish() -> Passed

    /// What was passed, as the content of a filtered segment.
    static func content(_ passed: Passed) -> FilteredSegment.Content
}

extension ContainerFilter {
    mutating func drainContent() -> FilteredSegment.Content { Self.content(drainPassed()) }
    mutating func finishContent() -> FilteredSegment.Content { Self.content(finish()) }
}

import HLSPlaylist
import HTTPTransfer

/// The bytes of a segment from the network, as they arrive.
///
/// An interrupted transfer is resumed once, with a byte range. If the server does not support ranges and sends the
/// whole resource again, the bytes already received are skipped.
struct ResourceBody {
    private let fetcher: ResourceFetcher
    private let url: String
    private let offset: UInt64
    private let length: UInt64?
    private let policy: AddressPolicy
    private let deadline: ContinuousClock.Instant
    private var stream: HTTPBodyStream
    private var selection: RangeSelection
    private var takenCount: UInt64 = 0
    private var mayResume = true

    /// Requests a resource, or a part of it.
    init(
        _ url: String, range: ByteRange?, policy: AddressPolicy, fetcher: ResourceFetcher
    ) async throws(InputError) {
        self.fetcher = fetcher
        self.url = url
        self.policy = policy
        offset = UInt64(range?.offset ?? 0)
        length = range.map { UInt64($0.length) }
        deadline = .now + .seconds(fetcher.limits.maximumSegmentSeconds)
        (stream, selection) = try await fetcher.open(
            url, offset: offset, length: length, policy: policy, deadline: deadline)
    }

    /// Passes the next bytes to `body`, or returns false at the end.
    mutating func next(_ body: (Span<UInt8>) throws(InputError) -> Void) async throws(InputError) -> Bool {
        guard !selection.isComplete, let chunk = try await nextChunk() else { return false }
        let part = selection.advance(by: chunk.count)
        takenCount += UInt64(part.count)
        try body(chunk.span.extracting(part))
        return true
    }

    /// Whether the resource ended before its byte range was complete.
    var isTruncated: Bool { selection.isMissingBytes }

    private mutating func nextChunk() async throws(InputError) -> [UInt8]? {
        do throws(InputError) {
            return try await fetcher.next(of: stream, url: url)
        } catch {
            guard error.isRetriable, mayResume, takenCount > 0, .now < deadline else { throw error }
            mayResume = false
            try await resume(after: error)
            return try await fetcher.next(of: stream, url: url)
        }
    }

    private mutating func resume(after failure: InputError) async throws(InputError) {
        // The number of decoded bytes is no position in the body that the server sends.
        if stream.head.isEncoded { throw failure }
        // Both values are within the bytes already sent, or within a byte range of the playlist.
        let (stream, selection) = try await fetcher.open(
            url, offset: offset + takenCount, length: length.map { $0 - takenCount }, policy: policy,
            deadline: deadline)
        // The rest of a different version must not be appended to this one.
        for name in ["etag", "last-modified"]
        where stream.head.headers[name] != self.stream.head.headers[name] { throw failure }
        self.stream = stream
        self.selection = selection
    }
}

/// The bytes to use from a response: a number of bytes to skip, and a number of bytes to take.
///
/// A server may ignore the range of a request and send everything, or send a range that begins earlier.
struct RangeSelection {
    private var skipCount: UInt64
    /// The number of bytes still to take, or nil to take everything to the end.
    private(set) var remainingCount: UInt64?

    /// A selection of all bytes.
    static var everything: RangeSelection { RangeSelection(skipping: 0, taking: nil) }

    init(skipping skipCount: UInt64, taking remainingCount: UInt64?) {
        self.skipCount = skipCount
        self.remainingCount = remainingCount
    }

    /// Whether all selected bytes have arrived.
    var isComplete: Bool { remainingCount == 0 }

    /// Whether selected bytes are missing from a body that has ended.
    var isMissingBytes: Bool { (remainingCount ?? 0) > 0 }

    /// Returns the selected part of the next `count` bytes.
    mutating func advance(by count: Int) -> Range<Int> {
        let skipped = min(skipCount, UInt64(count))
        skipCount -= skipped
        let taken = min(UInt64(count) - skipped, remainingCount ?? .max)
        if let remainingCount { self.remainingCount = remainingCount - taken }
        // Both are parts of `count`, so their sum cannot overflow.
        return Int(skipped)..<Int(skipped + taken)
    }
}

import HTTPTransfer

/// The bytes of a segment from the network, as they arrive.
///
/// A connection that breaks in the middle is taken up again once where it broke, by a byte range; a server that
/// does not serve ranges sends what came already once more, and that is passed over.
struct SegmentBody {
    private let fetcher: ResourceFetcher
    private let url: String
    private let range: Programme.ByteRange?
    private let policy: AddressPolicy
    private var stream: HTTPBodyStream
    private var window: ByteWindow
    private var takenCount: UInt64 = 0
    private var mayResume = true

    /// Asks for a resource, or a part of it.
    init(
        _ url: String, range: Programme.ByteRange?, policy: AddressPolicy, fetcher: ResourceFetcher
    ) async throws(InputError) {
        self.fetcher = fetcher
        self.url = url
        self.range = range
        self.policy = policy
        let wanted = range.map { HTTPRequest.ByteRange(offset: $0.offset, length: $0.length) }
        (stream, window) = try await fetcher.open(url, range: wanted, policy: policy)
    }

    /// Lends what has come since the last time; false at the end.
    mutating func next(_ body: (Span<UInt8>) throws(InputError) -> Void) async throws(InputError) -> Bool {
        guard !window.isFull, let chunk = try await nextChunk() else { return false }
        let part = window.take(chunk.count)
        takenCount += UInt64(part.count)
        try body(chunk.span.extracting(part))
        return true
    }

    /// Whether the resource ended before its byte range did.
    var isCut: Bool { window.isShort }

    private mutating func nextChunk() async throws(InputError) -> [UInt8]? {
        do throws(InputError) {
            return try await fetcher.next(of: stream, url: url)
        } catch {
            guard error.isRetriable, mayResume, takenCount > 0 else { throw error }
            mayResume = false
            try await resume(after: error)
            return try await fetcher.next(of: stream, url: url)
        }
    }

    private mutating func resume(after failure: InputError) async throws(InputError) {
        // Both sums are within what the server has sent, or was asked for and stayed within 64 bits.
        let rest = HTTPRequest.ByteRange(
            offset: (range?.offset ?? 0) + takenCount, length: range.map { $0.length - takenCount })
        let (stream, window) = try await fetcher.open(url, range: rest, policy: policy)
        // The rest of another version is not the rest of this one.
        for name in ["etag", "last-modified"]
        where stream.head.headers[name] != self.stream.head.headers[name] { throw failure }
        self.stream = stream
        self.window = window
    }
}

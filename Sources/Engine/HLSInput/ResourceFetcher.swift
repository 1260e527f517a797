package import HTTPTransfer

/// Fetches playlists and keys whole, and opens segments to be read as they arrive.
///
/// A request that fails in a way that may pass is made once more; then the error stands. Files are read, and
/// bytes worked through, on a thread that the fetcher and its copies share.
package struct ResourceFetcher: Sendable {
    private let client: HTTPClient
    private let thread = ThreadExecutor(name: "dtvr-read")

    /// A fetcher over a client.
    package init(client: HTTPClient) { self.client = client }

    /// A playlist larger than this is not read.
    static let maximumPlaylistByteCount = 16 << 20

    /// Does work that blocks on the fetcher's thread.
    func onThread<Result, Failure>(
        _ work: () async throws(Failure) -> sending Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(thread, operation: work)
    }

    /// All bytes of a resource, at most `limit`.
    func bytes(at address: InputAddress, policy: AddressPolicy, limit: Int) async throws(InputError)
        -> [UInt8]
    {
        switch address {
        case .path(let path): return try LocalFile(path: path).readAll(limit: limit)
        case .standardInput: throw .unreadable("standard input", reason: "is read once only")
        case .network(let url):
            var request = HTTPRequest(url: url)
            request.addressPolicy = policy
            request.acceptsCompression = true
            request.bodyLimit = .failing(after: limit)
            return try await retrying { () async throws(InputError) in
                let response: HTTPResponse
                do throws(HTTPTransferError) {
                    response = try await client.send(request)
                } catch {
                    throw .transfer(url, error)
                }
                try Self.check(response.head, of: url)
                return response.body
            }
        }
    }

    /// The front of a resource, or all of it where it is a playlist; one request is enough for either.
    func openedInput(
        at url: String, policy: AddressPolicy
    ) async throws(InputError) -> (head: HTTPResponseHead, bytes: [UInt8]) {
        var request = HTTPRequest(url: url)
        request.addressPolicy = policy
        request.acceptsCompression = true
        request.bodyLimit = .failing(after: Self.maximumPlaylistByteCount)
        return try await retrying { () async throws(InputError) in
            let stream = try await begin(request)
            var bytes: [UInt8] = []
            while bytes.count < PlaylistSignature.byteCount || PlaylistSignature.isAtFront(of: bytes),
                let chunk = try await next(of: stream, url: url)
            {
                bytes += chunk
            }
            return (stream.head, bytes)
        }
    }

    /// A segment's bytes as they arrive, and which of them are wanted.
    ///
    /// A server may ignore the range and send everything (RFC 9110, 14.2), or send a range that begins earlier.
    func open(
        _ url: String, range: HTTPRequest.ByteRange?, policy: AddressPolicy
    ) async throws(InputError) -> (stream: HTTPBodyStream, window: ByteWindow) {
        var request = HTTPRequest(url: url)
        request.addressPolicy = policy
        request.range = range
        request.bodyLimit = .failing(after: 1 << 40)
        let stream = try await retrying { () async throws(InputError) in try await begin(request) }
        guard let range else { return (stream, .everything) }
        let first = stream.head.status == 206 ? Self.firstByte(of: stream.head) ?? range.offset : 0
        guard first <= range.offset else {
            throw .transfer(url, reason: "the server sent another byte range", isRetriable: false)
        }
        return (stream, ByteWindow(skipping: range.offset - first, taking: range.length))
    }

    /// What has come of a body since the last time; nil at its end.
    func next(of stream: HTTPBodyStream, url: String) async throws(InputError) -> [UInt8]? {
        do throws(HTTPTransferError) {
            return try await stream.next()
        } catch {
            throw .transfer(url, error)
        }
    }

    private func begin(_ request: HTTPRequest) async throws(InputError) -> HTTPBodyStream {
        let stream: HTTPBodyStream
        do throws(HTTPTransferError) {
            stream = try await client.stream(request)
        } catch {
            throw .transfer(request.url, error)
        }
        try Self.check(stream.head, of: request.url)
        return stream
    }

    private static func check(_ head: HTTPResponseHead, of url: String) throws(InputError) {
        if head.isSuccess { return }
        let isRetriable = head.status >= 500 || head.status == 429 || head.status == 408
        throw .transfer(url, reason: "the server answered \(head.status)", isRetriable: isRetriable)
    }

    /// The first byte that a `Content-Range: bytes first-last/size` names (RFC 9110, 14.4).
    private static func firstByte(of head: HTTPResponseHead) -> UInt64? {
        guard let value = head.headers["content-range"], value.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        return UInt64(value.dropFirst(6).prefix { $0 != "-" })
    }

    private func retrying<Result>(
        _ attempt: () async throws(InputError) -> Result
    ) async throws(InputError) -> Result {
        do throws(InputError) {
            return try await attempt()
        } catch {
            guard error.isRetriable else { throw error }
            return try await attempt()
        }
    }
}

extension InputError {
    fileprivate static func transfer(_ url: String, _ error: HTTPTransferError) -> InputError {
        .transfer(url, reason: error.reason, isRetriable: error.isRetriable)
    }
}

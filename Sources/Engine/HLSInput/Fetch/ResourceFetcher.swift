import HLSPlaylist
public import HTTPTransfer
import HostSystem
import Synchronization

/// Fetches complete playlists and keys, and opens segments for streaming.
///
/// A request that fails with a transient error is retried once. The fetcher and its copies share the threads that read
/// files and process bytes.
public struct ResourceFetcher: Sendable {
    private let transport: Transport
    let threads: ThreadExecutor
    /// The number of bytes of segments that the fetcher and its copies have read.
    let meter = ByteMeter()
    var limits: InputLimits

    /// The credentials for one host.
    var hostCredentials: HostCredentials?

    /// The secrets of the connection, which nothing that is printed may have.
    package private(set) var secrets = InputSecrets()

    /// The connection settings for all hosts.
    var connection = ConnectionSettings()

    /// The cookies of the presentation or live source; nil for none.
    var cookies: CookieJar?

    /// The owner to which requests are charged for connection sharing, or nil for none.
    var owner: TransferOwner?

    /// The limit on requests beyond those of playback, such as retries; nil for none.
    var pace: RequestPace?

    /// The number of bytes of a segment that are collected before they are processed.
    var chunkByteCount = 1

    /// Whether all requests are beyond those of playback, as in a search.
    var pacesAllRequests = false

    /// The means of loading a resource from a network.
    private enum Transport: Sendable {
        case client(HTTPClient)
        case loader(any ResourceLoader)
    }

    /// Creates a fetcher that reads up to `jobs` files concurrently, each on its own thread.
    public init(
        client: HTTPClient, limits: InputLimits = InputLimits(), jobs: Int = 1
    ) throws(InputError) {
        try self.init(.client(client), limits: limits, jobs: jobs)
    }

    /// Creates a fetcher that loads the resources of a network with the caller's loader.
    ///
    /// The settings of a connection, such as a client certificate, are those of the loader.
    public init(
        loader: any ResourceLoader, limits: InputLimits = InputLimits(), jobs: Int = 1
    ) throws(InputError) {
        try self.init(.loader(loader), limits: limits, jobs: jobs)
    }

    private init(_ transport: Transport, limits: InputLimits, jobs: Int) throws(InputError) {
        self.transport = transport
        self.limits = limits
        do throws(SystemError) {
            threads = try ThreadExecutor(name: "dtvr-read", threadCount: max(1, jobs))
        } catch {
            throw .unreadable("input", reason: "no thread can be started: \(error.reason)")
        }
    }

    /// Sets the connection, with header fields and a client certificate for the host of an address only.
    ///
    /// - Parameter url: The address; nil sends neither header fields nor the certificate anywhere.
    package mutating func use(_ connection: ConnectionSettings, headers: HTTPHeaders, for url: String?) {
        self.connection = connection
        self.connection.clientCertificateFile = nil
        hostCredentials = url.map {
            HostCredentials(headers: headers, certificateFile: connection.clientCertificateFile, url: $0)
        }
        secrets = InputSecrets(addresses: [connection.proxy].compactMap { $0 }, headers: headers)
    }

    /// Runs blocking work on the fetcher's threads.
    func onThread<Result, Failure>(
        _ work: () async throws(Failure) -> sending Result
    ) async throws(Failure) -> Result {
        try await withTaskExecutorPreference(threads, operation: work)
    }

    /// Starts a task on the fetcher's threads, between which it then never moves to and from others.
    package func task(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: threads, operation: work)
    }

    /// Returns the bytes of a key.
    func key(at address: InputAddress, policy: AddressPolicy) async throws(InputError) -> [UInt8] {
        let limit = InputLimits.maximumKeyByteCount
        switch address {
        case .path(let path): return try InputFile(regularFileAt: path).readAll(maximumByteCount: limit)
        case .standardInput: throw .unreadable("standard input", reason: "cannot provide a key")
        case .data(let uri): return try Self.content(ofDataURI: uri)
        case .memory(let bytes): return bytes
        case .network(let url):
            var request = request(for: url, policy: policy)
            request.acceptsCompression = true
            request.bodyLimit = .failing(after: limit)
            request.timeLimits.total = limits.maximumKeySeconds
            return try await retrying(url) { () async throws(InputError) in
                let response: HTTPResponse
                if pacesAllRequests { await pace?.wait(for: url) }
                do throws(HTTPTransferError) {
                    response = try await send(request)
                } catch {
                    throw .transfer(url, error)
                }
                try Self.check(response.head, of: url)
                return response.body
            }
        }
    }

    /// Returns the first bytes of a resource, or all bytes of a playlist, with a single request.
    func openedInput(
        at url: String, policy: AddressPolicy
    ) async throws(InputError) -> (head: HTTPResponseHead, bytes: [UInt8]) {
        var request = request(for: url, policy: policy)
        request.acceptsCompression = true
        request.bodyLimit = .failing(after: InputLimits.maximumPlaylistByteCount)
        request.timeLimits.total = limits.maximumPlaylistSeconds
        return try await retrying(url) { () async throws(InputError) in
            let stream = try await begin(request)
            var bytes: [UInt8] = []
            while bytes.count < OpenedInput.signatureByteCount || OpenedInput.beginsLikePlaylist(bytes),
                let chunk = try await next(of: stream, url: url)
            {
                bytes += chunk
            }
            return (stream.head, bytes)
        }
    }

    /// Requests a media playlist for a periodic reload, without retries, and returns any response of the server.
    ///
    /// - Parameter conditions: The header fields of a conditional request.
    func livePlaylist(
        at url: String, conditions: HTTPHeaders, policy: AddressPolicy, seconds: Int, maximumByteCount: Int
    ) async throws(InputError) -> HTTPResponse {
        var request = request(for: url, policy: policy)
        request.headers = conditions
        request.acceptsCompression = true
        request.bodyLimit = .failing(after: maximumByteCount)
        request.timeLimits.total = seconds
        if pacesAllRequests { await pace?.wait(for: url) }
        do throws(HTTPTransferError) {
            return try await send(request)
        } catch {
            throw .transfer(url, error)
        }
    }

    /// Opens a segment and returns its stream with the selection of the requested bytes, which begin at `offset`.
    ///
    /// - Parameter deadline: The time limit for the whole transfer, including retries.
    func open(
        _ url: String, offset: UInt64, length: UInt64?, policy: AddressPolicy,
        deadline: ContinuousClock.Instant
    ) async throws(InputError) -> (stream: HTTPBodyStream, selection: RangeSelection) {
        var request = request(for: url, policy: policy)
        request.prefersIdentity = true
        request.chunkByteCount = chunkByteCount
        if offset > 0 || length != nil { request.range = .init(offset: offset, length: length) }
        request.bodyLimit = .failing(after: Int(clamping: limits.maximumSegmentByteCount))
        let stream = try await retrying(url, until: deadline) { () async throws(InputError) in
            let rest = ContinuousClock.now.duration(to: deadline)
            request.timeLimits.total = max(1, Int(rest.components.seconds))
            return try await begin(request)
        }
        if stream.head.status == 206, stream.head.isEncoded {
            throw .transfer(
                url, reason: "the server sent a byte range of a compressed body", isRetriable: false)
        }
        let first = stream.head.status == 206 ? Self.firstByte(of: stream.head) ?? offset : 0
        guard first <= offset else {
            throw .transfer(url, reason: "the server sent a different byte range", isRetriable: false)
        }
        guard request.range != nil else { return (stream, .everything) }
        return (stream, RangeSelection(skipping: offset - first, taking: length))
    }

    /// Returns the bytes that have arrived since the last call, or nil at the end of the body.
    func next(of stream: HTTPBodyStream, url: String) async throws(InputError) -> [UInt8]? {
        do throws(HTTPTransferError) {
            return try await stream.next()
        } catch {
            throw .transfer(url, error)
        }
    }

    private func request(for url: String, policy: AddressPolicy) -> HTTPRequest {
        var request = HTTPRequest(url: url)
        request.addressPolicy = policy
        request.owner = owner
        request.cookies = cookies
        request.connection = connection
        if let hostCredentials, hostCredentials.belong(to: url) {
            request.ownHostHeaders = hostCredentials.headers
            request.connection.clientCertificateFile = hostCredentials.certificateFile
        }
        return request
    }

    private func send(_ request: HTTPRequest) async throws(HTTPTransferError) -> HTTPResponse {
        switch transport {
        case .client(let client): try await client.send(request)
        case .loader(let loader): try await loader.response(to: request)
        }
    }

    private func begin(_ request: HTTPRequest) async throws(InputError) -> HTTPBodyStream {
        let stream: HTTPBodyStream
        if pacesAllRequests { await pace?.wait(for: request.url) }
        do throws(HTTPTransferError) {
            stream =
                switch transport {
                case .client(let client): try await client.stream(request)
                case .loader(let loader): HTTPBodyStream(of: try await loader.response(to: request))
                }
        } catch {
            throw .transfer(request.url, error)
        }
        try Self.check(stream.head, of: request.url)
        return stream
    }

    /// Throws if the status is not a success.
    static func check(_ head: HTTPResponseHead, of url: String) throws(InputError) {
        if head.isSuccess { return }
        let isRetriable = head.status >= 500 || head.status == 429 || head.status == 408
        throw .transfer(url, reason: "the server answered \(head.status)", isRetriable: isRetriable)
    }

    /// Returns the bytes in a `data:` URI.
    static func content(ofDataURI uri: String) throws(InputError) -> [UInt8] {
        do throws(DataURIError) {
            return try DataURI.content(of: uri)
        } catch {
            throw .unreadable(InputAddress.data(uri).text, reason: error.reason)
        }
    }

    /// Returns the first byte position in `Content-Range: bytes first-last/size` (RFC 9110, 14.4).
    private static func firstByte(of head: HTTPResponseHead) -> UInt64? {
        guard let value = head.headers["content-range"], value.lowercased().hasPrefix("bytes ") else {
            return nil
        }
        return UInt64(value.dropFirst(6).prefix { $0 != "-" })
    }

    private func retrying<Result>(
        _ url: String, until deadline: ContinuousClock.Instant? = nil,
        _ attempt: () async throws(InputError) -> Result
    ) async throws(InputError) -> Result {
        do throws(InputError) {
            return try await attempt()
        } catch {
            guard error.isRetriable, deadline.map({ ContinuousClock.now < $0 }) ?? true else { throw error }
            if !pacesAllRequests { await pace?.wait(for: url) }
            return try await attempt()
        }
    }
}

extension InputError {
    fileprivate static func transfer(_ url: String, _ error: HTTPTransferError) -> InputError {
        if error.kind == .cancelled { return .cancelled(url) }
        return .transfer(url, reason: error.reason, isRetriable: error.isRetriable)
    }
}

/// A count of bytes for the display of progress, which may be read from any thread.
final class ByteMeter: Sendable {
    private let bytes = Atomic(0)

    /// The number of bytes.
    var count: Int { bytes.load(ordering: .relaxed) }

    func add(_ count: Int) { bytes.wrappingAdd(count, ordering: .relaxed) }
}

/// The credentials for one address, which are sent only to its host.
struct HostCredentials: Sendable {
    /// The header fields, which may contain secrets.
    let headers: HTTPHeaders

    /// The file with a client certificate and its key, or nil for none.
    let certificateFile: String?

    /// The address whose host may receive the credentials.
    let url: String

    /// Returns whether `url` has the scheme, host and port of the credentials.
    func belong(to url: String) -> Bool { HTTPOrigin.areSame(url, self.url) }
}

/// The limits on the size of input resources and on their network transfer time.
///
/// A file, FIFO, device or standard input named by the user has no limit and is read to its end.
public struct InputLimits: Sendable, Hashable {
    /// The maximum size of a segment, in bytes.
    public var maximumSegmentByteCount: UInt64 = 1 << 30

    /// The maximum transfer time of a segment in seconds, from the request to its last byte.
    package var maximumSegmentSeconds = 600

    /// The maximum size of a playlist, in bytes.
    static let maximumPlaylistByteCount = 16 << 20

    /// The maximum transfer time of a playlist, in seconds.
    package var maximumPlaylistSeconds = 60

    /// The maximum size of a key response in bytes; a valid key has 16 bytes.
    static let maximumKeyByteCount = 4 << 10

    /// The maximum transfer time of a key, in seconds.
    package var maximumKeySeconds = 30

    /// Creates the default limits.
    public init() {}
}

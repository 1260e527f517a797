import HTTPTransfer

/// Loads playlists, segments and keys in place of `HTTPClient`: with the caller's own client, header fields, proxy or
/// cache.
///
/// A resource is in memory as a whole while it is read, and there are no cookies. The loader resolves host names, so it
/// must refuse names with private addresses if playlists are not trusted; numeric addresses and `localhost` are
/// refused before it is called.
public protocol ResourceLoader: Sendable {
    /// Loads a resource, following redirects; it must end soon after its task is cancelled.
    ///
    /// Every status is a response. An error means that there was none; the request is then repeated once.
    func load(_ request: ResourceRequest) async throws -> ResourceResponse
}

/// A request of a `ResourceLoader`.
public struct ResourceRequest: Sendable, Hashable {
    /// The absolute `http` or `https` URL.
    public let url: String
    /// The header fields to send, such as `Range` or `If-None-Match`.
    public let headers: [String: String]
    /// The size in bytes at which a body is too large.
    public let maximumByteCount: Int
    /// The time limit; afterwards, the task is cancelled.
    public let timeLimit: Duration

    init(_ request: HTTPRequest) {
        url = request.url
        var headers: [String: String] = [:]
        for field in request.headers.fields + request.ownHostHeaders.fields {
            headers[field.name, default: ""] += (headers[field.name] == nil ? "" : ", ") + field.value
        }
        if let range = request.range {
            let last = range.length.map { String(range.offset + $0 - 1) } ?? ""
            headers["Range"] = "bytes=\(range.offset)-\(last)"
        }
        self.headers = headers
        maximumByteCount = request.bodyLimit.byteCount
        timeLimit = .seconds(request.timeLimits.total ?? 600)
    }
}

/// The response to a `ResourceRequest`.
public struct ResourceResponse: Sendable, Hashable {
    /// The status code, 200 to 999; 206 for the requested byte range alone.
    public let status: Int
    /// The URL after redirects; nil for that of the request.
    public let url: String?
    /// The header fields; `Content-Range`, `ETag` and `Last-Modified` have an effect.
    public let headers: [String: String]
    /// The decoded body.
    public let body: [UInt8]

    /// Creates a response, by default with status 200.
    public init(
        status: Int = 200, url: String? = nil, headers: [String: String] = [:], body: [UInt8]
    ) {
        self.status = status
        self.url = url
        self.headers = headers
        self.body = body
    }
}

extension ResourceLoader {
    /// Returns the response to a request of the fetcher, within its limits.
    func response(to request: HTTPRequest) async throws(HTTPTransferError) -> HTTPResponse {
        try request.check()
        let limited = ResourceRequest(request)
        let answer = await withTaskGroup(of: Result<ResourceResponse?, HTTPTransferError>.self) { group in
            group.addTask {
                do {
                    return .success(try await load(limited))
                } catch {
                    // The error of a client may name the whole address.
                    let detail = "\(error)".replacing(
                        request.url, with: HTTPRequest.withoutSecrets(request.url))
                    return .failure(request.error(Task.isCancelled ? .cancelled : .interrupted, detail))
                }
            }
            group.addTask {
                do {
                    try await Task.sleep(for: limited.timeLimit)
                    return .success(nil)
                } catch {
                    return .failure(request.error(.cancelled, ""))
                }
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(request.error(.cancelled, ""))
        }
        guard let answer = try answer.get() else { throw request.error(.timedOut, "") }
        guard (200..<1_000).contains(answer.status) else {
            throw request.error(.malformedResponse, "the status is \(answer.status)")
        }
        guard answer.body.count <= limited.maximumByteCount else {
            throw request.error(.bodyTooLarge, "more than \(limited.maximumByteCount) bytes")
        }
        var headers = HTTPHeaders()
        // The body is decoded.
        for (name, value) in answer.headers where name.lowercased() != "content-encoding" {
            headers.append(name, value)
        }
        var final = request
        final.url = answer.url ?? request.url
        try final.check()
        let head = HTTPResponseHead(
            status: answer.status, headers: headers, url: final.url, remoteAddress: nil)
        return HTTPResponse(head: head, body: answer.body)
    }
}

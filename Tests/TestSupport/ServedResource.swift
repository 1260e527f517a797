/// A resource that a `LoopbackServer` serves from memory, and how.
public struct ServedResource: Sendable {
    /// The status line behind the version; a range that is asked for and served makes it 206.
    public var status = "200 OK"
    /// Header fields beside the length.
    public var headers: [String] = []
    /// The body.
    public var body: [UInt8]
    /// Whether a `Range` of the request is served, or the whole body all the same.
    public var servesRanges = true
    /// After how many bytes of the body the connection breaks; nil for never.
    public var breaksAfter: Int?
    /// How many bytes of the body are sent at a time; nil for all at once.
    public var chunkByteCount: Int?

    /// A resource with a body, served as it should be.
    public init(_ body: [UInt8]) { self.body = body }

    /// A text.
    public init(_ text: String) { body = Array(text.utf8) }

    /// A redirect.
    public static func redirect(to location: String, status: String = "302 Found") -> ServedResource {
        var resource = ServedResource("")
        resource.status = status
        resource.headers = ["Location: \(location)"]
        return resource
    }

    /// An answer without a body.
    public static func status(_ status: String) -> ServedResource {
        var resource = ServedResource("")
        resource.status = status
        return resource
    }

    /// The same with a change.
    public func with(_ change: (inout ServedResource) -> Void) -> ServedResource {
        var resource = self
        change(&resource)
        return resource
    }

    /// What the server sends for a request.
    public func answer(to request: LoopbackServer.Request) -> [LoopbackServer.Step] {
        var status = status
        var headers = headers
        var body = body[...]
        if servesRanges, let range = request.range {
            guard range.lowerBound < body.count else { return [response("416 Range Not Satisfiable")] }
            let last = min(range.upperBound, body.count - 1)
            status = "206 Partial Content"
            headers.append("Content-Range: bytes \(range.lowerBound)-\(last)/\(body.count)")
            body = body[range.lowerBound...last]
        }
        let head = ["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + headers
        var steps: [LoopbackServer.Step] = [.send(head.joined(separator: "\r\n") + "\r\n\r\n")]
        var rest = body.prefix(breaksAfter ?? .max)
        while !rest.isEmpty {
            let chunk = rest.prefix(chunkByteCount ?? .max)
            steps.append(.sendBytes(Array(chunk)))
            rest = rest.dropFirst(chunk.count)
        }
        if breaksAfter != nil { steps.append(.close) }
        return steps
    }
}

extension LoopbackServer {
    /// Starts a server of resources by path and query; all else is answered with 404.
    public convenience init(serving resources: [String: ServedResource]) throws {
        try self.init { request in
            resources[request.target]?.answer(to: request) ?? [response("404 Not Found")]
        }
    }
}

extension LoopbackServer.Request {
    /// The value of the first header field of a name; nil without one.
    public func field(_ name: String) -> String? {
        let prefix = "\(name.lowercased()): "
        let line = header.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
        return line.map { String($0.dropFirst(prefix.count)) }
    }

    /// The path and query.
    public var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    /// The first and last byte of a `Range: bytes=first-last`; an open end is the highest number.
    public var range: ClosedRange<Int>? {
        for line in header.split(separator: "\r\n") where line.lowercased().hasPrefix("range: bytes=") {
            let bounds = line.dropFirst("range: bytes=".count).split(separator: "-")
            guard let first = bounds.first.flatMap({ Int($0) }) else { return nil }
            return first...(bounds.count > 1 ? Int(bounds[1]) ?? .max : .max)
        }
        return nil
    }
}

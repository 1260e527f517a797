/// A resource that a `LoopbackServer` serves from memory, with optional faults.
public struct ServedResource: Sendable {
    /// The status code and reason; replaced by 206 if a range is served.
    public var status = "200 OK"
    /// Header fields in addition to the length.
    public var headers: [String] = []
    /// The body.
    public var body: [UInt8]
    /// Whether the server honors the request's `Range`; otherwise it sends the whole body.
    public var servesRanges = true
    /// The number of bytes of the body after which the connection breaks; nil for never.
    public var breaksAfter: Int?
    /// The number of bytes of the body that are sent at a time; nil for all at once.
    public var chunkByteCount: Int?

    /// Creates a resource with a body, served without faults.
    public init(_ body: [UInt8]) { self.body = body }

    /// Creates a resource with a text as its body.
    public init(_ text: String) { body = Array(text.utf8) }

    /// Returns a redirect.
    public static func redirect(to location: String, status: String = "302 Found") -> ServedResource {
        var resource = ServedResource("")
        resource.status = status
        resource.headers = ["Location: \(location)"]
        return resource
    }

    /// Returns a resource with a status and an empty body.
    public static func status(_ status: String) -> ServedResource {
        var resource = ServedResource("")
        resource.status = status
        return resource
    }

    /// Returns a copy with a change.
    public func with(_ change: (inout ServedResource) -> Void) -> ServedResource {
        var resource = self
        change(&resource)
        return resource
    }

    /// Returns the steps of the answer to a request.
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
    /// Starts a server for resources, keyed by path and query; other requests get a 404.
    public convenience init(serving resources: [String: ServedResource]) throws {
        try self.init { request in
            resources[request.target]?.answer(to: request) ?? [response("404 Not Found")]
        }
    }
}

extension LoopbackServer.Request {
    /// Returns the value of the first header field with a name, or nil.
    public func field(_ name: String) -> String? {
        let prefix = "\(name.lowercased()): "
        let line = header.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
        return line.map { String($0.dropFirst(prefix.count)) }
    }

    /// The path and query.
    public var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    /// The byte offsets of a `Range: bytes=first-last` field; `Int.max` for an open end.
    public var range: ClosedRange<Int>? {
        for line in header.split(separator: "\r\n") where line.lowercased().hasPrefix("range: bytes=") {
            let bounds = line.dropFirst("range: bytes=".count).split(separator: "-")
            guard let first = bounds.first.flatMap({ Int($0) }) else { return nil }
            return first...(bounds.count > 1 ? Int(bounds[1]) ?? .max : .max)
        }
        return nil
    }
}

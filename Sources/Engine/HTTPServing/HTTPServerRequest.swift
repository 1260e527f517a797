/// The head of a request.
package struct HTTPServerRequest: Sendable, Hashable {
    /// A name and its value, as sent.
    package struct Pair: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The method, such as `GET`.
    package let method: String
    /// The percent-decoded path, without the query.
    package let path: String
    /// The percent-decoded query parameters.
    package let query: [Pair]
    /// The header fields, in order.
    package let fields: [Pair]

    package init(method: String, path: String, query: [Pair] = [], fields: [Pair] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
    }

    /// The value of the first header field with a name, which is case-insensitive.
    package subscript(field name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }

    /// The value of the first query parameter with a name; empty for a parameter without a value.
    package subscript(parameter name: String) -> String? { query.first { $0.name == name }?.value }

    /// The size of the body from `Content-Length`; nil if missing or invalid.
    package var contentLength: Int? { self[field: "Content-Length"].flatMap { Int($0) } }
}

extension HTTPServerRequest {
    /// Whether `Host` is this machine: `localhost` or a loopback address, with or without a port.
    ///
    /// A server without authorization requires it, to prevent DNS rebinding: a page of another site whose name points
    /// to this machine could otherwise use the server.
    package var isForThisMachine: Bool {
        guard let field = self[field: "Host"] else { return false }
        var host = field[...]
        if let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isWholeNumber)
        {
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return host.lowercased() == "localhost" || HTTPServerSettings.isLoopback(String(host))
    }
}

/// What a request says before its body.
package struct HTTPServerRequest: Sendable, Hashable {
    /// A name and a value, as they were sent.
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
    /// The path, percent escapes decoded; without the query.
    package let path: String
    /// The parameters of the query, percent escapes decoded.
    package let query: [Pair]
    /// The header fields, in order.
    package let fields: [Pair]

    package init(method: String, path: String, query: [Pair] = [], fields: [Pair] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
    }

    /// The value of the first header field of that name, in whichever case.
    package subscript(field name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }

    /// The value of the first query parameter of that name; empty where it has none.
    package subscript(parameter name: String) -> String? { query.first { $0.name == name }?.value }

    /// How many bytes the body will have, where the request says so.
    package var contentLength: Int? { self[field: "Content-Length"].flatMap { Int($0) } }
}

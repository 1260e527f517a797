import CDTVRCurl

/// The header fields of a request or response, in order; names compare without case.
package struct HTTPHeaders: Sendable, Hashable {
    /// One field.
    package struct Field: Sendable, Hashable {
        /// The name, as it was sent.
        package let name: String
        /// The value, without blanks at its ends.
        package let value: String

        /// A field of that name and value.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields in the order they were sent.
    package private(set) var fields: [Field] = []

    /// No fields.
    package init() {}

    /// Adds a field at the end; one of the same name stays.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The value of the first field of that name.
    package subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }

    /// The `Date` of the response, in seconds since 1970; nil where there is none that can be read.
    package var date: Int64? { self["date"].flatMap(Self.unixTime) }

    /// The `Retry-After` of the response (RFC 9110, 10.2.3); nil where there is none that can be read.
    package var retryAfter: RetryAfter? {
        guard let value = self["retry-after"] else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // More seconds than the number has room for are still as long as can be.
            return .seconds(Int64(value) ?? .max)
        }
        return Self.unixTime(value).map { .date($0) }
    }

    /// When a server asks to be tried again.
    package enum RetryAfter: Sendable, Hashable {
        /// So many seconds from now; not negative.
        case seconds(Int64)
        /// At that time, in seconds since 1970.
        case date(Int64)
    }

    /// Reads any of the three forms of an HTTP date (RFC 9110, 5.6.7).
    static func unixTime(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        // A C string that lives for the call; the second argument has no use and is nil as the manual says.
        let time = unsafe curl_getdate(text, nil)
        return time < 0 ? nil : Int64(time)
    }
}

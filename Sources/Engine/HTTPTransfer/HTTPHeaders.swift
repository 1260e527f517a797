import CDTVRCurl

/// The header fields of a request or response, in order; names are case-insensitive.
package struct HTTPHeaders: Sendable, Hashable {
    /// A header field.
    package struct Field: Sendable, Hashable {
        /// The name in its original case.
        package let name: String
        /// The value without leading and trailing whitespace.
        package let value: String

        /// Creates a field.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The fields in their original order.
    package private(set) var fields: [Field] = []

    /// Creates an empty list.
    package init() {}

    /// Appends a field, and keeps other fields of the same name.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The value of the first field with a name.
    package subscript(name: String) -> String? {
        let wanted = name.lowercased()
        return fields.first { $0.name.lowercased() == wanted }?.value
    }

    /// The `Date` of the response in seconds since 1970; nil if missing or invalid.
    package var date: Int64? { self["date"].flatMap(Self.unixTime) }

    /// The `Retry-After` of the response (RFC 9110, 10.2.3); nil if missing or invalid.
    package var retryAfter: RetryAfter? {
        guard let value = self["retry-after"] else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // Clamp a number that overflows.
            return .seconds(Int64(value) ?? .max)
        }
        return Self.unixTime(value).map { .date($0) }
    }

    /// The time at which a server asks for a retry.
    package enum RetryAfter: Sendable, Hashable {
        /// A delay in seconds, not negative.
        case seconds(Int64)
        /// A time in seconds since 1970.
        case date(Int64)
    }

    /// 9999-12-31T23:59:59Z: the forms of a date have years of four digits, but libcurl reads longer ones.
    private static let latestTime: Int64 = 253_402_300_799

    /// Parses any of the three forms of an HTTP date (RFC 9110, 5.6.7).
    static func unixTime(_ text: String) -> Int64? {
        guard text.utf8.count <= 64 else { return nil }
        // The C string lives for the call; the second argument is unused and must be nil.
        let time = Int64(unsafe dtvr_curl_getdate(text, nil))
        return (0...latestTime).contains(time) ? time : nil
    }
}

/// The codings in a `Content-Encoding` field (RFC 9110, 8.4).
extension HTTPHeaders {
    /// The codings that libcurl decodes, if it is built with their libraries.
    private static let knownCodings: Set<String> = [
        "gzip", "x-gzip", "deflate", "br", "zstd", "identity", "none",
    ]

    /// Returns the names in a field, in lower case.
    private static func names(ofCodings field: some StringProtocol) -> [String] {
        field.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }.map(String.init)
    }

    /// Returns whether libcurl knows all codings of a field; for others, such as `aws-chunked`, it would fail.
    static func areKnown(codings field: some StringProtocol) -> Bool {
        names(ofCodings: field).allSatisfy(knownCodings.contains)
    }

    /// Returns whether libcurl decodes a body with this field.
    static func areDecoded(codings field: String) -> Bool {
        areKnown(codings: field) && names(ofCodings: field).contains { $0 != "identity" && $0 != "none" }
    }
}

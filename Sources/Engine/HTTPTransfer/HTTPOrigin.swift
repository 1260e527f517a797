/// The scheme, host and port of an `http` or `https` URL (RFC 6454, 4).
///
/// It is found in the bytes of the URL, because every request needs it and comparing characters is slow.
package struct HTTPOrigin: Sendable, Hashable {
    private let isSecure: Bool

    /// The host in lower case; an IPv6 address keeps its brackets.
    private let host: String

    /// The explicit port or the default of the scheme.
    let port: UInt16

    /// Returns nil if `HTTPRequest` would refuse the URL, or if its port is not a number below 65,536.
    package init?(_ url: String) {
        // Ambiguous URLs have no origin.
        guard Self.defect(of: url) == nil else { return nil }
        let scheme = url.utf8.prefix { $0 != UInt8(ascii: ":") }
        let authority = url.utf8[scheme.endIndex...].dropFirst(3).prefix { !Self.endsAuthority($0) }
        let place =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] }
            ?? authority
        // The colons before a bracket belong to an IPv6 address.
        let tail = place.lastIndex(of: UInt8(ascii: "]")).map { place[$0...] } ?? place
        let end = tail.lastIndex(of: UInt8(ascii: ":")) ?? tail.endIndex
        let digits = tail[end...].dropFirst()
        isSecure = scheme.count == 5
        host = Substring(place[..<end]).lowercased()
        if digits.isEmpty {
            port = isSecure ? 443 : 80
        } else {
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(Substring(digits))
            else {
                return nil
            }
            self.port = port
        }
    }

    /// Returns whether two URLs have the same origin.
    package static func areSame(_ one: String, _ other: String) -> Bool {
        guard let origin = HTTPOrigin(one) else { return false }
        return origin == HTTPOrigin(other)
    }

    /// Returns why a text is not an `http` or `https` URL with a host, or nil if it is.
    static func defect(of url: String) -> String? {
        let bytes = url.utf8
        guard bytes.count <= 8_192 else { return "the address is longer than 8,192 bytes" }
        let scheme = bytes.prefix { $0 != UInt8(ascii: ":") }
        let rest = bytes[scheme.endIndex...]
        let name = Substring(scheme).lowercased()
        guard name == "http" || name == "https", rest.starts(with: "://".utf8) else {
            return "the address is not http or https"
        }
        guard let first = rest.dropFirst(3).first, !endsAuthority(first), first != UInt8(ascii: ":") else {
            return "the address has no host"
        }
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return "the address contains a space or control character"
        }
        // Some parsers treat a backslash as a slash, others (libcurl) as part of the user name, so they see different
        // hosts.
        guard !bytes.contains(UInt8(ascii: "\\")) else { return "the address contains a backslash" }
        return nil
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }
}

extension HTTPRequest {
    /// Returns whether a text is an `http` or `https` URL with a host.
    package static func isAddress(_ url: String) -> Bool { HTTPOrigin.defect(of: url) == nil }
}

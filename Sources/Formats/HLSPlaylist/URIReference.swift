import TextForms

/// References between playlists and segments (RFC 3986, section 5).
package enum URIReference {
    /// Resolves a reference in the resource at `base` to an address (RFC 3986, 5.2).
    ///
    /// A base without a scheme is a file path. A relative path then stays relative, a `..` that leads above it is kept,
    /// and `?` and `#` are ordinary characters. With an empty base the result is the reference itself.
    package static func resolve(_ reference: String, against base: String) -> String {
        if base.isEmpty { return reference }
        let relative = URIComponents(parsing: reference)
        if relative.scheme != nil {
            return relative.path.isAbsolutePath ? relative.withoutDotSegments.text : reference
        }
        guard scheme(of: base) != nil else { return resolvePath(reference, relative, against: base) }
        var target = URIComponents(parsing: base)
        target.fragment = relative.fragment
        if relative.authority != nil {
            target.authority = relative.authority
            target.path = URIReference.removingDots(relative.path)[...]
            target.query = relative.query
        } else if relative.path.isEmpty {
            target.query = relative.query ?? target.query
        } else {
            target.query = relative.query
            if relative.path.isAbsolutePath {
                target.path = URIReference.removingDots(relative.path)[...]
            } else if target.authority != nil, target.path.isEmpty {
                target.path = URIReference.removingDots("/" + relative.path)[...]
            } else {
                target.path =
                    URIReference.removingDots(URIReference.directory(of: target.path) + relative.path)[...]
            }
        }
        return target.text
    }

    /// Returns the scheme of an address in lower case (RFC 3986, 3.1); nil for a relative reference or a path.
    package static func scheme(of address: String) -> String? {
        URIComponents(parsing: address).scheme.map { $0.lowercased() }
    }

    /// Returns the paths that a reference to a file may denote, most likely first.
    ///
    /// Recorded streams contain file names that were addresses. `a.ts?token=1` and `a%20b.ts` may be literal file
    /// names, or they may denote `a.ts` and `a b.ts`. An address with the scheme `file` gives its path. The result is
    /// empty for an address with another scheme.
    package static func filePaths(for address: String) -> [String] {
        let components = URIComponents(parsing: address)
        var paths: [Substring] = []
        switch components.scheme?.lowercased() {
        case nil: paths = [address[...], components.path]
        case "file": paths = [components.path]
        default: return []
        }
        var found: [String] = []
        for path in paths {
            let decoded = PercentEncoding.decoded(path)
            // A file address is always percent-encoded; a bare path may contain literal percent signs.
            let candidates = components.scheme == nil ? [String(path), decoded] : [decoded]
            for candidate in candidates where !candidate.isEmpty && !found.contains(candidate) {
                found.append(candidate)
            }
        }
        return found
    }

    /// Returns an `http` or `https` address in which bytes that no URI permits are percent-encoded, as browsers do.
    ///
    /// These are blanks and control characters, quotation marks, angle and curly brackets, accents, and bytes outside
    /// of ASCII. The host stays unchanged, and so do existing percent signs.
    package static func encodingInvalid(_ address: String) -> String {
        guard address.utf8.contains(where: isInvalid) else { return address }
        let components = URIComponents(parsing: address)
        let start = components.authority?.endIndex ?? address.startIndex
        var encoded = Array(address[..<start].utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in address[start...].utf8 {
            if isInvalid(byte) {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                encoded.append(byte)
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isInvalid(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x22, 0x3C, 0x3E, 0x60, 0x7B, 0x7D, 0x7F...0xFF: true
        default: false
        }
    }

    /// Returns the percent-decoded value of a query parameter, or nil if the address has none of this name.
    static func queryParameter(_ name: String, of address: String) -> String? {
        guard let query = URIComponents(parsing: address).query else { return nil }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first, PercentEncoding.decoded(first) == name else { continue }
            return parts.count > 1 ? PercentEncoding.decoded(parts[1]) : ""
        }
        return nil
    }

    private static func resolvePath(
        _ reference: String, _ relative: URIComponents, against base: String
    ) -> String {
        if relative.authority != nil { return reference }
        if reference.isEmpty { return base }
        if reference[...].isAbsolutePath { return URIReference.removingDots(reference[...]) }
        return URIReference.removingDots(URIReference.directory(of: base[...]) + reference)
    }
}

/// The five components of a URI reference (RFC 3986, 5.2.1 and appendix B); nil means undefined, not empty.
struct URIComponents {
    var scheme: Substring?
    var authority: Substring?
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    /// Parses a reference by bytes: all delimiters are ASCII, and splitting into characters is several times slower.
    init(parsing reference: String) {
        var rest = reference.utf8[...]
        if let mark = rest.firstIndex(of: 0x23) {
            fragment = Substring(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let mark = rest.firstIndex(of: 0x3F) {
            query = Substring(rest[rest.index(after: mark)...])
            rest = rest[..<mark]
        }
        if let colon = rest.firstIndex(of: 0x3A), Self.isScheme(rest[..<colon]) {
            scheme = Substring(rest[..<colon])
            rest = rest[rest.index(after: colon)...]
        }
        if rest.starts(with: [0x2F, 0x2F]) {
            let start = rest.index(rest.startIndex, offsetBy: 2)
            let end = rest[start...].firstIndex(of: 0x2F) ?? rest.endIndex
            authority = Substring(rest[start..<end])
            rest = rest[end...]
        }
        path = Substring(rest)
    }

    /// The recomposed reference (RFC 3986, 5.3).
    var text: String {
        var result = ""
        if let scheme { result += scheme + ":" }
        if let authority { result += "//" + authority }
        result += path
        if let query { result += "?" + query }
        if let fragment { result += "#" + fragment }
        return result
    }

    var withoutDotSegments: URIComponents {
        var components = self
        components.path = URIReference.removingDots(path)[...]
        return components
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        guard let first = text.first, isLetter(first) else { return false }
        return text.allSatisfy {
            isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

extension URIReference {
    /// Returns the path up to and including its last slash.
    static func directory(of path: Substring) -> String {
        guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "" }
        return String(path[...slash])
    }

    /// Returns the path without `.` and `..` (RFC 3986, 5.2.4).
    ///
    /// A `..` above the root is removed. A `..` above the start of a relative path is kept; only a file path can be
    /// relative here.
    static func removingDots(_ text: some StringProtocol) -> String {
        let path = Substring(text)
        let segments = path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
        guard segments.contains(where: { isDot($0) || isDoubleDot($0) }) else { return String(path) }
        var kept: [Substring.UTF8View] = []
        let isAbsolute = path.isAbsolutePath
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if isDoubleDot(segment) {
                if let last = kept.last, !isDoubleDot(last), !(isAbsolute && kept.count == 1) {
                    kept.removeLast()
                } else if !isAbsolute {
                    kept.append(segment)
                }
            } else if !isDot(segment) {
                kept.append(segment)
                continue
            }
            if isLast { kept.append(path.utf8.suffix(0)) }
        }
        return kept.map { Substring($0) }.joined(separator: "/")
    }

    private static func isDot(_ segment: Substring.UTF8View) -> Bool { segment.elementsEqual([0x2E]) }

    private static func isDoubleDot(_ segment: Substring.UTF8View) -> Bool {
        segment.elementsEqual([0x2E, 0x2E])
    }
}

extension Substring {
    /// Whether the text begins with a slash.
    fileprivate var isAbsolutePath: Bool { utf8.first == 0x2F }
}

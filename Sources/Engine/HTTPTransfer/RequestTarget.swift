extension HTTPRequest {
    /// The method and URL for logs, without user information, query and fragment, at most 300 characters of the URL.
    var target: String {
        let name =
            switch method {
            case .get: "GET"
            case .post: "POST"
            }
        return "\(name) \(Self.withoutSecrets(url))"
    }

    /// Returns a URL without the components that may contain credentials.
    package static func withoutSecrets(_ url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        var text = String(path)
        let scheme = text.utf8.firstIndex(of: UInt8(ascii: ":")).map { text[...$0] + "//" } ?? ""
        if text.hasPrefix(scheme), !scheme.isEmpty {
            let rest = text.dropFirst(scheme.count)
            let authority = rest.prefix { $0 != "/" && $0 != "\\" }
            if let at = authority.lastIndex(of: "@") {
                text = scheme + authority[authority.index(after: at)...] + rest.dropFirst(authority.count)
            }
        } else if let at = text.lastIndex(of: "@") {
            // Without a scheme, the end of the user information is ambiguous, so cut at the last `@`.
            text = String(text[text.index(after: at)...])
        }
        if path.endIndex < url.endIndex, url[path.endIndex] == "?" { text += "?…" }
        return String(text.prefix(300))
    }

    /// Returns an error of this request, for substitutes of the client.
    package func error(_ kind: HTTPTransferError.Kind, _ detail: String) -> HTTPTransferError {
        HTTPTransferError(kind, target: target, detail: detail)
    }

    /// Checks that the request can be sent.
    ///
    /// - Parameter checksAddress: Whether a numeric address must conform to the policy, because nothing checks the
    ///   address to which a socket connects.
    /// - Throws: `invalidRequest` or `addressRefused`.
    package func check(checksAddress: Bool = true) throws(HTTPTransferError) {
        if let defect { throw error(.invalidRequest, defect) }
        if checksAddress, let scope = refusedScope {
            throw error(.addressRefused, "its scope is \(scope.rawValue)")
        }
    }

    /// The reason why the request is invalid; nil if it is valid.
    var defect: String? {
        if let defect = HTTPOrigin.defect(of: url) { return defect }
        for field in headers.fields + ownHostHeaders.fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isTokenCharacter) else {
                return "the name of a header field is not a token"
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "the value of \(field.name) contains a control character"
            }
        }
        if let bearerToken, bearerToken.isEmpty || !bearerToken.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) {
            return "the token is empty or contains an invalid character"
        }
        if let range, let length = range.length {
            if length == 0 { return "the byte range is empty" }
            if range.offset.addingReportingOverflow(length).overflow { return "the byte range overflows" }
        }
        if bodyLimit.byteCount < 0 { return "the body limit is negative" }
        return nil
    }

    /// Returns whether a byte is a `tchar` (RFC 9110, 5.6.2).
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

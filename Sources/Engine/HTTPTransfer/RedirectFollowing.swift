extension HTTPRequest {
    /// Whether redirects are followed here and not by libcurl, which would take all header fields along.
    ///
    /// With a proxy it would also go to any address that a redirect names.
    var followsRedirectsItself: Bool {
        guard method == .get else { return false }
        return !ownHostHeaders.fields.isEmpty || connection.clientCertificateFile != nil
            || connection.proxy != nil && addressPolicy != .any
    }

    /// The request that a redirect asks for: without what belongs to the host before, where it is another one.
    fileprivate func redirected(to url: String) throws(HTTPTransferError) -> HTTPRequest {
        guard Self.isAddress(url) else {
            throw HTTPTransferError(.redirectRefused, target: target, detail: "to no http or https address")
        }
        var next = self
        next.url = url
        if !Self.haveSameHost(url, self.url) {
            next.ownHostHeaders = HTTPHeaders()
            next.connection.clientCertificateFile = nil
        }
        return next
    }

    /// Whether two addresses have the same scheme, host and port.
    package static func haveSameHost(_ one: String, _ other: String) -> Bool {
        // What can be read in two ways has no host.
        guard isAddress(one), isAddress(other) else { return false }
        guard let port = port(of: one), port == Self.port(of: other) else { return false }
        return origin(of: one) == origin(of: other)
    }

    /// The host of an address and its port, for counting.
    static func hostAndPort(of url: String) -> String {
        "\(origin(of: url).last ?? ""):\(port(of: url) ?? 0)"
    }

    /// The scheme and the host of an address, in lower case.
    private static func origin(of url: String) -> [Substring] {
        let scheme = url.prefix { $0 != ":" }
        let authority = url.dropFirst(scheme.count).drop { $0 == ":" || $0 == "/" }.prefix {
            !"/?#".contains($0)
        }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        // What follows the last colon is the port, unless that colon stands in an address of IPv6.
        let end = place.lastIndex(of: ":").flatMap { place[$0...].contains("]") ? nil : $0 } ?? place.endIndex
        return [Substring(scheme.lowercased()), Substring(place[..<end].lowercased())]
    }
}

extension HTTPClient {
    /// Makes a request, and those that redirects lead to where libcurl is not to follow them.
    func following<Answer>(
        _ request: HTTPRequest,
        _ attempt: (HTTPRequest) async throws(HTTPTransferError) -> (answer: Answer, head: HTTPResponseHead)
    ) async throws(HTTPTransferError) -> Answer {
        var current = request
        for _ in 0...max(0, request.maximumRedirectCount) {
            let (answer, head) = try await attempt(current)
            guard request.followsRedirectsItself, let url = head.redirectURL else { return answer }
            let next = try current.redirected(to: url)
            // With nothing that belongs to one host, libcurl follows what comes after.
            if !next.followsRedirectsItself { return try await attempt(next).answer }
            current = next
        }
        throw HTTPTransferError(
            .redirectRefused, target: request.target,
            detail: "more than \(request.maximumRedirectCount) redirects")
    }
}

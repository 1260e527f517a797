extension HTTPRequest {
    /// Whether the client follows redirects instead of libcurl, which would forward all header fields.
    ///
    /// With a proxy, libcurl would also follow a redirect to any address.
    var followsRedirectsItself: Bool {
        guard method == .get else { return false }
        return !ownHostHeaders.fields.isEmpty || connection.clientCertificateFile != nil
            || connection.proxy != nil && addressPolicy != .any
    }

    /// Returns the request for a redirect, without host-specific fields and certificate if the host changes.
    fileprivate func redirected(to url: String) throws(HTTPTransferError) -> HTTPRequest {
        guard Self.isAddress(url) else {
            throw HTTPTransferError(
                .redirectRefused, target: target, detail: "the new address is not http or https")
        }
        var next = self
        next.url = url
        if !HTTPOrigin.areSame(url, self.url) {
            next.ownHostHeaders = HTTPHeaders()
            next.connection.clientCertificateFile = nil
        }
        return next
    }
}

extension HTTPClient {
    /// Sends a request, and follows those redirects that libcurl must not follow itself.
    func following<Answer>(
        _ request: HTTPRequest,
        _ attempt: (HTTPRequest) async throws(HTTPTransferError) -> (answer: Answer, head: HTTPResponseHead)
    ) async throws(HTTPTransferError) -> Answer {
        var current = request
        for _ in 0...max(0, request.maximumRedirectCount) {
            let (answer, head) = try await attempt(current)
            guard request.followsRedirectsItself, let url = head.redirectURL else { return answer }
            let next = try current.redirected(to: url)
            // Without host-specific settings, libcurl can follow the remaining redirects.
            if !next.followsRedirectsItself { return try await attempt(next).answer }
            current = next
        }
        throw HTTPTransferError(
            .redirectRefused, target: request.target,
            detail: "more than \(request.maximumRedirectCount) redirects")
    }
}

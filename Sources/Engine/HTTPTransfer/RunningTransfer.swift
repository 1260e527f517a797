import CDTVRCurl

/// One request while libcurl works on it; lives on the transfer thread only.
final class RunningTransfer {
    static let maximumHeaderByteCount = 64 << 10

    let exchange: Exchange
    private(set) var easy: EasyHandle
    private var headers = HTTPHeaders()
    private var headerByteCount = 0
    private var hasHead = false
    /// Why this end stopped the transfer, where it did: libcurl only says that somebody did.
    private var stopped: HTTPTransferError.Kind?
    private var stoppedDetail = ""

    init(_ exchange: Exchange, settings: HTTPClientSettings) throws(HTTPTransferError) {
        self.exchange = exchange
        guard let easy = EasyHandle() else {
            throw HTTPTransferError(
                .local, target: exchange.request.target, detail: "no memory for a transfer")
        }
        self.easy = easy
        do {
            try prepare(settings)
        } catch {
            throw failure(error.code)
        }
    }

    private func prepare(_ settings: HTTPClientSettings) throws(CurlFailure) {
        let request = exchange.request
        try easy.setCallbacks(to: self)
        try easy.setIdentifier(exchange.identifier)
        // Signals would reach whatever thread the system picks.
        try easy.set(CURLOPT_NOSIGNAL, 1)
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        // With HTTP/2, which TLS negotiates, requests to a host share connections. A body that is not read at once would let
        // tens of megabytes pile up there, or hold up the others; with HTTP/1.1 its sender waits.
        try easy.set(
            CURLOPT_HTTP_VERSION, exchange.isStreamed ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
        try easy.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try easy.set(CURLOPT_SSL_VERIFYPEER, 1)
        try easy.set(CURLOPT_SSL_VERIFYHOST, 2)
        if let file = request.connection.authoritiesFile ?? settings.authoritiesFile {
            try easy.set(CURLOPT_CAINFO, file)
            try easy.set(CURLOPT_CAPATH, nil)
        }
        if let file = request.connection.clientCertificateFile { try easy.set(CURLOPT_SSLCERT, file) }
        try easy.set(CURLOPT_USERAGENT, settings.userAgent)
        try easy.set(CURLOPT_BUFFERSIZE, 64 << 10)
        if let path = request.connection.socketPath {
            try easy.set(CURLOPT_UNIX_SOCKET_PATH, path)
            try easy.set(CURLOPT_PROXY, "")
        } else if let proxy = request.connection.proxy {
            try easy.set(CURLOPT_PROXY, proxy)
            // What the environment exempts is exempt from the proxies that the environment names.
            try easy.set(CURLOPT_NOPROXY, "")
        } else if request.addressPolicy == .publicOnly {
            try easy.set(CURLOPT_PROXY, "")
        }

        try easy.set(CURLOPT_URL, request.url)
        if request.acceptsCompression { try easy.set(CURLOPT_ACCEPT_ENCODING, "") }
        if let range = request.range {
            let last = range.length.map { String(range.offset + $0 - 1) } ?? ""
            try easy.set(CURLOPT_RANGE, "\(range.offset)-\(last)")
        }
        if let token = request.bearerToken {
            try easy.set(CURLOPT_HTTPAUTH, Int(dtvr_curl_auth_bearer()))
            try easy.set(CURLOPT_XOAUTH2_BEARER, token)
        }
        let limits = request.timeLimits
        try easy.set(CURLOPT_CONNECTTIMEOUT, max(1, limits.connect))
        try easy.set(CURLOPT_LOW_SPEED_TIME, max(1, limits.lowSpeedSeconds))
        try easy.set(CURLOPT_LOW_SPEED_LIMIT, max(1, limits.lowSpeedBytesPerSecond))
        if let total = limits.total { try easy.set(CURLOPT_TIMEOUT, max(1, total)) }

        let fields = request.headers.fields + request.ownHostHeaders.fields
        var lines = fields.map { "\($0.name): \($0.value)" }
        switch request.method {
        case .get:
            try easy.set(CURLOPT_HTTPGET, 1)
            // libcurl would send all header fields to wherever a redirect leads.
            try easy.set(CURLOPT_FOLLOWLOCATION, request.followsRedirectsItself ? 0 : 1)
            try easy.set(CURLOPT_MAXREDIRS, max(0, request.maximumRedirectCount))
        case .post(let body):
            try easy.setPostBody(body)
            // A server that does not know 100-continue would cost a second each time.
            lines.append("Expect:")
            if request.headers["Content-Type"] == nil {
                lines.append("Content-Type: application/octet-stream")
            }
        }
        try easy.setHeaderLines(lines)
    }

    // MARK: What libcurl reports

    func receiveBody(_ bytes: Span<UInt8>) -> Exchange.Reception {
        deliverHead()
        let reception = exchange.receive(bytes)
        switch reception {
        case .taken, .pause: break
        case .tooLarge:
            stopped = .bodyTooLarge
            stoppedDetail = "more than \(exchange.request.bodyLimit.byteCount) bytes"
        case .truncated: isComplete = true
        }
        return reception
    }

    /// Whether the transfer was stopped with all that was wanted of it.
    private var isComplete = false

    func receiveHeader(line: String, byteCount: Int) -> Bool {
        if line.hasPrefix("HTTP/") {
            // Each redirect, and each interim response, begins a header of its own.
            headers = HTTPHeaders()
            headerByteCount = 0
        }
        headerByteCount += byteCount
        if headerByteCount > Self.maximumHeaderByteCount {
            stopped = .headerTooLarge
            return false
        }
        // Trailer fields come after the head is out and are not kept.
        guard !hasHead, let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), !line.hasPrefix("HTTP/")
        else {
            return true
        }
        let value = line[colon...].dropFirst().drop(while: Self.isBlank)
        let end = value.lastIndex { !Self.isBlank($0) }.map(value.index(after:)) ?? value.startIndex
        headers.append(String(line[..<colon]), String(value[..<end]))
        return true
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\r" || character == "\n" || character == "\r\n"
    }

    func permits(_ address: SocketAddress?) -> Bool {
        let policy = exchange.request.addressPolicy
        // The address is that of the proxy, which the user has named.
        if exchange.request.connection.proxy != nil { return true }
        guard let address else { return policy == .any }
        if policy.permits(address) { return true }
        stopped = .addressRefused
        stoppedDetail = "its scope is \(AddressScope(of: address).rawValue)"
        return false
    }

    private func deliverHead() {
        if hasHead { return }
        hasHead = true
        let url = easy.text(CURLINFO_EFFECTIVE_URL) ?? exchange.request.url
        var head = HTTPResponseHead(
            status: easy.integer(CURLINFO_RESPONSE_CODE) ?? 0,
            headers: headers,
            url: url,
            remoteAddress: isProxied(url)
                ? nil : easy.text(CURLINFO_PRIMARY_IP).flatMap(SocketAddress.init))
        // libcurl tells where it leads only after the body, which may be long.
        if (300..<400).contains(head.status) {
            head.redirectURL = headers["location"].flatMap { HTTPRequest.address(of: $0, seenFrom: url) }
        }
        exchange.receive(head: head)
    }

    /// Whether a proxy answered, or opened a tunnel.
    ///
    /// libcurl 7.88 does not tell. A proxy without a tunnel, at the very port that the address names, is taken for the
    /// host.
    private func isProxied(_ url: String) -> Bool {
        if exchange.request.connection.proxy != nil { return true }
        if let code = easy.integer(CURLINFO_HTTP_CONNECTCODE), code != 0 { return true }
        guard let port = HTTPRequest.port(of: url) else { return true }
        return easy.integer(CURLINFO_PRIMARY_PORT) != port
    }

    /// Tells the task that asked how the transfer ended.
    func finish(_ code: CURLcode) {
        if code == CURLE_OK || isComplete {
            deliverHead()
            exchange.finish(.success(()))
        } else {
            exchange.finish(.failure(failure(code)))
        }
    }

    private func failure(_ code: CURLcode) -> HTTPTransferError {
        let target = exchange.request.target
        // One address of several may have been refused and another have failed in its own way.
        if let stopped {
            return HTTPTransferError(
                stopped, target: target, detail: stoppedDetail, curlCode: Int32(code.rawValue),
                curlName: CurlCode.name(code))
        }
        var detail = easy.errorMessage
        // Where libcurl has nothing to say in particular, its general text for the code.
        if detail.isEmpty { detail = unsafe String(cString: curl_easy_strerror(code)) }
        let secrets =
            [
                exchange.request.bearerToken, Self.userInformation(exchange.request.url),
                exchange.request.connection.proxy.flatMap(Self.userInformation),
            ]
            + exchange.request.ownHostHeaders.fields.map(\.value)
        for secret in secrets {
            if let secret, !secret.isEmpty, detail.contains(secret) { detail = CurlCode.name(code) }
        }
        return HTTPTransferError(
            kind(code), target: target, detail: detail, curlCode: Int32(code.rawValue),
            curlName: CurlCode.name(code))
    }

    /// What a code means here: libcurl has one for a redirect to a protocol that is not HTTP, and for an answer that is
    /// none of HTTP's, or of a version that it does not know.
    private func kind(_ code: CURLcode) -> HTTPTransferError.Kind {
        if code == CURLE_UNSUPPORTED_PROTOCOL, headers["location"] == nil { return .malformedResponse }
        return CurlCode.kind(code)
    }

    private static func userInformation(_ url: String) -> String? {
        guard let scheme = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let authority = url[scheme...].dropFirst(3).prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@"), at > authority.startIndex else { return nil }
        return String(authority[..<at])
    }
}

import CDTVRCurl
import HostSystem

/// A request in progress in libcurl; confined to the transfer thread.
final class RunningTransfer {
    static let maximumHeaderByteCount = 64 << 10

    let exchange: Exchange
    private(set) var easy: EasyHandle
    private var headers = HTTPHeaders()
    private var headerByteCount = 0
    private var hasHead = false
    /// The reason why the client stopped the transfer; libcurl reports only that a callback did.
    private var stopped: HTTPTransferError.Kind?
    private var stoppedDetail = ""
    /// Whether the request is sent for the second time.
    private let isRepetition: Bool

    /// Prepares a request; a repetition uses a new connection.
    init(_ exchange: Exchange, settings: HTTPClientSettings, isRepetition: Bool = false)
        throws(HTTPTransferError)
    {
        self.exchange = exchange
        self.isRepetition = isRepetition
        guard let easy = EasyHandle() else {
            throw HTTPTransferError(
                .local, target: exchange.request.target, detail: "out of memory")
        }
        self.easy = easy
        do {
            try prepareConnection(settings)
            try prepareRequest()
        } catch {
            throw failure(error.code)
        }
    }

    /// Sets the options of the connection: protocols, TLS and proxies.
    private func prepareConnection(_ settings: HTTPClientSettings) throws(CurlFailure) {
        let request = exchange.request
        try easy.setCallbacks(to: self)
        try easy.setIdentifier(exchange.identifier)
        if isRepetition { try easy.set(CURLOPT_FRESH_CONNECT, 1) }
        // Signals would reach an arbitrary thread.
        try easy.set(CURLOPT_NOSIGNAL, 1)
        try easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try easy.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        // HTTP/2, which TLS negotiates, shares a connection between requests. An unread stream would buffer tens of
        // megabytes there or block the other requests; with HTTP/1.1 its sender simply waits.
        try easy.set(
            CURLOPT_HTTP_VERSION, exchange.isStreamed ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS)
        // libcurl 7.88 reuses an idle HTTP/1.1 connection even for a transfer that prefers HTTP/2. Connections with
        // different values of this option are not shared. Both values mean TLS 1.2 or later.
        try easy.set(
            CURLOPT_SSLVERSION,
            exchange.isStreamed
                ? CURL_SSLVERSION_TLSv1_2 | CURL_SSLVERSION_MAX_DEFAULT : CURL_SSLVERSION_TLSv1_2)
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
            // The environment's exemptions apply only to the environment's proxies.
            try easy.set(CURLOPT_NOPROXY, "")
        } else if request.addressPolicy == .publicOnly {
            try easy.set(CURLOPT_PROXY, "")
        }
    }

    /// Sets the options of the request: its address, method, fields and time limits.
    private func prepareRequest() throws(CurlFailure) {
        let request = exchange.request
        try easy.set(CURLOPT_URL, request.url)
        // libcurl decodes any coding that it knows, whichever it has asked for.
        if request.acceptsCompression || request.prefersIdentity {
            try easy.set(CURLOPT_ACCEPT_ENCODING, request.acceptsCompression ? "" : "identity")
        }
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
        try easy.set(CURLOPT_LOW_SPEED_LIMIT, max(0, limits.lowSpeedBytesPerSecond))
        if let total = limits.total { try easy.set(CURLOPT_TIMEOUT, max(1, total)) }

        var fields = request.headers.fields + request.ownHostHeaders.fields
        if let jar = request.cookies {
            // Requests with fields for their own host only are not redirected by libcurl.
            let isCookie = { (field: HTTPHeaders.Field) in Self.isName(field.name, "cookie") }
            let own = fields.filter(isCookie).map(\.value)
            fields.removeAll(where: isCookie)
            try easy.setCookies(of: jar, adding: own.isEmpty ? nil : own.joined(separator: "; "))
        }
        var lines = fields.map { "\($0.name): \($0.value)" }
        switch request.method {
        case .get:
            try easy.set(CURLOPT_HTTPGET, 1)
            // libcurl would send all header fields to the target of a redirect.
            try easy.set(CURLOPT_FOLLOWLOCATION, request.followsRedirectsItself ? 0 : 1)
            try easy.set(CURLOPT_MAXREDIRS, max(0, request.maximumRedirectCount))
        case .post(let body):
            try easy.setPostBody(body)
            // A server that does not support 100-continue would add a delay of one second.
            lines.append("Expect:")
            if request.headers["Content-Type"] == nil {
                lines.append("Content-Type: application/octet-stream")
            }
        }
        try easy.setHeaderLines(lines)
    }

    // MARK: Callbacks from libcurl

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

    /// The socket that was opened for this transfer and is not checked yet; nil for a connection to a host.
    private var unixSocket: Int32?

    /// Whether the transfer was stopped because the truncated body is complete.
    private var isComplete = false

    func receiveHeader(line: String, byteCount: Int) -> Bool {
        if line.hasPrefix("HTTP/") {
            // Each redirect and each interim response starts a new header.
            headers = HTTPHeaders()
            headerByteCount = 0
            if !isDecoding {
                isDecoding = true
                setDecoding()
            }
        }
        headerByteCount += byteCount
        if headerByteCount > Self.maximumHeaderByteCount {
            stopped = .headerTooLarge
            return false
        }
        // Trailer fields arrive after the head was delivered and are ignored.
        guard !hasHead, let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), !line.hasPrefix("HTTP/")
        else {
            return true
        }
        let value = line[colon...].dropFirst().drop(while: Self.isBlank)
        let end = value.lastIndex { !Self.isBlank($0) }.map(value.index(after:)) ?? value.startIndex
        let name = line[..<colon]
        headers.append(String(name), String(value[..<end]))
        if Self.isName(name, "set-cookie") { hasSetCookie = true }
        if isDecoding, Self.isName(name, "content-encoding"),
            !HTTPHeaders.areKnown(codings: value[..<end])
        {
            // libcurl reads the option when the body arrives. The body is used unchanged.
            isDecoding = false
            setDecoding()
        }
        return true
    }

    /// Whether libcurl decodes the body.
    private var isDecoding = true

    private func setDecoding() {
        do {
            try easy.set(CURLOPT_HTTP_CONTENT_DECODING, isDecoding ? 1 : 0)
        } catch {
            // The option has no other values, so libcurl does not refuse it.
        }
    }

    /// Whether a response, such as a redirect, has set a cookie.
    private var hasSetCookie = false

    /// Returns whether a field has a name, which is in lower case; most names have another length.
    private static func isName(_ name: some StringProtocol, _ wanted: String) -> Bool {
        name.utf8.count == wanted.utf8.count && name.lowercased() == wanted
    }

    private static func isBlank(_ character: Character) -> Bool {
        character == " " || character == "\t" || character == "\r" || character == "\n" || character == "\r\n"
    }

    func permits(_ address: SocketAddress?) -> Bool {
        let policy = exchange.request.addressPolicy
        // The address is that of the proxy, which the user configured.
        if exchange.request.connection.proxy != nil { return true }
        guard let address else { return policy == .any }
        if policy.permits(address) { return true }
        stopped = .addressRefused
        stoppedDetail = "its scope is \(AddressScope(of: address).rawValue)"
        return false
    }

    /// Records the socket of a new connection.
    func opened(socket: Int32) {
        if exchange.request.connection.socketPath != nil { unixSocket = socket }
    }

    /// Whether the process at the other end of a Unix domain socket belongs to a trusted user.
    ///
    /// The peer of a reused connection was checked when it was opened: one that is refused is closed.
    func permitsPeer() -> Bool {
        guard let socket = unixSocket.take() else { return true }
        do throws(SystemError) {
            guard let objection = try exchange.request.connection.socketUsers.objection(toPeerOf: socket)
            else { return true }
            stoppedDetail = objection
        } catch {
            stoppedDetail = error.description
        }
        stopped = .addressRefused
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
        // libcurl reports the redirect's target only after the body, which may be long.
        if (300..<400).contains(head.status) {
            head.redirectURL = headers["location"].flatMap { HTTPRequest.address(of: $0, seenFrom: url) }
        }
        exchange.receive(head: head)
    }

    /// Whether the response came from a proxy or through a tunnel.
    ///
    /// libcurl 7.88 does not report this. A proxy without a tunnel that has the same port as the URL is mistaken for
    /// the host.
    private func isProxied(_ url: String) -> Bool {
        if exchange.request.connection.proxy != nil { return true }
        if let code = easy.integer(CURLINFO_HTTP_CONNECTCODE), code != 0 { return true }
        guard let port = HTTPOrigin(url)?.port else { return true }
        return easy.integer(CURLINFO_PRIMARY_PORT) != Int(port)
    }

    /// Whether the request should be sent again after it ended with `code`.
    ///
    /// A response that is longer than it said leaves its excess on the connection, in front of the next response,
    /// which is for another request (RFC 9112, 6.3). A new connection has none.
    func shouldRepeat(after code: CURLcode) -> Bool {
        guard case .get = exchange.request.method, !isRepetition, !hasHead, stopped == nil,
            code == CURLE_WEIRD_SERVER_REPLY || code == CURLE_UNSUPPORTED_PROTOCOL,
            kind(code) == .malformedResponse
        else { return false }
        // A redirect may have led to an open connection too.
        let requestCount = 1 + (easy.integer(CURLINFO_REDIRECT_COUNT) ?? 0)
        return (easy.integer(CURLINFO_NUM_CONNECTS) ?? requestCount) < requestCount
    }

    /// Reports the end of the transfer to the requesting task.
    func finish(_ code: CURLcode) {
        // A failure to empty the jar leaves it unchanged; the next response with a cookie tries again.
        if hasSetCookie { do { try easy.limitCookies() } catch {} }
        if code == CURLE_OK || isComplete {
            deliverHead()
            exchange.finish(.success(()))
        } else {
            exchange.finish(.failure(failure(code)))
        }
    }

    private func failure(_ code: CURLcode) -> HTTPTransferError {
        let target = exchange.request.target
        // Report a refusal even if another address of the host then failed for a different reason.
        if let stopped {
            return HTTPTransferError(
                stopped, target: target, detail: stoppedDetail, curlCode: Int32(code.rawValue),
                curlName: code.name)
        }
        var detail = easy.errorMessage
        // A part of a compressed body cannot be decoded.
        if code == CURLE_BAD_CONTENT_ENCODING, headers["content-range"] != nil {
            detail = "the server sent a byte range of a compressed body"
        }
        // Fall back to libcurl's general text for the code.
        if detail.isEmpty { detail = unsafe String(cString: dtvr_curl_easy_strerror(code)) }
        let secrets =
            [
                exchange.request.bearerToken, Self.userInformation(exchange.request.url),
                exchange.request.connection.proxy.flatMap(Self.userInformation),
            ]
            + exchange.request.ownHostHeaders.fields.map(\.value)
        for secret in secrets {
            if let secret, !secret.isEmpty, detail.contains(secret) { detail = code.name }
        }
        return HTTPTransferError(
            kind(code), target: target, detail: detail, curlCode: Int32(code.rawValue),
            curlName: code.name)
    }

    /// Returns the error kind of a code.
    ///
    /// libcurl has one code for a redirect to a protocol other than HTTP and for a response that is not HTTP or has an
    /// unknown version; the former leads to another address.
    private func kind(_ code: CURLcode) -> HTTPTransferError.Kind {
        if code == CURLE_UNSUPPORTED_PROTOCOL, let url = easy.text(CURLINFO_EFFECTIVE_URL),
            HTTPOrigin(url) != nil
        {
            return .malformedResponse
        }
        return code.kind
    }

    private static func userInformation(_ url: String) -> String? {
        guard let scheme = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let authority = url[scheme...].dropFirst(3).prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@"), at > authority.startIndex else { return nil }
        return String(authority[..<at])
    }
}

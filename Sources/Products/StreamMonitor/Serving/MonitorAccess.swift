import ByteReading
import HTTPServing
import HTTPTransfer
import TextForms

/// Who may see what a monitor serves, and who may change it.
///
/// Without a token everybody on this machine may read, and nobody may change anything. With one, whoever has it may do
/// both: as `Authorization: Bearer`, or as a cookie that a browser got for it and that no script can read.
package struct MonitorAccess: Sendable {
    /// What the token is compared by; nil where there is none.
    private let digest: [UInt8]?
    /// What the cookie holds: it follows from the token, which does not follow from it.
    private let session: String

    /// The name of the cookie.
    private static let cookieName = "dtvr_monitor"
    /// How long a browser keeps it: 30 days.
    private static let cookieSeconds = 2_592_000

    /// The fewest characters that a token has: fewer could be guessed.
    package static let shortestTokenLength = 16

    /// The access that a token gives; that of a machine of its own where there is none.
    package init(token: String? = nil) {
        digest = token.map { Digest.sha256(Array($0.utf8)) }
        session =
            token.map { Hexadecimal.text(Digest.sha256(Array("dtvr monitor session \($0)".utf8))) } ?? ""
    }

    /// Whether there is a token.
    var hasToken: Bool { digest != nil }

    /// Whether a text is the token, in a time that does not depend on how much of it is right.
    func isToken(_ text: String) -> Bool {
        guard let digest else { return false }
        return Self.isEqual(Digest.sha256(Array(text.utf8)), digest)
    }

    /// Whether a request may read.
    func mayRead(_ request: HTTPServerRequest) -> Bool {
        hasToken ? bears(request) || hasCookie(request) : isFromThisMachine(request)
    }

    /// Whether a request may change something.
    ///
    /// A browser sends its cookie along with what other pages make it send: then the page must be our own.
    func mayChange(_ request: HTTPServerRequest) -> Bool {
        guard hasToken else { return false }
        return bears(request) || hasCookie(request) && isFromOwnPage(request)
    }

    /// The header field that makes a browser keep the cookie.
    func cookieField(for request: HTTPServerRequest) -> HTTPServerRequest.Pair {
        let isSecure = request[field: "X-Forwarded-Proto"]?.lowercased() == "https"
        return HTTPServerRequest.Pair(
            name: "Set-Cookie",
            value:
                "\(Self.cookieName)=\(session); Path=/; Max-Age=\(Self.cookieSeconds); HttpOnly; SameSite=Strict"
                + (isSecure ? "; Secure" : ""))
    }

    private func bears(_ request: HTTPServerRequest) -> Bool {
        guard let field = request[field: "Authorization"] else { return false }
        let words = field.split(separator: " ", maxSplits: 1)
        return words.count == 2 && words[0].lowercased() == "bearer" && isToken(String(words[1].trimmed))
    }

    private func hasCookie(_ request: HTTPServerRequest) -> Bool {
        let cookies = request.fields.filter { $0.name.lowercased() == "cookie" }
            .flatMap { $0.value.split(separator: ";") }
        return cookies.contains { cookie in
            let cookie = cookie.trimmed
            guard cookie.hasPrefix("\(Self.cookieName)=") else { return false }
            let value = cookie.dropFirst(Self.cookieName.count + 1)
            return Self.isEqual(Array(value.utf8), Array(session.utf8))
        }
    }

    /// Whether the page that a browser sends a request for is one of ours.
    private func isFromOwnPage(_ request: HTTPServerRequest) -> Bool {
        guard let origin = request[field: "Origin"], let host = request[field: "Host"] else { return false }
        return ["http://\(host)", "https://\(host)"].contains(origin)
    }

    /// Whether a request names this machine as its host.
    ///
    /// Another page can have its name point at this machine (DNS rebinding), and would read along.
    private func isFromThisMachine(_ request: HTTPServerRequest) -> Bool {
        guard let field = request[field: "Host"] else { return false }
        var host = field[...]
        if let colon = host.lastIndex(of: ":"), host[host.index(after: colon)...].allSatisfy(\.isWholeNumber)
        {
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host.lowercased() == "localhost" { return true }
        guard let address = SocketAddress(String(host)) else { return false }
        return AddressScope(of: address) == .loopback
    }

    private static func isEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        var difference: UInt8 = 0
        for index in first.indices { difference |= first[index] ^ second[index] }
        return difference == 0
    }
}

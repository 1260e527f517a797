import ByteReading
import HTTPServing
import TextForms

/// The access rules of a monitor, for reading and for changes.
///
/// Without a token, local clients may read and nothing can be changed. With a token, a client that has it may do both.
/// It sends the token as `Authorization: Bearer`, or as a cookie that scripts cannot read.
package struct MonitorAccess: Sendable {
    /// The hash that tokens are compared with; nil without a token.
    private let digest: [UInt8]?
    /// The value of the cookie, derived one-way from the token.
    private let session: String

    /// The name of the cookie.
    private static let cookieName = "dtvr_monitor"
    /// The lifetime of the cookie: 30 days.
    private static let cookieSeconds = 2_592_000

    /// The minimum length of a token, so that it cannot be guessed.
    package static let shortestTokenLength = 16

    /// Creates the rules for a token, or for local read-only access if it is nil.
    package init(token: String? = nil) {
        digest = token.map { Digest.sha256(Array($0.utf8)) }
        session =
            token.map { Hexadecimal.text(Digest.sha256(Array("dtvr monitor session \($0)".utf8))) } ?? ""
    }

    /// Whether a token is set.
    var hasToken: Bool { digest != nil }

    /// Whether a text is the token; takes constant time, whatever part of the text is right.
    func isToken(_ text: String) -> Bool {
        guard let digest else { return false }
        return Self.isEqual(Digest.sha256(Array(text.utf8)), digest)
    }

    /// Whether a request may read.
    func mayRead(_ request: HTTPServerRequest) -> Bool {
        hasToken ? bears(request) || hasCookie(request) : request.isForThisMachine
    }

    /// Whether a request may change something.
    ///
    /// A browser also sends the cookie with requests that other sites trigger, so the request must come from one of our
    /// own pages.
    func mayChange(_ request: HTTPServerRequest) -> Bool {
        guard hasToken else { return false }
        return bears(request) || hasCookie(request) && isFromOwnPage(request)
    }

    /// Returns the header field that sets the cookie in a browser.
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

    /// Whether a browser sent the request from one of our own pages.
    private func isFromOwnPage(_ request: HTTPServerRequest) -> Bool {
        guard let origin = request[field: "Origin"], let host = request[field: "Host"] else { return false }
        return ["http://\(host)", "https://\(host)"].contains(origin)
    }

    private static func isEqual(_ first: [UInt8], _ second: [UInt8]) -> Bool {
        guard first.count == second.count else { return false }
        var difference: UInt8 = 0
        for index in first.indices { difference |= first[index] ^ second[index] }
        return difference == 0
    }
}

import HTTPServing
import TextForms

/// The sign-in page, and the form data that it sends.
enum SignInPage {
    /// The path that receives the token.
    static let path = "/sign-in"

    /// Returns the page; `isWrong` adds an error message after a wrong token.
    ///
    /// - Parameter next: The path that was asked for, which follows the sign-in.
    static func answer(isWrong: Bool = false, next: String = "/") -> HTTPServerAnswer {
        HTTPServerAnswer(
            status: 401, type: "text/html; charset=utf-8",
            fields: MonitorSite.fields + [
                .init(name: "WWW-Authenticate", value: "Bearer"),
                .init(
                    name: "Content-Security-Policy",
                    value:
                        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
                ),
            ], body: Array(text(isWrong: isWrong, next: ownPath(next)).utf8))
    }

    /// Returns a value of the form data, or nil if there is none with this name.
    static func value(of name: String, in body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        for pair in text.split(separator: "&") where pair.hasPrefix("\(name)=") {
            let value = String(pair.dropFirst(name.count + 1)).replacing("+", with: " ")
            return String(PercentEncoding.decoded(value[...])[...].trimmed)
        }
        return nil
    }

    /// Returns a decoded path in the form that a browser takes for a path of this server, whatever it is.
    ///
    /// Everything but letters, digits, `-`, `.`, `_`, `~` and single slashes is encoded, so it names no other host.
    static func ownPath(_ path: String) -> String {
        let names = path.split(separator: "/").map { PercentEncoding.encoded(String($0)) }
        let own = "/" + names.joined(separator: "/")
        return own == Self.path ? "/" : own
    }

    private static func text(isWrong: Bool, next: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>dtvr monitor</title>
        <style>
        :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
        body { max-width: 22rem; margin: 15vh auto; padding: 0 1rem }
        input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; margin: .25rem 0 }
        p[role=alert] { color: #c62828; font-weight: 600 }
        </style>
        <h1>dtvr monitor</h1>
        <form method="post" action="\(path)">
        \(isWrong ? "<p role=\"alert\">Wrong token.</p>" : "")
        <input type="hidden" name="next" value="\(next)">
        <label for="token">Token of this monitor</label>
        <input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
        <button>Sign in</button>
        </form>
        </html>

        """
    }
}

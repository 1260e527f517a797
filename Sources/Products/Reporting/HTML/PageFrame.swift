import ByteReading
import FoundationEssentials

/// One HTML page that needs nothing else: its script and its style sheet stand in it, and its security policy lets run
/// only what has their digests.
package struct PageFrame: Sendable {
    /// The title; text of any origin.
    package var title: String
    /// The style sheet.
    package var style: [UInt8]
    /// The script.
    package var script: [UInt8]
    /// What the policy allows beside them, such as `connect-src 'self'; `.
    package var sources = ""
    /// The icon, as an address that begins with `data:`; nil for none.
    package var icon: String?

    /// A page.
    package init(title: String, style: [UInt8], script: [UInt8]) {
        self.title = title
        self.style = style
        self.script = script
    }

    /// What the page may do, as a Content-Security-Policy says it.
    package var policy: String {
        "default-src 'none'; script-src 'sha256-\(Base64.text(Digest.sha256(script)))'; "
            + "style-src 'sha256-\(Base64.text(Digest.sha256(style)))'; \(sources)"
            + "base-uri 'none'; form-action 'none'"
    }

    /// The page, ending in a line end; `body` writes what is in it before the script.
    package func bytes(capacity: Int, _ body: (inout HTMLWriter) -> Void) -> [UInt8] {
        var html = HTMLWriter(capacity: capacity)
        html.markup("<!DOCTYPE html>\n")
        html.element("html", ["lang": "en"]) { html in
            html.element("head") { writeHead(to: &$0) }
            html.element("body") { html in
                body(&html)
                html.element("script") { $0.code(script) }
            }
        }
        html.markup("\n")
        return html.bytes
    }

    private func writeHead(to html: inout HTMLWriter) {
        html.markup("<meta charset=\"utf-8\">")
        html.open("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
        html.markup("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
        html.markup("<meta name=\"color-scheme\" content=\"light dark\">")
        html.markup("<meta name=\"referrer\" content=\"no-referrer\">")
        if let icon { html.open("link", ["rel": "icon", "href": icon]) }
        html.element("title", title)
        html.element("style") { $0.code(style) }
    }
}

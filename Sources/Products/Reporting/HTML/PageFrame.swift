import ByteReading
import FoundationEssentials

/// One self-contained HTML page with an inline script and style sheet.
///
/// Its security policy allows only these two, by their digests.
package struct PageFrame: Sendable {
    /// The title, which may be untrusted text.
    package var title: String
    /// The style sheet.
    package var style: [UInt8]
    /// The script.
    package var script: [UInt8]
    /// The additional sources that the policy allows, such as `connect-src 'self'; `.
    package var sources = ""
    /// The icon as a `data:` URL; nil for none.
    package var icon: String?

    /// Creates a page.
    package init(title: String, style: [UInt8], script: [UInt8]) {
        self.title = title
        self.style = style
        self.script = script
    }

    /// The Content-Security-Policy of the page.
    package var policy: String {
        "default-src 'none'; script-src 'sha256-\(Base64.text(Digest.sha256(script)))'; "
            + "style-src 'sha256-\(Base64.text(Digest.sha256(style)))'; \(sources)"
            + "base-uri 'none'; form-action 'none'"
    }

    /// Returns the page with a final line end; `body` writes the content before the script.
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

/// The style sheets shared by pages.
package enum PageStyle {
    /// Light, dark and print colors, and text styles for every page.
    package static var base: [UInt8] { PackageResources.baseCSS }
    /// Plot styles.
    package static var plots: [UInt8] { PackageResources.plotsCSS }
}

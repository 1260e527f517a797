import TextForms

/// Writes HTML in which text from a stream can be nothing but text.
///
/// Names of elements and attributes are literals; everything else is escaped and made printable.
package struct HTMLWriter {
    /// What has been written so far.
    package private(set) var bytes: [UInt8] = []

    /// A writer with room for so many bytes.
    package init(capacity: Int = 1 << 16) { bytes.reserveCapacity(capacity) }

    /// Writes a literal as it stands.
    package mutating func markup(_ literal: StaticString) {
        bytes.append(contentsOf: literal.description.utf8)
    }

    /// Writes text.
    package mutating func text(_ text: String) { escape(PrintableText.of(text)) }

    /// Writes a start tag; an attribute without a value is left out.
    package mutating func open(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:])
    {
        markup("<")
        markup(name)
        for (key, value) in attributes {
            guard let value else { continue }
            markup(" ")
            markup(key)
            markup("=\"")
            escape(PrintableText.of(value))
            markup("\"")
        }
        markup(">")
    }

    /// Writes an end tag.
    package mutating func close(_ name: StaticString) {
        markup("</")
        markup(name)
        markup(">")
    }

    /// Writes an element that holds text.
    package mutating func element(_ name: StaticString, _ text: String) { element(name, [:], text) }

    /// Writes an element that holds text.
    package mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>, _ text: String
    ) {
        open(name, attributes)
        self.text(text)
        close(name)
    }

    /// Writes an element and what is in it.
    package mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
        _ body: (inout HTMLWriter) -> Void
    ) {
        open(name, attributes)
        body(&self)
        close(name)
    }

    /// Writes an element without content, in the form that SVG in HTML takes.
    package mutating func shape(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) {
        open(name, attributes)
        close(name)
    }

    /// Writes a shape that says what it stands for when it is pointed at.
    package mutating func shape(
        _ name: StaticString, title: String, _ attributes: KeyValuePairs<StaticString, String?>
    ) {
        open(name, attributes)
        element("title", title)
        close(name)
    }

    /// Writes bytes of this module that are code: a script or a style sheet.
    package mutating func code(_ code: [UInt8]) { bytes.append(contentsOf: code) }

    /// Writes a JSON value as data that a script reads: `<` is written as an escape, so that nothing in it can end
    /// the element.
    package mutating func data(id: String, json: [UInt8]) {
        open("script", ["type": "application/json", "id": id])
        for byte in json {
            if byte == UInt8(ascii: "<") {
                bytes.append(contentsOf: "\\u003c".utf8)
            } else {
                bytes.append(byte)
            }
        }
        close("script")
    }

    private mutating func escape(_ text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): markup("&amp;")
            case UInt8(ascii: "<"): markup("&lt;")
            case UInt8(ascii: ">"): markup("&gt;")
            case UInt8(ascii: "\""): markup("&quot;")
            case UInt8(ascii: "'"): markup("&#39;")
            default: bytes.append(byte)
            }
        }
    }
}

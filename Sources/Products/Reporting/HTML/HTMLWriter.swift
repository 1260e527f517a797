import TextForms

/// Writes HTML in which text from a stream cannot become markup.
///
/// Names of elements and attributes are literals; all other text is escaped and made printable.
package struct HTMLWriter {
    /// The HTML written so far.
    package private(set) var bytes: [UInt8] = []

    /// Creates a writer with an initial capacity in bytes.
    package init(capacity: Int = 1 << 16) { bytes.reserveCapacity(capacity) }

    /// Writes a literal unchanged.
    package mutating func markup(_ literal: StaticString) {
        bytes.append(contentsOf: literal.description.utf8)
    }

    /// Writes escaped text.
    package mutating func text(_ text: String) { escape(PrintableText.of(text)) }

    /// Writes a start tag; an attribute with a nil value is omitted.
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

    /// Writes an element that contains text.
    package mutating func element(_ name: StaticString, _ text: String) { element(name, [:], text) }

    /// Writes an element with attributes that contains text.
    package mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>, _ text: String
    ) {
        open(name, attributes)
        self.text(text)
        close(name)
    }

    /// Writes an element with the content that `body` writes.
    package mutating func element(
        _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
        _ body: (inout HTMLWriter) -> Void
    ) {
        open(name, attributes)
        body(&self)
        close(name)
    }

    /// Writes an empty element with an end tag, as SVG in HTML requires.
    package mutating func shape(_ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?>) {
        open(name, attributes)
        close(name)
    }

    /// Writes a shape with a tooltip.
    package mutating func shape(
        _ name: StaticString, title: String, _ attributes: KeyValuePairs<StaticString, String?>
    ) {
        open(name, attributes)
        element("title", title)
        close(name)
    }

    /// Writes a script or a style sheet of this module, unescaped.
    package mutating func code(_ code: [UInt8]) { bytes.append(contentsOf: code) }

    /// Writes a JSON value as data for a script; `<` is escaped so that the data cannot end the element.
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

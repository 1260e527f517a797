import ByteReading

/// A writer for JSON values (RFC 8259) that appends to a byte array without an intermediate tree.
///
/// The writer inserts commas. The caller must open and close objects and arrays in the correct order. Text is escaped
/// only where JSON or a terminal requires it, so UTF-8 stays readable.
package struct JSONWriter: Sendable {
    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    private var needsComma = false

    /// Creates a writer with room for a typical line.
    package init(capacity: Int = 1_024) {
        bytes.reserveCapacity(capacity)
    }

    /// Creates a writer that appends to existing bytes and reuses their memory.
    package init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// Removes all bytes and keeps the capacity for the next line.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Ends a line of NDJSON, so that the next value has no comma before it.
    package mutating func endLine() {
        bytes.append(0x0A)
        needsComma = false
    }

    /// Begins an object as a value or an array element.
    package mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Ends the innermost object.
    package mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Begins an array.
    package mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Ends the innermost array.
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a key that needs no escapes; exactly one value must follow.
    package mutating func key(_ key: String) {
        var key = key
        key.withUTF8 { text in
            // The bytes of the key are borrowed while they are copied.
            let text = unsafe text.span
            append(atMost: text.count + 3) { room in
                room.append(UInt8(ascii: "\""))
                room.append(contentsOf: text)
                room.append(UInt8(ascii: "\""))
                room.append(UInt8(ascii: ":"))
            }
        }
        needsComma = false
    }

    /// Writes a key from outside, with escapes where it needs them.
    package mutating func key(escaping key: String) {
        value(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a key that already has its quotation marks and colon.
    package mutating func key(prepared key: Span<UInt8>) {
        append(atMost: key.count) { $0.append(contentsOf: key) }
        needsComma = false
    }

    /// Writes `null`.
    package mutating func null() { literal("null") }

    /// Writes a Boolean, or `null` for nil.
    package mutating func value(_ value: Bool?) {
        guard let value else { return null() }
        literal(value ? "true" : "false")
    }

    /// Writes an integer, or `null` for nil.
    package mutating func value(_ value: (some BinaryInteger)?) {
        guard let value else { return null() }
        if let small = UInt64(exactly: value) {
            self.value(decimal: small)
        } else {
            literal(String(value))
        }
    }

    /// Writes a number in the shortest form that parses to the same value, or `null` for nil, infinities and NaN.
    package mutating func value(_ value: Double?) {
        guard let value, value.isFinite else { return null() }
        literal(value.description)
    }

    /// Writes a text, or `null` for nil.
    package mutating func value(_ value: String?) {
        guard var value else { return null() }
        // The bytes of the text are borrowed while they are copied.
        value.withUTF8 { text in string(unsafe text.span, isLatin1: false) }
    }

    /// Writes text that is valid UTF-8.
    package mutating func value(utf8 text: Span<UInt8>) { string(text, isLatin1: false) }

    /// Writes ISO-8859-1 text losslessly, each byte as the character with the same number.
    package mutating func value(latin1 text: [UInt8]) {
        string(text.span, isLatin1: true)
    }

    /// Writes an unsigned integer.
    package mutating func value(decimal value: UInt64) {
        append(atMost: 20) { $0.append(decimal: value) }
    }

    /// Writes Unix milliseconds as an RFC 3339 string.
    package mutating func value(time: Int64) {
        append(atMost: RFC3339.length + 2) { room in
            room.append(UInt8(ascii: "\""))
            RFC3339.write(unixMilliseconds: time, to: &room)
            room.append(UInt8(ascii: "\""))
        }
    }

    /// Writes ASCII text that needs no escapes, such as digits or base64.
    package mutating func value(plain text: Span<UInt8>) {
        append(atMost: text.count + 2) { room in
            room.append(UInt8(ascii: "\""))
            room.append(contentsOf: text)
            room.append(UInt8(ascii: "\""))
        }
    }

    /// Writes a value that is JSON already.
    package mutating func value(json: Span<UInt8>) {
        append(atMost: json.count) { $0.append(contentsOf: json) }
    }

    /// Writes the members of a JSON object, which has no blanks around its braces, into the open object.
    package mutating func members(ofObject json: Span<UInt8>) {
        guard json.count > 2 else { return }
        value(json: json.extracting(1..<json.count - 1))
    }

    private mutating func string(_ text: Span<UInt8>, isLatin1: Bool) {
        if text.needsNoEscape(isASCII: isLatin1) {
            value(plain: text)
        } else {
            escape(text, limit: isLatin1 ? 0x7F : 0xFF)
        }
    }

    /// Writes text with escapes and copies the parts without escapes in one step each.
    private mutating func escape(_ text: Span<UInt8>, limit: UInt8) {
        append(atMost: 1) { $0.append(UInt8(ascii: "\"")) }
        var start = 0
        for index in text.indices {
            let byte = text[index]
            if byte >= 0x20, byte != 0x22, byte != 0x5C, byte != 0x7F, byte <= limit { continue }
            append(plain: text.extracting(start..<index))
            start = index + 1
            if byte <= limit {
                escaped(byte)
            } else {
                bytes.append(0xC0 | byte >> 6)
                bytes.append(0x80 | byte & 0x3F)
            }
        }
        append(plain: text.extracting(start..<text.count))
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(plain text: Span<UInt8>) { bytes.append(text) }

    private mutating func escaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A:
            bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
        case 0x00..<0x20, 0x7F:
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(Hexadecimal.digit(byte >> 4))
            bytes.append(Hexadecimal.digit(byte & 0x0F))
        default:
            bytes.append(byte)
        }
    }

    private mutating func literal(_ text: String) {
        var text = text
        text.withUTF8 { text in
            // Borrowed, as for a key.
            let text = unsafe text.span
            append(atMost: text.count) { $0.append(contentsOf: text) }
        }
    }

    private mutating func open(_ byte: UInt8) {
        append(atMost: 1) { $0.append(byte) }
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    /// Appends a comma if one is required, then the output of the closure, with a single capacity check.
    @inline(__always)
    private mutating func append(atMost count: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
        let isNext = needsComma
        bytes.append(addingCapacity: count + 1) { room in
            if isNext { room.append(UInt8(ascii: ",")) }
            write(&room)
        }
        needsComma = true
    }
}

extension JSONWriter {
    /// Writes a key and a text, or `null` for nil.
    package mutating func write(_ key: String, _ value: String?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and an integer, or `null` for nil.
    package mutating func write(_ key: String, _ value: (some BinaryInteger)?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and a number, or `null` for nil.
    package mutating func write(_ key: String, _ value: Double?) {
        self.key(key)
        self.value(value)
    }

    /// Writes a key and a number; integers have no fraction.
    package mutating func write(_ key: String, number: Double) {
        if let whole = Int64(exactly: number) {
            write(key, whole)
        } else {
            write(key, number)
        }
    }
}

/// Writes one JSON value after another into bytes (RFC 8259), without an intermediate tree.
///
/// The writer places the commas; the caller opens and closes objects and arrays in the right order. Text is
/// escaped as far as JSON asks for it, and no further, so that UTF-8 stays readable.
public struct JSONWriter: Sendable {
    /// What has been written so far.
    public private(set) var bytes: [UInt8] = []

    private var needsComma = false

    /// A writer with room for a line of the usual length.
    public init(capacity: Int = 1_024) {
        bytes.reserveCapacity(capacity)
    }

    /// A writer that goes on behind bytes that are there already, in their memory.
    public init(appendingTo bytes: consuming [UInt8]) {
        self.bytes = bytes
    }

    /// Forgets what was written and keeps the room, for the next line.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    /// Ends a line of NDJSON: the next value begins anew.
    public mutating func endLine() {
        bytes.append(0x0A)
        needsComma = false
    }

    /// Begins an object, as a value or an array's element.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }

    /// Ends the innermost object.
    public mutating func endObject() { close(UInt8(ascii: "}")) }

    /// Begins an array.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }

    /// Ends the innermost array.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes a key, which must need no escapes; exactly one value must follow.
    public mutating func key(_ key: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: key.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes `null`.
    public mutating func null() { literal("null") }

    /// Writes a truth value; `null` for nil.
    public mutating func value(_ value: Bool?) {
        guard let value else { return null() }
        literal(value ? "true" : "false")
    }

    /// Writes a whole number; `null` for nil.
    public mutating func value(_ value: (some BinaryInteger)?) {
        guard let value else { return null() }
        separate()
        if let small = UInt64(exactly: value) {
            appendDigits(small)
        } else {
            bytes.append(contentsOf: String(value).utf8)
        }
        needsComma = true
    }

    /// Writes a number in the shortest form that reads back as the same; `null` for nil, infinities and NaN.
    public mutating func value(_ value: Double?) {
        guard let value, value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    /// Writes text; `null` for nil.
    public mutating func value(_ value: String?) {
        guard var value else { return null() }
        value.withUTF8 { text in
            // The text's own bytes, lent while they are copied.
            let text = unsafe text.span
            string { $0.append(text, isLatin1: false) }
        }
    }

    /// Writes bytes of ISO-8859-1 text, each as the character of the same number: nothing is lost.
    public mutating func value(latin1 text: [UInt8]) {
        string { $0.append(text.span, isLatin1: true) }
    }

    /// Writes ASCII text that holds nothing to escape, such as digits or base64.
    mutating func value(plain text: some Sequence<UInt8>) {
        string { $0.bytes.append(contentsOf: text) }
    }

    private mutating func string(_ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        body(&self)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Appends text, the stretches that need no escape at once.
    private mutating func append(_ text: Span<UInt8>, isLatin1: Bool) {
        let limit: UInt8 = isLatin1 ? 0x7F : 0xFF
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
    }

    private mutating func append(plain text: Span<UInt8>) {
        // Copied within the call that lends it.
        unsafe text.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

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

    private mutating func appendDigits(_ value: UInt64) {
        // From the last digit to the first; 20 are enough for 64 bits.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = 20
        var rest = value
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(plain: digits.span.extracting(start..<20))
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        bytes.append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = false
    }
}

import ByteReading

/// Splits a JSON text that arrives in chunks into tokens, in bounded memory.
///
/// For texts that are too large for `JSONReader`, which validates the strings that are kept. The tokenizer checks the
/// nesting and the order of all tokens, but not the spelling of skipped strings, numbers and literals. A text that
/// follows the first value is malformed.
package struct JSONTokenizer: Sendable {
    /// A token.
    package enum Token: Sendable, Hashable {
        /// The start of an object or an array.
        case begin(isObject: Bool)
        /// The end of the innermost object or array.
        case end
        /// A key, including its quotation marks; empty if it is too long or invalid.
        case key([UInt8])
        /// A string, including its quotation marks; nil if it is skipped, too long or invalid.
        case string([UInt8]?)
        /// A number, a Boolean or null.
        case scalar
        /// The text violates the grammar, or is nested too deep. No token follows.
        case malformed
    }

    /// The maximum nesting depth.
    package static let maximumDepth = 65_536
    /// The maximum length of a key or a string that is kept, in bytes.
    package static let maximumStringByteCount = 1 << 20

    private enum Expectation: Sendable, Hashable {
        case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, nothing
    }

    private enum Position: Sendable, Hashable {
        case between, string, escape, scalar, malformed
    }

    /// Whether the next value is kept if it is a string.
    ///
    /// Set it after the key of the value. Other strings are skipped.
    package var keepsNextString = false
    private var expected = Expectation.value
    private var position = Position.between
    /// The kind of each open value: true for an object.
    private var open: [Bool] = []
    private var kept: [UInt8]?

    /// Creates a tokenizer at the start of a text.
    package init() {}

    /// Whether the text has ended with a whole value.
    package var isComplete: Bool { expected == .nothing && position == .between }

    private var expectsKey: Bool { expected == .key || expected == .keyOrEnd }
    private var expectsValue: Bool { expected == .value || expected == .valueOrEnd }

    /// Returns the next token that ends in the chunk, and advances `index` to its end; nil if more bytes are needed.
    package mutating func next(in bytes: [UInt8], at index: inout Int) -> Token? {
        while index < bytes.count {
            switch position {
            case .malformed: return nil
            case .string, .escape:
                if let token = string(in: bytes, at: &index) { return token }
            case .scalar:
                while index < bytes.count, Self.isScalar(bytes[index]) { index += 1 }
                guard index < bytes.count else { return nil }
                position = .between
                endValue()
                return .scalar
            case .between:
                let byte = bytes[index]
                // A scalar starts with this byte, which is read again.
                if let token = begin(byte) {
                    index += 1
                    return token
                }
                if position != .scalar { index += 1 }
            }
        }
        return nil
    }

    /// Consumes a byte between tokens; nil if it ends no token.
    private mutating func begin(_ byte: UInt8) -> Token? {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: return nil
        case UInt8(ascii: "\""):
            guard expectsKey || expectsValue else { return fail() }
            kept = expectsKey || keepsNextString ? [byte] : nil
            position = .string
            return nil
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard expectsValue, open.count < Self.maximumDepth else { return fail() }
            let isObject = byte == UInt8(ascii: "{")
            open.append(isObject)
            expected = isObject ? .keyOrEnd : .valueOrEnd
            keepsNextString = false
            return .begin(isObject: isObject)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            let canEnd = expected == .commaOrEnd || expected == .keyOrEnd || expected == .valueOrEnd
            guard canEnd, open.last == (byte == UInt8(ascii: "}")) else { return fail() }
            open.removeLast()
            endValue()
            return .end
        case UInt8(ascii: ","):
            guard expected == .commaOrEnd else { return fail() }
            expected = open.last == true ? .key : .value
            return nil
        case UInt8(ascii: ":"):
            guard expected == .colon else { return fail() }
            expected = .value
            return nil
        default:
            guard Self.isScalar(byte), expectsValue else { return fail() }
            position = .scalar
            return nil
        }
    }

    /// Consumes a string up to its end, or to that of the chunk.
    private mutating func string(in bytes: [UInt8], at index: inout Int) -> Token? {
        var quote = index - 1
        while index < bytes.count {
            if position == .escape {
                keep(bytes[index..<index + 1])
                index += 1
                position = .string
                continue
            }
            // Each byte is searched once: the quotation mark stays valid until it is passed.
            if quote < index { quote = bytes.span.firstIndex(of: UInt8(ascii: "\""), from: index) }
            let end = bytes.span.extracting(index..<quote).firstIndex(of: UInt8(ascii: "\\"), from: 0) + index
            keep(bytes[index..<end])
            index = end
            guard index < bytes.count else { return nil }
            keep(bytes[index..<index + 1])
            index += 1
            if end < quote {
                position = .escape
                continue
            }
            return endString()
        }
        return nil
    }

    private mutating func endString() -> Token {
        position = .between
        let text = kept.flatMap { Self.isValid($0) ? $0 : nil }
        kept = nil
        if expectsKey {
            expected = .colon
            return .key(text ?? [])
        }
        endValue()
        return .string(text)
    }

    private static func isValid(_ string: [UInt8]) -> Bool {
        do throws(JSONReader.JSONError) {
            return try JSONReader.kind(of: string.span, in: 0..<string.count) == .string
        } catch {
            return false
        }
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        guard let count = kept?.count else { return }
        // A string that is too long is dropped as a whole.
        if count + part.count > Self.maximumStringByteCount {
            kept = nil
        } else {
            kept?.append(contentsOf: part)
        }
    }

    private mutating func endValue() {
        keepsNextString = false
        expected = open.isEmpty ? .nothing : .commaOrEnd
    }

    private mutating func fail() -> Token {
        position = .malformed
        return .malformed
    }

    /// Whether a byte may occur in a number or a literal.
    private static func isScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "E"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}

package import TextForms

extension MetadataValue {
    /// Parses JSON (RFC 8259); nil if it is invalid, or nested too deep.
    ///
    /// If an object has a key twice, both members are kept: the last one counts.
    package init?(json bytes: [UInt8]) {
        do throws(JSONReader.JSONError) {
            var start = 0
            while start < bytes.count, Self.isBlank(bytes[start]) { start += 1 }
            var end = bytes.count
            while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
            let range = start..<end
            // The members of an object and the elements of an array are validated when they are visited.
            let kind: JSONReader.Kind =
                switch start < end ? bytes[start] : 0 {
                case UInt8(ascii: "{"): .object
                case UInt8(ascii: "["): .array
                default: try JSONReader.kind(of: bytes.span, in: range)
                }
            self = try Self.value(of: bytes.span, in: range, kind)
        } catch {
            return nil
        }
    }

    /// Returns why a text is not a JSON object; only for one that is not.
    static func problem(ofObject text: String) -> String {
        if text.isEmpty { return "it is empty" }
        do throws(JSONReader.JSONError) {
            let bytes = Array(text.utf8)
            _ = try JSONReader.kind(of: bytes.span, in: 0..<bytes.count)
            return "it is JSON, but not an object"
        } catch {
            return switch error {
            case .malformed(let offset), .otherKind(let offset): "its JSON is invalid at byte \(offset)"
            case .tooDeep(let offset): "its JSON is nested too deep at byte \(offset)"
            }
        }
    }

    /// Returns the value of a kind in `range`; throws only for an object or an array that has not been validated.
    static func value(
        of bytes: Span<UInt8>, in range: Range<Int>, _ kind: JSONReader.Kind
    ) throws(JSONReader.JSONError) -> MetadataValue {
        switch kind {
        case .null: return .null
        case .boolean: return .flag(bytes[range.lowerBound] == UInt8(ascii: "t"))
        case .number: return .number(JSONReader.number(bytes, in: range))
        case .string: return .text(JSONReader.string(bytes, in: range))
        case .array:
            var elements: [MetadataValue] = []
            try JSONReader.elements(of: bytes, in: range) { place, kind throws(JSONReader.JSONError) in
                elements.append(try value(of: bytes, in: place, kind))
            }
            return .list(elements)
        case .object:
            var members: [Member] = []
            try JSONReader.members(of: bytes, in: range) { key, place, kind throws(JSONReader.JSONError) in
                let name = JSONReader.string(bytes, in: key)
                members.append(Member(name, try value(of: bytes, in: place, kind)))
            }
            return .object(members)
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}

extension MetadataValue {
    /// Writes the value as JSON; whole numbers have no fraction, and a number that is not finite is null.
    ///
    /// - Parameter maximumDepth: the maximum nesting depth; a value below it becomes null.
    /// - Returns: whether the value was written whole.
    @discardableResult
    package func write(to writer: inout JSONWriter, maximumDepth: Int) -> Bool {
        switch self {
        case .null: writer.null()
        case .flag(let flag): writer.value(flag)
        case .text(let text): writer.value(text)
        case .number(let number):
            if let whole = Int64(exactly: number) { writer.value(whole) } else { writer.value(number) }
        case .list, .object:
            guard maximumDepth > 0 else {
                writer.null()
                return false
            }
            return writeElements(to: &writer, maximumDepth: maximumDepth - 1)
        }
        return true
    }

    /// The text of a scalar, or the JSON of any other value.
    var text: String {
        if let text = scalarText { return text }
        var writer = JSONWriter()
        write(to: &writer, maximumDepth: 2)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func writeElements(to writer: inout JSONWriter, maximumDepth: Int) -> Bool {
        var isWhole = true
        switch self {
        case .list(let elements):
            writer.beginArray()
            for element in elements where !element.write(to: &writer, maximumDepth: maximumDepth) {
                isWhole = false
            }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for member in members {
                writer.key(escaping: member.key)
                if !member.value.write(to: &writer, maximumDepth: maximumDepth) { isWhole = false }
            }
            writer.endObject()
        default: break
        }
        return isWhole
    }
}

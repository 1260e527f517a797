import ByteReading

/// The state shared by both playlist parsers: the variables and the problems found.
struct ParsingContext {
    private let imported: [String: String]
    private let address: String

    /// The current line, counted from 1.
    var line = 0

    private(set) var problems = PlaylistProblems()
    private(set) var variables: [String: String] = [:]

    /// The total size in bytes of the texts after variable substitution.
    private var replacedByteCount = 0

    /// The playlist's EXT-X-VERSION.
    private(set) var version: Int?

    init(imported: [String: String], address: String) {
        self.imported = imported
        self.address = address
    }

    mutating func report(_ rule: PlaylistProblem.Rule, _ range: Range<Int>, in bytes: Span<UInt8>) {
        problems.append(line: line, rule: rule, text: bytes.excerpt(range))
    }

    /// Returns whether another entry of a kind is permitted; reports the limit if it is not.
    mutating func hasRoom(
        for limit: PlaylistLimit, after count: Int, _ range: Range<Int>, in bytes: Span<UInt8>
    ) -> Bool {
        if count < limit.maximum { return true }
        exceed(limit, range, in: bytes)
        return false
    }

    private mutating func exceed(_ limit: PlaylistLimit, _ range: Range<Int>, in bytes: Span<UInt8>) {
        problems.append(limit)
        report(.tooManyEntries, range, in: bytes)
    }

    /// Reports a problem if the first line is not the header.
    mutating func checkHeader(_ line: Range<Int>, in bytes: Span<UInt8>) {
        if PlaylistTag.read(line, in: bytes)?.tag != .header { report(.missingHeader, line, in: bytes) }
    }

    // MARK: Values

    /// Returns the text in the range with its variable references replaced (second edition, 4.3).
    mutating func text(_ range: Range<Int>, in bytes: Span<UInt8>) -> String {
        let plain = decoded(range, in: bytes)
        var index = range.lowerBound
        while index + 1 < range.upperBound {
            if bytes[index] == 0x7B, bytes[index + 1] == 0x24 {
                return substituted(plain, range, in: bytes)
            }
            index += 1
        }
        return plain
    }

    /// Decodes the text in the range without replacing variable references.
    mutating func decoded(_ range: Range<Int>, in bytes: Span<UInt8>) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.extracting(range)))
        } catch {
            report(.notUTF8, range, in: bytes)
            return String(decoding: bytes.copy(range), as: UTF8.self)
        }
    }

    /// Parses a decimal integer; returns nil and reports a problem if it is invalid.
    mutating func integer(_ range: Range<Int>, in bytes: Span<UInt8>) -> Int? {
        if let value = bytes.decimalInteger(in: range) { return value }
        report(.unreadableNumber, range, in: bytes)
        return nil
    }

    /// Parses the attributes of a tag and reports the first malformed part.
    mutating func attributes(_ range: Range<Int>, in bytes: Span<UInt8>) -> AttributeList {
        let list = AttributeList(in: bytes, range)
        if let defect = list.defect { report(.malformedAttributes, defect, in: bytes) }
        return list
    }

    /// Returns the text of an attribute, or nil if the tag does not have it.
    mutating func text(_ name: StaticString, of list: AttributeList, in bytes: Span<UInt8>) -> String? {
        guard let range = list.range(of: name, in: bytes) else { return nil }
        return text(range, in: bytes)
    }

    /// Returns the text of an attribute, truncated to one byte more than the permitted length; nil if it is absent.
    mutating func limitedText(_ name: StaticString, of list: AttributeList, in bytes: Span<UInt8>) -> String?
    {
        guard let range = list.range(of: name, in: bytes) else { return nil }
        return limited(text(range, in: bytes), to: .attributeBytes, range, in: bytes)
    }

    /// Returns the text in the range, truncated to one byte more than a limit permits.
    mutating func limited(
        _ text: String, to limit: PlaylistLimit, _ range: Range<Int>, in bytes: Span<UInt8>
    ) -> String {
        guard text.utf8.count > limit.maximum else { return text }
        exceed(limit, range, in: bytes)
        return String(decoding: text.utf8.prefix(limit.maximum + 1), as: UTF8.self)
    }

    /// Returns the URI in the range, truncated to one byte more than the permitted length.
    ///
    /// No server would accept a longer address.
    mutating func uri(_ range: Range<Int>, in bytes: Span<UInt8>) -> String {
        limited(text(range, in: bytes), to: .addressBytes, range, in: bytes)
    }

    /// Returns the attribute URI, or nil if the tag does not have it.
    mutating func uri(of list: AttributeList, in bytes: Span<UInt8>) -> String? {
        guard let range = list.range(of: "URI", in: bytes) else { return nil }
        return uri(range, in: bytes)
    }

    /// Returns the decimal integer in an attribute, or nil if it is absent or invalid.
    mutating func integer(_ name: StaticString, of list: AttributeList, in bytes: Span<UInt8>) -> Int? {
        guard let range = list.range(of: name, in: bytes) else { return nil }
        return integer(range, in: bytes)
    }

    /// Returns the decimal number in an attribute, or nil if it is absent or invalid.
    mutating func number(_ name: StaticString, of list: AttributeList, in bytes: Span<UInt8>) -> Double? {
        guard let range = list.range(of: name, in: bytes) else { return nil }
        if let value = bytes.decimalNumber(filling: range) { return value }
        report(.unreadableNumber, range, in: bytes)
        return nil
    }

    // MARK: Tags of both kinds

    mutating func readVersion(_ value: Range<Int>, in bytes: Span<UInt8>) {
        guard let version = integer(value, in: bytes) else { return }
        self.version = version
    }

    /// Reads EXT-X-DEFINE (second edition, 4.4.2.3): a value, an import from the multivariant playlist, or a query
    /// parameter.
    mutating func readDefinition(_ value: Range<Int>, in bytes: Span<UInt8>) {
        guard hasRoom(for: .variables, after: variables.count, value, in: bytes) else { return }
        let list = attributes(value, in: bytes)
        let definition: (name: String, value: String?)
        if let name = text("NAME", of: list, in: bytes) {
            guard let text = text("VALUE", of: list, in: bytes) else {
                return report(.missingAttribute, value, in: bytes)
            }
            definition = (name, text)
        } else if let name = text("IMPORT", of: list, in: bytes) {
            definition = (name, imported[name])
        } else if let name = text("QUERYPARAM", of: list, in: bytes) {
            definition = (name, URIReference.queryParameter(name, of: address))
        } else {
            return report(.missingAttribute, value, in: bytes)
        }
        guard let text = definition.value else { return report(.undefinedVariable, value, in: bytes) }
        if variables[definition.name] == nil {
            variables[definition.name] = text
        } else {
            report(.repeatedVariable, value, in: bytes)
        }
    }

    /// The maximum size in bytes of one text after substitution, because nested references multiply.
    private static let maximumReplacedLength = 65_536

    /// Replaces the references to variables.
    ///
    /// Once the total exceeds `PlaylistLimit.replacedText` bytes, texts stay unchanged.
    private mutating func substituted(_ text: String, _ range: Range<Int>, in bytes: Span<UInt8>) -> String {
        guard replacedByteCount < PlaylistLimit.replacedText.maximum else {
            exceed(.replacedText, range, in: bytes)
            return text
        }
        var result = ""
        var rest = text[...]
        while let opening = rest.firstRange(of: "{$") {
            let name = rest[opening.upperBound...].prefix { $0 != "}" }
            guard name.endIndex < rest.endIndex else { break }
            let closing = rest.index(after: name.endIndex)
            result += rest[..<opening.lowerBound]
            if let value = variables[String(name)],
                result.utf8.count + value.utf8.count < Self.maximumReplacedLength
            {
                result += value
            } else {
                report(.undefinedVariable, range, in: bytes)
                result += rest[opening.lowerBound..<closing]
            }
            rest = rest[closing...]
        }
        result += rest
        replacedByteCount += result.utf8.count
        return result
    }
}

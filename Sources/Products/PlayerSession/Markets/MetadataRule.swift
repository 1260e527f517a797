import TextForms

/// The rule of a guide for one key.
public struct MetadataRule: Sendable, Hashable {
    /// The allowed form of a value.
    public enum Form: Sendable, Hashable {
        /// Any text, with a maximum number of characters, and characters that it must not have.
        case text(maximumLength: Int? = nil, excluding: String = "")
        /// Letters, digits and some punctuation, with a maximum number of them.
        case identifier(maximumLength: Int?, punctuation: String)
        /// A number of seconds, 0 or more.
        case seconds
        /// A date, with or without a time, in one of the forms.
        case airdate([AirdateForm])
        /// One of a few words, as the guide spells them, without regard to case and surrounding blanks.
        case words([String])
        /// A whole number above 0.
        case positiveInteger
        /// A whole `http` or `https` address, URI-encoded.
        case address
        /// A section, an entity and one of a few words, joined by `_`.
        case section([String])
    }

    /// The key as the guide spells it.
    public let key: String
    /// The allowed form of a value.
    public let form: Form
    /// Whether the guide marks the key as required.
    public let isRequired: Bool
    /// The place in the guides that states the rule.
    package let source: GuideSource

    /// Creates a rule.
    init(_ key: String, _ form: Form, required: Bool = false, _ source: GuideSource) {
        self.key = key
        self.form = form
        isRequired = required
        self.source = source
    }

    /// The key in lower case, as `Metadata` looks it up.
    package var lookupKey: String { key.lowercased() }

    /// Returns the violation by a value that is not empty; nil if the value has the form.
    package func violation(by value: MetadataValue) -> MetadataViolation? {
        guard let kind = form.violation(by: value) else { return nil }
        return MetadataViolation(
            kind, key: key, value: value, expected: form.expectation, source: source.description)
    }

    /// The violation by metadata without the key.
    package var absence: MetadataViolation {
        MetadataViolation(.missing, key: key, expected: form.expectation, source: source.description)
    }
}

extension MetadataRule.Form {
    /// Returns the kind of violation by a value; nil if the value has the form.
    fileprivate func violation(by value: MetadataValue) -> MetadataViolation.Kind? {
        guard let text = value.scalarText else { return .type }
        switch self {
        case .text(let maximumLength, let excluded):
            if text.contains(where: { excluded.contains($0) }) { return .alphabet }
            return maximumLength.map { text.count > $0 } ?? false ? .length : nil
        case .identifier(let maximumLength, let punctuation):
            if !text.utf8.allSatisfy({ Self.isAlphanumeric($0) || punctuation.utf8.contains($0) }) {
                return .alphabet
            }
            return maximumLength.map { text.utf8.count > $0 } ?? false ? .length : nil
        case .seconds:
            guard let seconds = value.finiteNumber else { return .type }
            return seconds < 0 ? .value : nil
        case .airdate(let forms): return forms.contains { $0.matches(text) } ? nil : .airdate
        case .words(let words):
            let word = String(text[...].trimmed).lowercased()
            return words.contains { $0.lowercased() == word } ? nil : .value
        case .positiveInteger: return Int64(text[...].trimmed).map { $0 > 0 } ?? false ? nil : .value
        case .address: return Self.isAddress(text) ? nil : .value
        case .section(let words):
            let parts = text.split(separator: "_", omittingEmptySubsequences: false)
            let isWhole = parts.count > 2 && !parts.contains { $0.isEmpty }
            return isWhole && words.contains { $0 == parts[parts.count - 1] } ? nil : .value
        }
    }

    /// Returns whether a text is an address of only the characters that a URI may have (RFC 3986, 2).
    private static func isAddress(_ text: String) -> Bool {
        let start = text.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { start.hasPrefix($0) }) else { return false }
        return text.utf8.count > scheme.utf8.count
            && text.utf8.allSatisfy { isAlphanumeric($0) || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains($0) }
    }

    private static func isAlphanumeric(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    /// The form in words, for findings and docs/markets.md.
    package var expectation: String {
        switch self {
        case .text(let maximumLength, let excluded):
            let length = maximumLength.map { "at most \($0) characters" } ?? "text"
            return excluded.isEmpty ? length : "\(length) without `\(excluded)`"
        case .identifier(let maximumLength, let punctuation):
            let marks = Self.list(punctuation.map { "`\($0)`" }, "and")
            let characters = marks.isEmpty ? "letters and digits" : "letters, digits, \(marks)"
            return maximumLength.map { "at most \($0) \(characters)" } ?? characters
        case .seconds: return "seconds, 0 or more"
        case .airdate(let forms): return Self.list(forms.map(\.rawValue), "or")
        case .words(let words): return Self.list(words.map { "`\($0)`" }, "or")
        case .positiveInteger: return "a whole number above 0"
        case .address: return "a whole `http` or `https` address, URI-encoded"
        case .section(let words):
            return "a section, an entity and \(Self.list(words.map { "`\($0)`" }, "or")), joined by `_`"
        }
    }

    private static func list(_ items: [String], _ conjunction: String) -> String {
        guard let last = items.last, items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
    }
}

/// A violation of a market's rules by a key or a value.
public struct MetadataViolation: Sendable, Hashable {
    /// The kinds of violation.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A key that the asset type requires is missing or empty.
        case missing
        /// The key differs in its capitals from every spelling in the guides.
        case spelling
        /// The value is not of the type that the guide asks for.
        case type
        /// The value is too long.
        case length
        /// The value has invalid characters.
        case alphabet
        /// The value is not a date in one of the forms.
        case airdate
        /// The value is not one of the allowed values, or one too many.
        case value
    }

    /// The kind of the violation.
    public let kind: Kind
    /// The key as the guides spell it.
    public let key: String
    /// The value; nil if the key is missing.
    public let value: MetadataValue?
    /// The values or the spelling that the guide allows; nil if it is not known.
    public let expected: String?
    /// The guide and the section that state the rule; nil if none does.
    public let source: String?

    /// Creates a violation.
    public init(
        _ kind: Kind, key: String, value: MetadataValue? = nil, expected: String? = nil, source: String? = nil
    ) {
        self.kind = kind
        self.key = key
        self.value = value
        self.expected = expected
        self.source = source
    }
}

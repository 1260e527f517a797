package import TextForms

/// A deviation from the guides that a call revealed: its key and value, the expectation, and the source.
public struct PlayerFinding: Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of characters of a value; longer ones end with an ellipsis.
    static let maximumValueLength = 64

    /// The kind of the deviation.
    public let id: SessionFinding
    /// The key that it concerns; nil if it concerns none.
    public let key: String?
    /// The value that it concerns, truncated; nil if it concerns none.
    public private(set) var value: String?
    /// The expectation and the source that this finding alone has; nil for those of its kind.
    private let ownExpected: String?
    private let ownSource: String?
    /// Whether it is about the information of the app, which a later call than `init` may reveal.
    package let isOfApp: Bool

    /// Creates a finding; `expected` and `source` default to those of its kind.
    init(
        _ id: SessionFinding, key: String? = nil, value: MetadataValue? = nil, expected: String? = nil,
        source: String? = nil, isOfApp: Bool = false
    ) {
        self.isOfApp = isOfApp
        self.id = id
        self.key = key.map(Self.truncated)
        self.value = value.map { Self.truncated($0.text) }
        // Those of the kind are looked up when they are read: a call that has a finding must not take longer.
        ownExpected = expected
        ownSource = source
    }

    /// The values, or the calls, that the guides expect.
    public var expected: String? { ownExpected ?? FindingReference.rules[id]?.expected }

    /// The guide and the section that state the rule; `field practice` or `this library` if none does.
    public var source: String? { ownSource ?? FindingReference.rules[id]?.source }

    /// Creates the finding of a violation.
    init(_ violation: MetadataViolation, isOfApp: Bool = false) {
        self.init(
            violation.kind.finding, key: violation.key, value: violation.value, expected: violation.expected,
            source: violation.source, isOfApp: isOfApp)
    }

    /// The finding as text output shows it: `key.missing assetid (guide 003, Content metadata)`.
    public var description: String { text(hasExpectation: value != nil) }

    /// The finding as notifications show it: `key.missing assetid, expected seconds (guide 003, Content metadata)`.
    package var notice: String { text(hasExpectation: true) }

    private func text(hasExpectation: Bool) -> String {
        var text = id.rawValue
        if let key { text += " " + PrintableText.of(key) }
        if let value { text += " `\(PrintableText.of(value))`" }
        if hasExpectation, let expected { text += ", expected \(expected)" }
        if let source { text += " (\(source))" }
        return text
    }

    /// The finding without the value, which may identify a person.
    var withoutValue: PlayerFinding {
        var finding = self
        finding.value = nil
        return finding
    }

    private static func truncated(_ text: String) -> String {
        text.count > maximumValueLength ? text.prefix(maximumValueLength - 1) + "…" : text
    }

    /// Writes the finding as one JSON object.
    ///
    /// - Parameters:
    ///   - withValue: whether the object has the value.
    ///   - count: the number of such findings; nil for a single one.
    package func write(to writer: inout JSONWriter, withValue: Bool = true, count: Int? = nil) {
        writer.beginObject()
        writer.write("id", id.rawValue)
        for (name, text) in [
            ("key", key), ("value", withValue ? value : nil), ("expected", expected), ("source", source),
        ] {
            if let text { writer.write(name, text) }
        }
        if let count { writer.write("count", count) }
        writer.endObject()
    }
}

/// The kind of a finding, and the key that it concerns.
struct FindingSubject: Sendable, Hashable {
    let id: SessionFinding
    let key: String?
}

extension MetadataViolation.Kind {
    fileprivate var finding: SessionFinding {
        switch self {
        case .missing: .keyMissing
        case .spelling: .keyCase
        case .type: .valueType
        case .length: .keyLength
        case .alphabet: .keyAlphabet
        case .airdate: .keyAirdate
        case .value: .keyValue
        }
    }
}

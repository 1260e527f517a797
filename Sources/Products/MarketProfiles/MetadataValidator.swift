/// Validates metadata against the rules of a market.
public struct MetadataValidator: Sendable {
    private let profile: MarketProfile

    /// Creates a validator for a market.
    public init(_ profile: MarketProfile) { self.profile = profile }

    /// Returns the violations in the metadata of an asset.
    public func violations(ofAsset metadata: Metadata) -> [MetadataViolation] {
        let type = metadata.text("type").flatMap { AssetType(rawValue: $0.lowercased()) }
        return Self.violations(of: profile.rules, by: metadata) { rule in
            type.map(rule.requiredTypes.contains) ?? (rule.key == "type")
        }
    }

    /// Returns the violations in the description of the screen that shows the picture.
    package func violations(ofScreen metadata: Metadata) -> [MetadataViolation] {
        Self.violations(of: MarketProfile.screenRules, by: metadata) { !$0.requiredTypes.isEmpty }
    }

    private static func violations(
        of rules: [MetadataRule], by metadata: Metadata, isRequired: (MetadataRule) -> Bool
    ) -> [MetadataViolation] {
        var violations = spelling(of: metadata)
        for rule in rules {
            guard let value = metadata[rule.key.lowercased()], value != .text("") else {
                if isRequired(rule) { violations.append(MetadataViolation(.missing, key: rule.key)) }
                continue
            }
            if let kind = violation(of: rule.form, by: value) {
                violations.append(MetadataViolation(kind, key: rule.key))
            }
        }
        return violations
    }

    /// Returns the violations in metadata that corrects or completes other metadata: no key is required.
    public func violations(ofPart metadata: Metadata) -> [MetadataViolation] {
        violations(ofAsset: metadata).filter { $0.kind != .missing }
    }

    /// Returns the keys whose capitals differ from those in the guides.
    private static func spelling(of metadata: Metadata) -> [MetadataViolation] {
        metadata.members.compactMap { member in
            guard let known = spellings[member.key.lowercased()], known != member.key else { return nil }
            return MetadataViolation(.spelling, key: known)
        }
    }

    private static let spellings: [String: String] = Dictionary(
        uniqueKeysWithValues: (MarketProfile.unitedStates.rules.map(\.key) + MarketProfile.otherKeys)
            .map { ($0.lowercased(), $0) })

    private static func violation(
        of form: MetadataRule.Form, by value: MetadataValue
    ) -> MetadataViolation.Kind? {
        guard let text = value.scalarText else { return .type }
        switch form {
        case .text(let maximumLength):
            return maximumLength.map { text.count > $0 } ?? false ? .length : nil
        case .identifier(let maximumLength):
            if !text.utf8.allSatisfy(isIdentifierCharacter) { return .alphabet }
            return text.utf8.count > maximumLength ? .length : nil
        case .seconds:
            guard let seconds = value.finiteNumber else { return .type }
            return seconds < 0 ? .value : nil
        case .airdate: return AirdateText.isValid(text) ? nil : .airdate
        case .words(let words): return words.contains(text.lowercased()) ? nil : .value
        }
    }

    private static func isIdentifierCharacter(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// The rule of a market for one key.
public struct MetadataRule: Sendable, Hashable {
    /// The allowed form of a value.
    public enum Form: Sendable, Hashable {
        /// Any text, with a maximum number of characters.
        case text(maximumLength: Int?)
        /// Letters, digits, `.`, `_` and `-`, with a maximum number of them.
        case identifier(maximumLength: Int)
        /// A number of seconds, 0 or more.
        case seconds
        /// A date, with or without a time, in one of the forms of the guides.
        case airdate
        /// One of a few words, without regard to case.
        case words([String])
    }

    /// The key as the guides spell it.
    public let key: String
    /// The allowed form of a value.
    public let form: Form
    /// The types of asset that must have the key.
    public let requiredTypes: Set<AssetType>

    /// Creates a rule for a key.
    init(_ key: String, _ form: Form, requiredFor types: Set<AssetType> = []) {
        self.key = key
        self.form = form
        requiredTypes = types
    }
}

/// A violation of a market's rules by a key or a value.
public struct MetadataViolation: Sendable, Hashable {
    /// The kinds of violation.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A key that the asset type requires is missing or empty.
        case missing
        /// The key differs in its capitals from the spelling in the guides.
        case spelling
        /// The value is not text, a number or a Boolean.
        case type
        /// The value is too long.
        case length
        /// The value has invalid characters.
        case alphabet
        /// The value is not a date in one of the forms.
        case airdate
        /// The value is not one of the allowed values.
        case value
    }

    /// The kind of the violation.
    public let kind: Kind
    /// The key as the guides spell it.
    public let key: String

    /// Creates a violation.
    public init(_ kind: Kind, key: String) {
        self.kind = kind
        self.key = key
    }
}

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

/// What a key or a value breaks of the tables of a market.
public struct MetadataViolation: Sendable, Hashable {
    /// The kinds of violation.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// A key that the type of asset must have is not there, or empty.
        case missing
        /// The key is spelled with other capitals than the guides do.
        case spelling
        /// The value is no text, number or truth value.
        case type
        /// The value is too long.
        case length
        /// The value has characters that it may not have.
        case alphabet
        /// The value is no date in one of the forms.
        case airdate
        /// The value is none of those that there are.
        case value
    }

    /// What it breaks.
    public let kind: Kind
    /// The key as the guides spell it.
    public let key: String

    /// A violation.
    public init(_ kind: Kind, key: String) {
        self.kind = kind
        self.key = key
    }
}

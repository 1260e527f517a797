/// What a market asks of one key.
public struct MetadataRule: Sendable, Hashable {
    /// What a value may be.
    public enum Form: Sendable, Hashable {
        /// Any text, of at most so many characters.
        case text(maximumLength: Int?)
        /// Letters, digits, `.`, `_` and `-`, at most so many.
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
    /// What a value may be.
    public let form: Form
    /// The types of asset that must have the key.
    public let requiredTypes: Set<AssetType>

    /// A rule for a key.
    init(_ key: String, _ form: Form, requiredFor types: Set<AssetType> = []) {
        self.key = key
        self.form = form
        requiredTypes = types
    }
}

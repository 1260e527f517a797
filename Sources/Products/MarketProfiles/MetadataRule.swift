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

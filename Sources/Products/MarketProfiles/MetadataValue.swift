import TextForms

/// A value that an app hands over: what JSON can say, in an order.
///
/// Texts, numbers, truth values, lists and dictionaries can be written as Swift's literals.
public indirect enum MetadataValue: Sendable, Hashable {
    /// No value.
    case null
    /// A truth value.
    case flag(Bool)
    /// A number; one that is not finite counts as no value.
    case number(Double)
    /// A text.
    case text(String)
    /// A list.
    case list([MetadataValue])
    /// An object, its members in the order in which they were given.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// The key as it was given.
        public let key: String
        /// The value.
        public let value: MetadataValue

        /// A member with that key.
        public init(_ key: String, _ value: MetadataValue) {
            self.key = key
            self.value = value
        }
    }

    /// Whether there is no value: null, or a number that is not finite.
    public var isAbsent: Bool {
        switch self {
        case .null: true
        case .number(let number): !number.isFinite
        default: false
        }
    }

    /// A text, number or truth value as text; nil for anything else.
    ///
    /// Whole numbers have no fraction: 360 is `360`.
    public var scalarText: String? {
        switch self {
        case .text(let text): text
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number) where number.isFinite:
            Int64(exactly: number).map { String($0) } ?? number.description
        default: nil
        }
    }

    /// A number, or the number that a text is; nil for anything else, and for what is not finite.
    public var finiteNumber: Double? {
        let number: Double? =
            switch self {
            case .number(let number): number
            case .text(let text): Double(text.trimmed)
            default: nil
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The members of an object, or of the object that a text is as JSON; nil for anything else.
    public var members: [Member]? {
        switch self {
        case .object(let members): return members
        case .text(let text):
            guard case .object(let members)? = MetadataValue(json: Array(text.utf8)) else { return nil }
            return members
        default: return nil
        }
    }
}

extension String {
    /// The text without the blanks around it.
    fileprivate var trimmed: String { String(self[...].trimmed) }
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// A whole number.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }

    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .flag(value) }

    /// No value.
    public init(nilLiteral: ()) { self = .null }

    /// A list.
    public init(arrayLiteral elements: MetadataValue...) { self = .list(elements) }

    /// An object.
    public init(dictionaryLiteral elements: (String, MetadataValue)...) {
        self = .object(elements.map { Member($0, $1) })
    }
}

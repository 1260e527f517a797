import TextForms

/// A value that an app hands over: any JSON value, with its members in order.
///
/// String, number, Boolean, array and dictionary literals create values.
public indirect enum MetadataValue: Sendable, Hashable {
    /// No value.
    case null
    /// A Boolean.
    case flag(Bool)
    /// A number; one that is not finite counts as no value.
    case number(Double)
    /// Text.
    case text(String)
    /// A list.
    case list([MetadataValue])
    /// An object, with its members in the given order.
    case object([Member])

    /// A member of an object.
    public struct Member: Sendable, Hashable {
        /// The key as given.
        public let key: String
        /// The value.
        public let value: MetadataValue

        /// The approximate size in bytes, and at most that of its JSON text.
        package var byteCount: Int { key.utf8.count + 3 + value.byteCount }

        /// Creates a member.
        public init(_ key: String, _ value: MetadataValue) {
            self.key = key
            self.value = value
        }
    }

    /// The approximate size in bytes, and at most that of its JSON text.
    package var byteCount: Int {
        switch self {
        case .null, .flag, .number: 1
        case .text(let text): text.utf8.count + 2
        case .list(let elements): elements.reduce(2) { $0 + $1.byteCount }
        case .object(let members): members.reduce(2) { $0 + $1.byteCount }
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

    /// A text, number or Boolean as text; nil for anything else.
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

    /// A number, or the number in a text; nil for anything else, and if it is not finite.
    public var finiteNumber: Double? {
        let number: Double? =
            switch self {
            case .number(let number): number
            case .text(let text): Double(text.trimmed)
            default: nil
            }
        return number.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The members of an object, or of an object as JSON text; nil for anything else.
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
    /// The text without surrounding blanks.
    fileprivate var trimmed: String { String(self[...].trimmed) }
}

extension MetadataValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// Creates a number.
    public init(floatLiteral value: Double) { self = .number(value) }

    /// Creates a whole number.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }

    /// Creates a Boolean.
    public init(booleanLiteral value: Bool) { self = .flag(value) }

    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Creates a list.
    public init(arrayLiteral elements: MetadataValue...) { self = .list(elements) }

    /// Creates an object.
    public init(dictionaryLiteral elements: (String, MetadataValue)...) {
        self = .object(elements.map { Member($0, $1) })
    }
}

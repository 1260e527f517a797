/// What formats that carry an owner identifier write in place of its slashes and equals signs: JSON, URLs, HTML.
struct OwnerTextEscape {
    let kind: OwnerTextFinding.Kind
    /// The escape, its letters in lower case.
    private let text: [UInt8]

    private init(_ text: String, _ kind: OwnerTextFinding.Kind) {
        self.text = Array(text.utf8)
        self.kind = kind
    }

    /// What a text says about an escape at one place of it.
    enum Reading {
        case none
        /// The bytes end before that can be said.
        case undecided
        case found(OwnerTextFinding.Kind, length: Int)
    }

    /// Escapes of a slash, which are read as one where one is due.
    static let slashes = [
        OwnerTextEscape("\\/", .jsonSlash), OwnerTextEscape("\\u002f", .unicodeSlash),
        OwnerTextEscape("%2f", .percentSlash), OwnerTextEscape("%252f", .doublePercentSlash),
        OwnerTextEscape("&#x2f;", .htmlSlash),
    ]

    /// Escapes of an equals sign that are read as one where one is due; those that may stand anywhere are not among
    /// them.
    static let equalsSigns = [
        OwnerTextEscape("%253d", .doublePercentEscape), OwnerTextEscape("&#x3d;", .htmlEscape),
    ]

    static let jsonEqualsSign = OwnerTextEscape("\\u003d", .jsonEscape)
    static let percentEqualsSign = OwnerTextEscape("%3d", .percentEscape)
    static let colon = OwnerTextEscape(": ", .colon)

    /// Reads the escape at a place; `mayGoOn` says whether the text goes on after `limit`.
    func read(_ bytes: Span<UInt8>, at position: Int, limit: Int, mayGoOn: Bool) -> Reading {
        for (index, character) in text.enumerated() {
            guard position + index < limit else { return mayGoOn ? .undecided : .none }
            let byte = bytes[position + index]
            guard byte == character || Self.hasTwoCases(character) && byte == character ^ 0x20 else {
                return .none
            }
        }
        return .found(kind, length: text.count)
    }

    /// Reads the first escape of a list that stands at a place.
    static func read(
        _ escapes: [OwnerTextEscape], in bytes: Span<UInt8>, at position: Int, limit: Int, mayGoOn: Bool
    ) -> Reading {
        for escape in escapes {
            let reading = escape.read(bytes, at: position, limit: limit, mayGoOn: mayGoOn)
            if case .none = reading { continue }
            return reading
        }
        return .none
    }

    /// Hexadecimal digits and HTML's `x`; `\U` is another escape than `\u`.
    private static func hasTwoCases(_ character: UInt8) -> Bool {
        character == 0x64 || character == 0x66 || character == 0x78
    }
}

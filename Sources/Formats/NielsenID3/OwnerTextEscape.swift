/// An escape that JSON, URLs or HTML use for a slash or an equals sign in an owner identifier.
struct OwnerTextEscape {
    let kind: OwnerTextFinding.Kind
    /// The escape, with its letters in lower case.
    private let text: [UInt8]

    private init(_ text: String, _ kind: OwnerTextFinding.Kind) {
        self.text = Array(text.utf8)
        self.kind = kind
    }

    /// The result of looking for an escape at one position of a text.
    enum Reading {
        case none
        /// The bytes end before the result is known.
        case undecided
        case found(OwnerTextFinding.Kind, length: Int)
    }

    /// Escapes of a slash, read as a slash where the identifier requires one.
    static let slashes = [
        OwnerTextEscape("\\/", .jsonSlash), OwnerTextEscape("\\u002f", .unicodeSlash),
        OwnerTextEscape("%2f", .percentSlash), OwnerTextEscape("%252f", .doublePercentSlash),
        OwnerTextEscape("&#x2f;", .htmlSlash),
        OwnerTextEscape("&#47;", .htmlDecimalSlash),
    ]

    /// Escapes of an equals sign, read as such where the identifier requires one.
    ///
    /// Escapes that may occur at any position are not in this list.
    static let equalsSigns = [
        OwnerTextEscape("%253d", .doublePercentEscape), OwnerTextEscape("&#x3d;", .htmlEscape),
        OwnerTextEscape("&#61;", .htmlDecimalEscape),
    ]

    static let jsonEqualsSign = OwnerTextEscape("\\u003d", .jsonEscape)
    static let percentEqualsSign = OwnerTextEscape("%3d", .percentEscape)
    static let colon = OwnerTextEscape(": ", .colon)

    /// Looks for the escape at a position; `mayGoOn` is whether the text continues after `limit`.
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

    /// Returns the first escape of a list that matches at a position.
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

    /// Returns whether a character is accepted in both cases: hexadecimal digits and the `x` of HTML.
    ///
    /// `\U` is a different escape from `\u`, so `u` is not included.
    private static func hasTwoCases(_ character: UInt8) -> Bool {
        character == 0x64 || character == 0x66 || character == 0x78
    }
}

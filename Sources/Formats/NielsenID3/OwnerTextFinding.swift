/// An owner identifier found in a text: the tag, its position and the repairs.
package struct OwnerTextFinding: Sendable, Hashable {
    /// The tag of the identifier after the repairs.
    ///
    /// If the repairs were not sufficient, `formatDefect` is set. The identifier then ends with the last character that
    /// can belong to it.
    package let tag: NielsenTag

    /// The position of the first character.
    package let place: TextPlace

    /// The repairs in text order; empty if none was necessary.
    package let repairs: [Repair]

    /// Whether the identifier could not be repaired.
    package var isBroken: Bool { tag.formatDefect != nil }

    /// Whether the identifier is broken at the end of its line, and the next line does not begin another one.
    ///
    /// Then the rest may be in the next line, after text that the search cannot tell from the identifier.
    package let isBrokenByLineEnd: Bool

    /// One repair: the kind of text found inside the identifier, and its position.
    package struct Repair: Sendable, Hashable {
        /// The kind of text found.
        package let kind: Kind
        /// The position at which it begins.
        package let place: TextPlace
        /// The index, counted from 0, of the next character of the repaired identifier.
        package let character: Int

        /// Creates a repair.
        package init(kind: Kind, place: TextPlace, character: Int) {
            self.kind = kind
            self.place = place
            self.character = character
        }
    }

    /// A kind of text that may occur inside an identifier; the raw value is its name in messages and in JSON.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Blanks and tabs, which are removed.
        case blanks
        /// Line and page ends with the blanks around them, which are removed.
        case lineEnd = "line end"
        /// The date, level or name that a logger writes at the start of each line, which is removed after a line end.
        case linePrefix = "line prefix"
        /// `\u003d`, the JSON escape of an equals sign: read as one where one is required, otherwise removed.
        case jsonEscape = "\\u003d"
        /// `%3D`, the URL escape of an equals sign: read as one where one is required, otherwise removed.
        case percentEscape = "%3D"
        /// A colon and a blank, the separator between a name and a value in program output; removed.
        case colon = "colon and blank"
        /// `%253D`, an equals sign in a URL inside a URL: read as one where one is required.
        case doublePercentEscape = "%253D"
        /// `&#x3D;`, the HTML escape of an equals sign: read as one where one is required.
        case htmlEscape = "&#x3D;"
        /// `\/`, the JSON escape of a slash: read as one where one is required.
        case jsonSlash = "\\/"
        /// `\u002F`, another JSON escape of a slash: read as one where one is required.
        case unicodeSlash = "\\u002F"
        /// `%2F`, the URL escape of a slash: read as one where one is required.
        case percentSlash = "%2F"
        /// `%252F`, a slash in a URL inside a URL: read as one where one is required.
        case doublePercentSlash = "%252F"
        /// `&#x2F;`, the HTML escape of a slash: read as one where one is required.
        case htmlSlash = "&#x2F;"
        /// `&#61;`, the decimal HTML escape of an equals sign: read as one where one is required.
        case htmlDecimalEscape = "&#61;"
        /// `&#47;`, the decimal HTML escape of a slash: read as one where one is required.
        case htmlDecimalSlash = "&#47;"
        /// Upper-case letters in the host, read as lower case.
        case upperCaseHost = "upper-case host"

        /// Whether this is an escape of an equals sign.
        var isEqualsSign: Bool {
            switch self {
            case .jsonEscape, .percentEscape, .doublePercentEscape, .htmlEscape, .htmlDecimalEscape: true
            case .blanks, .lineEnd, .linePrefix, .colon, .upperCaseHost: false
            case .jsonSlash, .unicodeSlash, .percentSlash, .doublePercentSlash, .htmlSlash, .htmlDecimalSlash:
                false
            }
        }

        /// Whether this repair also occurs in web page addresses, and so does not indicate an identifier.
        var isOfAnyAddress: Bool {
            switch self {
            case .jsonSlash, .unicodeSlash, .percentSlash, .doublePercentSlash, .htmlSlash, .htmlDecimalSlash,
                .upperCaseHost:
                true
            case .blanks, .lineEnd, .linePrefix, .jsonEscape, .percentEscape, .colon, .doublePercentEscape,
                .htmlEscape, .htmlDecimalEscape:
                false
            }
        }
    }
}

/// A position in a text.
package struct TextPlace: Sendable, Hashable, CustomStringConvertible {
    /// The line, counted from 1; a line ends in a line feed.
    package let line: Int
    /// The byte in the line, counted from 1.
    package let column: Int

    /// Creates a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The position in the form that compilers print: line, colon, column.
    package var description: String { "\(line):\(column)" }
}

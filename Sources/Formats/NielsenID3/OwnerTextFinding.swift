/// An owner identifier that was found in a text: the tag, its place in the text, and what was repaired.
package struct OwnerTextFinding: Sendable, Hashable {
    /// The tag of the identifier after the repairs.
    ///
    /// Where they did not help, `formatDefect` says what is wrong with it; the identifier then ends where the text
    /// that could belong to it does.
    package let tag: NielsenTag

    /// The place of its first character.
    package let place: TextPlace

    /// What was repaired, in the order of the text; empty where nothing was.
    package let repairs: [Repair]

    /// Whether it could not be repaired.
    package var isBroken: Bool { tag.formatDefect != nil }

    /// One repair: what was found inside the identifier, and where.
    package struct Repair: Sendable, Hashable {
        /// What was found.
        package let kind: Kind
        /// Where it began.
        package let place: TextPlace
        /// Which character of the repaired identifier comes next, 0 for the first of all.
        package let character: Int

        /// One repair.
        package init(kind: Kind, place: TextPlace, character: Int) {
            self.kind = kind
            self.place = place
            self.character = character
        }
    }

    /// What may be found inside an identifier; the raw value is its name in messages and in JSON.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Blanks and tabs, which are left out.
        case blanks
        /// The ends of lines and pages with the blanks around them, which are left out.
        case lineEnd = "line end"
        /// `\u003d`, as JSON writes an equals sign: read as one where one is due, and otherwise left out.
        case jsonEscape = "\\u003d"
        /// `%3D`, as a URL writes an equals sign: the same.
        case percentEscape = "%3D"
        /// A colon and a blank, as programs write between a name and a value; left out.
        case colon = "colon and blank"
        /// `%253D`, as a URL inside a URL writes an equals sign: read as one where one is due.
        case doublePercentEscape = "%253D"
        /// `&#x3D;`, as HTML writes an equals sign: the same.
        case htmlEscape = "&#x3D;"
        /// `\/`, as JSON may write a slash: read as one where one is due.
        case jsonSlash = "\\/"
        /// `\u002F`, as JSON may write a slash: the same.
        case unicodeSlash = "\\u002F"
        /// `%2F`, as a URL writes a slash: the same.
        case percentSlash = "%2F"
        /// `%252F`, as a URL inside a URL writes a slash: the same.
        case doublePercentSlash = "%252F"
        /// `&#x2F;`, as HTML writes a slash: the same.
        case htmlSlash = "&#x2F;"
        /// Letters of the host in upper case, read in lower case.
        case upperCaseHost = "upper-case host"

        /// Whether it is an escape of an equals sign.
        var isEqualsSign: Bool {
            switch self {
            case .jsonEscape, .percentEscape, .doublePercentEscape, .htmlEscape: true
            case .blanks, .lineEnd, .colon, .upperCaseHost: false
            case .jsonSlash, .unicodeSlash, .percentSlash, .doublePercentSlash, .htmlSlash: false
            }
        }

        /// Whether it says nothing about what follows the host: the address of a web page is written so too.
        var isOfAnyAddress: Bool {
            switch self {
            case .jsonSlash, .unicodeSlash, .percentSlash, .doublePercentSlash, .htmlSlash, .upperCaseHost:
                true
            case .blanks, .lineEnd, .jsonEscape, .percentEscape, .colon, .doublePercentEscape, .htmlEscape:
                false
            }
        }
    }
}

/// A place in a text.
package struct TextPlace: Sendable, Hashable, CustomStringConvertible {
    /// The line, 1 for the first; lines end in a line feed.
    package let line: Int
    /// The byte in the line, 1 for the first.
    package let column: Int

    /// A place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The place as compilers write it: line, colon, column.
    package var description: String { "\(line):\(column)" }
}

/// An owner identifier that was found in a text: the tag, where it stood, and what was repaired.
package struct OwnerTextFinding: Sendable, Hashable {
    /// The tag of the identifier as it was once it was repaired.
    ///
    /// Where that did not help, `formatDefect` says what is wrong with it; the identifier then ends where the text
    /// that could belong to it does.
    package let tag: NielsenTag

    /// Where its first character stands.
    package let place: TextPlace

    /// What was repaired, in the order of the text; empty where nothing was.
    package let repairs: [Repair]

    /// Whether it could not be repaired.
    package var isBroken: Bool { tag.formatDefect != nil }

    /// One repair: what stood inside the identifier, and where.
    package struct Repair: Sendable, Hashable {
        /// What stood there.
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

    /// What may stand inside an identifier and be taken out of it.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Blanks and tabs.
        case blanks
        /// The ends of lines and pages, the blanks among and behind them included.
        case lineEnd = "line end"
        /// `\u003d`, as JSON writes an equals sign: read as one where one is due, and else left out.
        case jsonEscape = "\\u003d"
        /// `%3D`, as a URL writes an equals sign: the same.
        case percentEscape = "%3D"
        /// A colon and a blank, as programs write between a name and a value.
        case colon = "colon and blank"
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

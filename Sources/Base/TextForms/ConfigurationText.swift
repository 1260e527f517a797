/// A configuration text of `key = value` lines and `#` comments, in which `[name]` begins a section.
package struct ConfigurationText: Sendable {
    /// A line of the form `key = value`.
    package struct Entry: Sendable, Hashable {
        /// The text before the first equals sign, without surrounding blanks.
        package let key: String
        /// The text after the first equals sign, without surrounding blanks.
        package let value: String
        /// The line, counted from 1.
        package let line: Int

        /// Creates a line.
        package init(key: String, value: String, line: Int) {
            self.key = key
            self.value = value
            self.line = line
        }
    }

    /// A section with its lines.
    package struct Section: Sendable, Hashable {
        /// The text between the brackets, without surrounding blanks.
        package let name: String
        /// The line of the brackets, counted from 1.
        package let line: Int
        /// The lines up to the next section.
        package internal(set) var entries: [Entry] = []

        /// Creates a section.
        package init(name: String, line: Int, entries: [Entry] = []) {
            self.name = name
            self.line = line
            self.entries = entries
        }
    }

    /// An error in a configuration text.
    package struct Fault: Error, Sendable, Hashable {
        /// The line, counted from 1.
        package let line: Int
        /// The description of the error.
        package let message: String

        /// Creates an error.
        package init(line: Int, message: String) {
            self.line = line
            self.message = message
        }
    }

    /// The lines before the first section.
    package private(set) var entries: [Entry] = []

    /// The sections, in order.
    package private(set) var sections: [Section] = []

    /// Parses a text; throws if a line is neither a section nor of the form `key = value`.
    package init(parsing text: String) throws(Fault) {
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (index, line) in lines.enumerated() {
            let content = Self.withoutComment(line).trimmed
            if content.isEmpty { continue }
            if content.hasPrefix("[") {
                guard content.hasSuffix("]") else {
                    throw Fault(line: index + 1, message: "a section without its closing bracket: \(content)")
                }
                sections.append(
                    Section(name: String(content.dropFirst().dropLast().trimmed), line: index + 1))
                continue
            }
            guard let equals = content.firstIndex(of: "=") else {
                throw Fault(line: index + 1, message: "not of the form key = value: \(content)")
            }
            let entry = Entry(
                key: String(content[..<equals].trimmed),
                value: String(content[content.index(after: equals)...].trimmed), line: index + 1)
            if sections.isEmpty {
                entries.append(entry)
            } else {
                sections[sections.count - 1].entries.append(entry)
            }
        }
    }

    /// Removes a comment, which begins with `#` at the start of a line or after a blank.
    ///
    /// A `#` inside a word is kept, because addresses may contain it.
    private static func withoutComment(_ line: Substring) -> Substring {
        var previous: Character = " "
        for index in line.indices {
            if line[index] == "#", previous.isWhitespace { return line[..<index] }
            previous = line[index]
        }
        return line
    }
}

extension Substring {
    /// The text without white space at both ends.
    package var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return start }
        return start[...last]
    }
}

/// Parsing of Boolean words.
package enum ToggleText {
    /// Returns whether a word means on, or nil if it means neither on nor off.
    package static func isOn(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: nil
        }
    }
}

/// A text of `key = value` lines with `#` comments, in which `[name]` begins a section.
package struct ConfigurationText: Sendable {
    /// One line of the form `key = value`.
    package struct Entry: Sendable, Hashable {
        /// What stands before the first equals sign, without blanks around it.
        package let key: String
        /// What stands after it, without blanks around it.
        package let value: String
        /// The line, counted from 1.
        package let line: Int

        /// A line.
        package init(key: String, value: String, line: Int) {
            self.key = key
            self.value = value
            self.line = line
        }
    }

    /// A section with its lines.
    package struct Section: Sendable, Hashable {
        /// What stands between the brackets, without blanks around it.
        package let name: String
        /// The line of the brackets, counted from 1.
        package let line: Int
        /// The lines up to the next section.
        package internal(set) var entries: [Entry] = []

        /// A section.
        package init(name: String, line: Int, entries: [Entry] = []) {
            self.name = name
            self.line = line
            self.entries = entries
        }
    }

    /// What is wrong with a text, and in which line, counted from 1.
    package struct Fault: Error, Sendable, Hashable {
        /// The line.
        package let line: Int
        /// What is wrong there.
        package let message: String

        /// A fault of a line.
        package init(line: Int, message: String) {
            self.line = line
            self.message = message
        }
    }

    /// The lines before the first section.
    package private(set) var entries: [Entry] = []

    /// The sections, in their order.
    package private(set) var sections: [Section] = []

    /// Reads a text; a line that is neither a section nor of the form `key = value` is a fault.
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

    /// A `#` begins a comment at the start of a line or after a blank, so that it may stand in an address.
    private static func withoutComment(_ line: Substring) -> Substring {
        var previous: Character = " "
        for index in line.indices {
            if line[index] == "#", previous.isWhitespace { return line[..<index] }
            previous = line[index]
        }
        return line
    }
}

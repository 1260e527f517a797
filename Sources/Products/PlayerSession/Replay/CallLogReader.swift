package import MarketProfiles

/// Reads a log of calls in chunks: JSON lines with `at`, `call`, `arguments` and `instance`.
///
/// Empty lines and lines that start with `#` are skipped. A malformed line is returned as unreadable, and reading
/// continues.
package struct CallLogReader: Sendable {
    /// The maximum length of a line in bytes; a longer one is unreadable.
    package static let maximumLineByteCount = 4 << 20

    private var rest: [UInt8] = []
    private var isTooLong = false
    private var number = 0
    private var at = 0.0

    /// Creates a reader at the start of a log.
    package init() {}

    /// Parses the next bytes, and calls `visit` with each line that ends in them.
    package mutating func read(_ bytes: [UInt8], _ visit: (CallLogLine) -> Void) {
        var start = 0
        for (index, byte) in bytes.enumerated() where byte == 0x0A {
            append(bytes[start..<index])
            finishLine(visit)
            start = index + 1
        }
        append(bytes[start...])
    }

    /// Parses the last line, if the log does not end with a newline.
    package mutating func finish(_ visit: (CallLogLine) -> Void) {
        if !rest.isEmpty || isTooLong { finishLine(visit) }
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) {
        if rest.count + bytes.count > Self.maximumLineByteCount {
            isTooLong = true
            rest.removeAll()
        }
        if !isTooLong { rest.append(contentsOf: bytes) }
    }

    private mutating func finishLine(_ visit: (CallLogLine) -> Void) {
        defer {
            rest.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        number += 1
        if !isTooLong {
            guard let first = rest.first(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) else { return }
            if first == UInt8(ascii: "#") { return }
        }
        visit(line())
    }

    private mutating func line() -> CallLogLine {
        guard !isTooLong, case .object(let members)? = MetadataValue(json: rest) else {
            return CallLogLine(number: number, at: at, instance: "", content: .unreadable)
        }
        let object = Metadata(members: members)
        if case .number(let seconds)? = object["at"] { at = seconds }
        let instance = object.text("instance") ?? ""
        guard case .text(let name)? = object["call"] else {
            return CallLogLine(number: number, at: at, instance: instance, content: .unreadable)
        }
        let arguments: [MetadataValue] =
            switch object["arguments"] {
            case nil: []
            case .list(let list): list
            // A value outside a list is the only argument.
            case .some(let value): [value]
            }
        return CallLogLine(
            number: number, at: at, instance: instance, content: .call(name: name, arguments: arguments))
    }
}

/// One line of a log of calls.
package struct CallLogLine: Sendable, Hashable {
    /// The content of a line.
    package enum Content: Sendable, Hashable {
        /// A call, by the name in the line.
        case call(name: String, arguments: [MetadataValue])
        /// The line is not a JSON object with a call.
        case unreadable
    }

    /// The number of the line in the file, from 1; comments count.
    package let number: Int
    /// The seconds since the start, from this line or from the line before.
    package let at: Double
    /// The session that the line is for; empty if the line names none.
    package let instance: String
    /// The content of the line.
    package let content: Content
}

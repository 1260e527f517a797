package import TextForms

/// The result of one line of a log.
package struct ReplayedCall: Sendable, Hashable {
    /// The line.
    package let line: CallLogLine
    /// The result of the call.
    package let result: CallResult

    /// The name of the call in the line; nil if the line is unreadable.
    package var name: String? {
        if case .call(let name, _) = line.content { name } else { nil }
    }

    /// Why the line cannot be read; nil if it can.
    private var problem: String? { line.problem(result.outcome) }

    /// Writes the result as one JSON object.
    ///
    /// - Parameter log: the log that the line belongs to; nil if there is only one.
    package func write(to writer: inout JSONWriter, log: String? = nil) {
        writer.beginObject()
        if let log { writer.write("log", log) }
        writer.write("line", line.number)
        writer.write("at", line.at)
        if !line.instance.isEmpty { writer.write("instance", line.instance) }
        if let name { writer.write("call", name) }
        if let problem { writer.write("reason", problem) }
        result.writeMembers(to: &writer)
        writer.endObject()
    }

    /// The result as a row of a text table.
    package var text: String {
        let answer = result.value.map { "= \(PrintableText.of($0.text))" }
        let findings = (([answer, problem].compactMap(\.self)) + result.details.map(\.description)).joined(
            separator: "; ")
        let code = result.code.map { " \($0.rawValue)" } ?? ""
        let columns = [
            TextColumn.right(String(line.number), 6),
            TextColumn.right(DecimalText.fixed(line.at, decimals: 1), 10),
            TextColumn.left(PrintableText.of(String((name ?? "-").prefix(20))), 20),
            TextColumn.left(result.outcome.rawValue + code, 12), TextColumn.left(result.state.rawValue, 10),
            findings,
        ]
        return String(columns.joined(separator: "  ")[...].trimmedEnd)
    }
}

extension Substring {
    /// The text without trailing spaces.
    fileprivate var trimmedEnd: Substring {
        guard let last = lastIndex(where: { $0 != " " }) else { return "" }
        return self[...last]
    }
}

import NielsenID3
import StreamHealth
import TextForms

/// Formats verdicts as SARIF 2.1.0 (OASIS), for the annotations of a code host and for viewers.
///
/// A group of findings is a result, at the input or at the line of the call. An input without a verdict, or whose
/// verdict `--strict` refuses, has an additional result of the rule `input`. Information is not a result.
package enum SARIFReport {
    /// The schema that the document follows.
    private static let schema =
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

    /// The rule of an input that could not be read, or not completely.
    static let inputRule = "input"

    /// Returns the document, with a final line end.
    ///
    /// - Parameter producer: the program and its version, such as `dtvr 1.0`.
    package static func bytes(_ reports: [any VerdictReport], producer: String) -> [UInt8] {
        var rules: [CheckOutcome] = []
        var indices: [CheckID: Int] = [:]
        for outcome in reports.flatMap(\.outcomes) where indices[outcome.id] == nil {
            indices[outcome.id] = rules.count
            rules.append(outcome)
        }
        var writer = JSONWriter(capacity: 1 << 14)
        writer.beginObject()
        writer.key("$schema")
        writer.value(schema)
        writer.write("version", "2.1.0")
        writer.key("runs")
        writer.beginArray()
        writer.beginObject()
        write(rules, of: producer, to: &writer)
        writer.key("invocations")
        writer.beginArray()
        writer.beginObject()
        writer.key("executionSuccessful")
        writer.value(reports.allSatisfy { $0.error == nil })
        writer.endObject()
        writer.endArray()
        writer.key("results")
        writer.beginArray()
        for report in reports { write(report, indices, rules.count, to: &writer) }
        writer.endArray()
        writer.write("columnKind", "unicodeCodePoints")
        writer.endObject()
        writer.endArray()
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }

    /// Writes the tool with its rules; that of inputs is the last one.
    private static func write(_ rules: [CheckOutcome], of producer: String, to writer: inout JSONWriter) {
        let words = producer.split(separator: " ", maxSplits: 1).map(String.init)
        writer.key("tool")
        writer.beginObject()
        writer.key("driver")
        writer.beginObject()
        writer.write("name", words.first ?? producer)
        if words.count > 1 { writer.write("version", words[1]) }
        writer.key("rules")
        writer.beginArray()
        for outcome in rules {
            let declaration = outcome.declaration
            writer.beginObject()
            writer.write("id", outcome.id.rawValue)
            write("shortDescription", declaration?.title ?? outcome.id.rawValue, to: &writer)
            if let declaration {
                write("fullDescription", declaration.meaning, to: &writer)
                write("help", declaration.action, to: &writer)
                writer.key("defaultConfiguration")
                writer.beginObject()
                writer.write("level", level(declaration.worst))
                writer.endObject()
            }
            writer.endObject()
        }
        writer.beginObject()
        writer.write("id", inputRule)
        write("shortDescription", "An input could not be read or judged completely", to: &writer)
        writer.endObject()
        writer.endArray()
        writer.endObject()
        writer.endObject()
    }

    private static func write(
        _ report: any VerdictReport, _ indices: [CheckID: Int], _ inputIndex: Int, to writer: inout JSONWriter
    ) {
        if let error = report.error {
            writer.beginObject()
            writer.write("ruleId", inputRule)
            writer.write("ruleIndex", inputIndex)
            writer.write("level", "error")
            write("message", error, to: &writer)
            write(Finding.Place(), in: report, to: &writer)
            writer.endObject()
        }
        for annotation in Annotation.all(of: report) {
            writer.beginObject()
            writer.write("ruleId", annotation.check.rawValue)
            writer.write("ruleIndex", indices[annotation.check] ?? 0)
            writer.write("level", level(annotation.status))
            write("message", annotation.message, to: &writer)
            write(annotation.first.place, in: report, to: &writer)
            writer.write("occurrenceCount", annotation.count)
            writer.key("properties")
            writer.beginObject()
            annotation.first.place.writeMembers(to: &writer)
            writer.endObject()
            writer.endObject()
        }
    }

    /// Writes the location of a result: the input, with the line of a call; none for standard input.
    private static func write(
        _ place: Finding.Place, in report: any VerdictReport, to writer: inout JSONWriter
    ) {
        let parts = [("rendition", place.rendition), ("segment", place.segment), ("call", place.call?.name)]
        let logical = parts.filter { $0.1?.isEmpty == false }
        if report.source == "-", logical.isEmpty { return }
        writer.key("locations")
        writer.beginArray()
        writer.beginObject()
        if report.source != "-" {
            writer.key("physicalLocation")
            writer.beginObject()
            writer.key("artifactLocation")
            writer.beginObject()
            writer.write("uri", uri(of: report.source))
            writer.endObject()
            // Code hosts show a result without a line nowhere.
            writer.key("region")
            writer.beginObject()
            writer.write("startLine", max(1, place.call?.line ?? 1))
            writer.endObject()
            writer.endObject()
        }
        if !logical.isEmpty {
            writer.key("logicalLocations")
            writer.beginArray()
            for (kind, name) in logical {
                writer.beginObject()
                writer.write("name", name)
                writer.write("kind", kind)
                writer.endObject()
            }
            writer.endArray()
        }
        writer.endObject()
        writer.endArray()
    }

    private static func write(_ key: String, _ text: String, to writer: inout JSONWriter) {
        writer.key(escaping: key)
        writer.beginObject()
        writer.write("text", text)
        writer.endObject()
    }

    private static func level(_ status: CheckStatus) -> String {
        switch status {
        case .fail: "error"
        case .warn: "warning"
        case .pass, .notRun: "note"
        }
    }

    /// Returns the URI of a path or of an address (RFC 3986).
    ///
    /// A relative path stays relative, as code hosts require.
    static func uri(of source: String) -> String {
        guard source.contains("://") else {
            let path = source.split(separator: "/", omittingEmptySubsequences: false)
                .map { PercentEncoding.encoded(String($0)) }.joined(separator: "/")
            return source.hasPrefix("/") ? "file://" + path : path
        }
        return source.map { character in
            let isInvalid = !character.isASCII || " \"<>\\^`{|}".contains(character) || character < " "
            return isInvalid ? PercentEncoding.encoded(String(character)) : String(character)
        }.joined()
    }
}

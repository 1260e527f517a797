import TextForms

/// Reads a log of calls in chunks: JSON lines with `at`, `call`, `arguments` and `instance`.
///
/// Empty lines and lines that start with `#` are skipped. A malformed line is returned as unreadable, and reading
/// continues.
package struct CallLogReader: Sendable {
    /// The maximum length of a line in bytes; a longer one is unreadable.
    package static let maximumLineByteCount = 4 << 20

    private var lines = LineSplitter(maximumByteCount: maximumLineByteCount)
    private var at = 0.0
    /// The session of the last call, to which the addresses after it belong.
    private var lastInstance = ""
    /// The translation of records; nil if a record is unreadable.
    private var records: RecordCalls?

    /// Creates a reader at the start of a log.
    ///
    /// - Parameter acceptsRecords: whether a line may also be a record of a player, as a buffer exports it, the address
    ///   of a request, or the `vars` of an AMP page.
    package init(acceptsRecords: Bool = false) { records = acceptsRecords ? RecordCalls() : nil }

    /// Parses the next bytes, and calls `visit` with each line that ends in them.
    package mutating func read(_ bytes: [UInt8], _ visit: (CallLogLine) -> Void) {
        lines.append(bytes)
        visitLines(visit)
    }

    /// Parses the last line, if the log does not end with a newline.
    package mutating func finish(_ visit: (CallLogLine) -> Void) {
        lines.finish()
        visitLines(visit)
    }

    private mutating func visitLines(_ visit: (CallLogLine) -> Void) {
        while let line = lines.next() {
            guard case .text(let bytes) = line else {
                visit(unreadable("it has more than \(Self.maximumLineByteCount >> 20) MiB"))
                continue
            }
            guard let first = bytes.first(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }),
                first != UInt8(ascii: "#")
            else { continue }
            if records != nil, let address = Self.address(in: bytes) {
                visit(
                    CallLogLine(
                        number: lines.number, at: at, instance: lastInstance, content: .address(address)))
                continue
            }
            for line in calls(in: bytes) { visit(line) }
        }
    }

    private func unreadable(_ reason: String, instance: String = "") -> CallLogLine {
        CallLogLine(
            number: lines.number, at: at, instance: instance, content: .unreadable(reason: reason))
    }

    /// Returns why a line is not a JSON object; only for one that is not.
    private static func problem(of line: [UInt8]) -> String {
        do throws(JSONReader.JSONError) {
            _ = try JSONReader.kind(of: line.span, in: 0..<line.count)
            return "it is JSON, but not an object"
        } catch {
            return switch error {
            case .malformed(let offset) where offset >= line.count: "its JSON is incomplete"
            case .malformed(let offset), .otherKind(let offset): "it is not JSON at column \(offset + 1)"
            case .tooDeep(let offset): "its JSON is nested too deep at column \(offset + 1)"
            }
        }
    }

    /// Returns why an object is not a line of a log; only for one that is not.
    private func problem(of object: Metadata) -> String {
        if object["call"] != nil { return "its 'call' is not a text" }
        guard records != nil else { return "it has no 'call'" }
        guard let kind = object.text("kind") else { return "it has no 'call', and no 'kind' of a record" }
        switch kind {
        case "app": return "it is a record of the kind app without 'app'"
        case "asset": return "it is a record of the kind asset without 'metadata'"
        default:
            let shown = PrintableText.of(String(kind.prefix(40)))
            return "it has no 'call', and players have no records of the kind '\(shown)'"
        }
    }

    private mutating func calls(in bytes: [UInt8]) -> [CallLogLine] {
        guard case .object(let members)? = MetadataValue(json: bytes) else {
            return [unreadable(Self.problem(of: bytes))]
        }
        let object = Metadata(members: members)
        if case .number(let seconds)? = object["at"] { at = seconds }
        let instance = object.text("instance") ?? ""
        lastInstance = instance
        guard case .text(let name)? = object["call"] else {
            if records != nil, let page = Self.page(in: object) {
                return [CallLogLine(number: lines.number, at: at, instance: instance, content: .page(page))]
            }
            guard let record = records?.calls(of: object) else {
                return [unreadable(problem(of: object), instance: instance)]
            }
            return record.calls.map { line(record.instance, $0.name, $0.arguments) }
        }
        let arguments: [MetadataValue] =
            switch object["arguments"] {
            case nil: []
            case .list(let list): list
            // A value outside a list is the only argument.
            case .some(let value): [value]
            }
        let isOptedOut: Bool? = if case .flag(let isOut)? = object["opted_out"] { isOut } else { nil }
        return [line(instance, name, arguments, isOptedOut: isOptedOut)]
    }

    /// Returns the address in a line without anything else; nil if the line is another one.
    private static func address(in line: [UInt8]) -> String? {
        let text = line.drop { $0 == 0x20 || $0 == 0x09 }
        let start = String(decoding: text.prefix(8), as: UTF8.self).lowercased()
        guard start.hasPrefix("http://") || start == "https://" else { return nil }
        return String(validating: text, as: UTF8.self).map { String($0[...].trimmed) }
    }

    /// Returns the `vars` of an AMP page; nil if the object has none.
    private static func page(in object: Metadata) -> Metadata? {
        if case .object(let members)? = object["vars"] { return Metadata(members: members) }
        return object["apid"] != nil && object["prefix"] != nil ? object : nil
    }

    private func line(
        _ instance: String, _ name: String, _ arguments: [MetadataValue], isOptedOut: Bool? = nil
    ) -> CallLogLine {
        CallLogLine(
            number: lines.number, at: at, instance: instance,
            content: .call(name: name, arguments: arguments),
            isOptedOut: isOptedOut)
    }
}

/// One line of a log of calls.
package struct CallLogLine: Sendable, Hashable {
    /// The content of a line.
    package enum Content: Sendable, Hashable {
        /// A call, by the name in the line.
        case call(name: String, arguments: [MetadataValue])
        /// The address of a request that a measurement SDK may have made.
        case address(String)
        /// The `vars` of an AMP page.
        case page(Metadata)
        /// Any other line, with the reason.
        case unreadable(reason: String)
    }

    /// The number of the line in the file, from 1; comments count.
    package let number: Int
    /// The seconds since the start, from this line or from the line before.
    package let at: Double
    /// The session that the line is for; empty if the line names none.
    package let instance: String
    /// The content of the line.
    package let content: Content
    /// Why the line cannot be read, which begins with "it"; nil if it can.
    ///
    /// A call cannot be read if its session is one too many.
    package func problem(_ outcome: CallOutcome) -> String? {
        if case .unreadable(let reason) = content { return reason }
        guard outcome == .unreadable else { return nil }
        return "it belongs to another session than the first \(CallEvaluation.maximumSessionCount)"
    }

    /// Whether the user had opted out before the call; nil if the line does not say so.
    package let isOptedOut: Bool?

    /// Creates a line.
    package init(
        number: Int, at: Double, instance: String, content: Content, isOptedOut: Bool? = nil
    ) {
        self.number = number
        self.at = at
        self.instance = instance
        self.content = content
        self.isOptedOut = isOptedOut
    }
}

/// Translates the records of players, as a buffer exports them, into the calls that led to them.
///
/// Records have no playhead of each second and no interruptions, so the calls have neither.
struct RecordCalls: Sendable {
    /// The last viewing session of each app session.
    private var viewings: [String: String] = [:]

    /// Returns the calls of a record, and the name of its session; nil if the object is not a record of a player.
    mutating func calls(
        of record: Metadata
    ) -> (instance: String, calls: [(name: String, arguments: [MetadataValue])])? {
        let instance = record.text("app_session") ?? ""
        if case .text(let owner)? = record["owner"] { return (instance, [("sendID3", [.text(owner)])]) }
        switch record.text("kind") {
        case "app":
            guard let app = record["app"] else { return nil }
            let isOptedOut = record["opted_out"] == .flag(true)
            let choice = isOptedOut ? [("userOptOut", [MetadataValue.text("nielsenappsdk://1")])] : []
            return (instance, [("init", [app])] + choice)
        case "asset":
            guard let metadata = record["metadata"] else { return nil }
            var calls: [(String, [MetadataValue])] = []
            if let viewing = record.text("session"), viewings[instance] != viewing {
                if viewings.count < CallEvaluation.maximumSessionCount { viewings[instance] = viewing }
                // Records do not say whether an app called a bare `play`.
                let channel = record["channel_info"]?.members ?? []
                if metadata.members.flatMap({ Metadata(members: $0).text("type") })
                    != AssetType.static.rawValue
                {
                    calls.append(("play", channel.isEmpty ? [] : [.object(channel)]))
                }
            }
            if metadata.members?.isEmpty == false { calls.append(("loadMetadata", [metadata])) }
            return (instance, calls)
        case "session", "run": return (instance, [])
        default: return nil
        }
    }
}

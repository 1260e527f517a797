import TextForms

/// Reads a log of calls in chunks: JSON lines with `at`, `call`, `arguments` and `instance`.
///
/// Empty lines and lines that start with `#` are skipped. The prefix that a logger writes before a call is left out,
/// and so are the brackets and commas of a list with an element in each line. A malformed line is returned as
/// unreadable, and reading continues.
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
                first != UInt8(ascii: "#"), !Self.isBracket(bytes)
            else { continue }
            if records != nil, let address = Self.address(in: bytes) {
                visit(
                    CallLogLine(
                        number: lines.number, at: at, instance: lastInstance, content: .address(address)))
                continue
            }
            visitCalls(in: bytes, visit)
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

    private mutating func visitCalls(in bytes: [UInt8], _ visit: (CallLogLine) -> Void) {
        guard let members = CallMembers(bytes) else {
            if let object = Self.enclosedCall(in: bytes) { return visitCalls(in: object, visit) }
            return visit(unreadable(Self.problem(of: bytes)))
        }
        if case .number(let seconds)? = members.at { at = seconds }
        var instance = ""
        if let text = members.instance?.scalarText { instance = text }
        lastInstance = instance
        guard case .text(let name)? = members.call else {
            return visitOther(bytes, instance, visit)
        }
        let arguments: [MetadataValue] =
            switch members.arguments {
            case nil: []
            case .list(let list)?: list
            // A value outside a list is the only argument.
            case let value?: [value]
            }
        let isOptedOut: Bool? = if case .flag(let isOut)? = members.isOptedOut { isOut } else { nil }
        visit(line(instance, name, arguments, isOptedOut: isOptedOut))
    }

    /// Returns the call in a line that has other text around it, such as the prefix of a logger or the comma of a list.
    private static func enclosedCall(in line: [UInt8]) -> [UInt8]? {
        guard let start = line.firstIndex(of: UInt8(ascii: "{")),
            let end = line.lastIndex(of: UInt8(ascii: "}")), start < end
        else { return nil }
        let object = Array(line[start...end])
        return object.count < line.count && CallMembers(object)?.call != nil ? object : nil
    }

    /// Returns whether a line is only a bracket of a list, whose elements are in lines of their own.
    private static func isBracket(_ line: [UInt8]) -> Bool {
        let text = line.filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
        return text == [UInt8(ascii: "[")] || text == [UInt8(ascii: "]")]
    }

    /// Visits the calls of an object that names no call.
    private mutating func visitOther(_ bytes: [UInt8], _ instance: String, _ visit: (CallLogLine) -> Void) {
        guard let object = MetadataValue(json: bytes).flatMap({ Metadata($0) }) else {
            return visit(unreadable(Self.problem(of: bytes), instance: instance))
        }
        if records != nil, let page = Self.page(in: object) {
            return visit(CallLogLine(number: lines.number, at: at, instance: instance, content: .page(page)))
        }
        guard let record = records?.calls(of: object) else {
            return visit(unreadable(problem(of: object), instance: instance))
        }
        for call in record.calls { visit(line(record.instance, call.name, call.arguments)) }
    }

    /// Returns the address in a line without anything else; nil if the line is another one.
    private static func address(in line: [UInt8]) -> String? {
        let text = line.drop { $0 == 0x20 || $0 == 0x09 }
        guard let first = text.first, first | 0x20 == UInt8(ascii: "h") else { return nil }
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

/// The members of a line that describe a call, without regard to the case of their keys.
///
/// Of several members with one key, the last one counts. A member without a value is nil.
private struct CallMembers {
    private enum Key: String {
        case at, instance, call, arguments
        case isOptedOut = "opted_out"
    }

    private(set) var at: MetadataValue?
    private(set) var instance: MetadataValue?
    private(set) var call: MetadataValue?
    private(set) var arguments: MetadataValue?
    private(set) var isOptedOut: MetadataValue?

    /// Creates the members of an object; nil for any other line.
    init?(_ line: [UInt8]) {
        let bytes = line.span
        do throws(JSONReader.JSONError) {
            try JSONReader.members(of: bytes, in: 0..<bytes.count) {
                name, place, kind throws(JSONReader.JSONError) in
                guard let key = Self.key(bytes, name) else { return }
                let given = try MetadataValue.value(of: bytes, in: place, kind)
                // The literal `nil` would be the value null.
                let value: MetadataValue? = given.isAbsent ? .none : given
                switch key {
                case .at: at = value
                case .instance: instance = value
                case .call: call = value
                case .arguments: arguments = value
                case .isOptedOut: isOptedOut = value
                }
            }
        } catch {
            return nil
        }
    }

    private static func key(_ line: Span<UInt8>, _ name: Range<Int>) -> Key? {
        // The usual names, without a copy of the text.
        if JSONReader.string(line, in: name, is: "at") { return .at }
        if JSONReader.string(line, in: name, is: "instance") { return .instance }
        if JSONReader.string(line, in: name, is: "call") { return .call }
        if JSONReader.string(line, in: name, is: "arguments") { return .arguments }
        return Key(rawValue: JSONReader.string(line, in: name).lowercased())
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

import ByteReading
import HLSPlaylist
package import PlayerSession
import TextForms

/// Reads the pings in a HAR file (HTTP Archive 1.2) in chunks, as mitmproxy, Charles and browsers write it.
///
/// Memory depends on neither the number of entries nor their size. Responses and unknown members are skipped, as are
/// requests that are not pings. A ping is an address, to which the form in the body of its request is added.
package struct HARReader: Sendable {
    /// An object or an array that has members of interest; `other` for any other.
    private enum Node: Sendable, Hashable {
        case root, log, entries, entry, request, body, parameters, parameter, other
    }

    /// The members of an entry.
    private struct Entry: Sendable {
        var started = ""
        var address = ""
        var body = ""
        var encoding = ""
        /// The parameters as a form.
        var form = ""
        var name = ""
        var value = ""
        /// Whether the address, the body or the form is too long or invalid.
        var isUnreadable = false
    }

    /// The maximum size of a decompressed body, and of a form.
    private static let maximumBodyByteCount = 1 << 20
    /// The maximum number of pings in an entry, and of bytes in their addresses.
    private static let maximumPingCount = 1_000
    private static let maximumPingByteCount = 16 << 20

    private var tokens = JSONTokenizer()
    private var nodes: [Node] = []
    private var key = ""
    private var entry = Entry()
    /// The number of the current entry, from 1; 0 before the first.
    private var number = 0
    private var start: Int64?
    private var at = 0.0
    private var isMalformed = false
    /// The number of bytes before the chunk.
    private var byteCount = 0

    /// Creates a reader at the start of a file.
    package init() {}

    /// Parses the next bytes, and calls `visit` with each ping that ends in them, numbered by its entry.
    package mutating func read(_ bytes: [UInt8], _ visit: (CallLogLine) -> Void) {
        var index = 0
        while let token = tokens.next(in: bytes, at: &index) { follow(token, at: byteCount + index, visit) }
        byteCount += bytes.count
    }

    /// Ends the file; one that is truncated has an unreadable line.
    package mutating func finish(_ visit: (CallLogLine) -> Void) {
        if !isMalformed, !tokens.isComplete { visit(unreadable("the JSON of the file is incomplete")) }
    }

    private mutating func follow(
        _ token: JSONTokenizer.Token, at position: Int, _ visit: (CallLogLine) -> Void
    ) {
        switch token {
        case .begin(let isObject):
            let node = Self.child(of: nodes.last, key, isObject: isObject)
            if node == .entry {
                entry = Entry()
                number += 1
            }
            if node == .parameter { (entry.name, entry.value) = ("", "") }
            nodes.append(node)
            key = ""
        case .end:
            switch nodes.popLast() {
            case .entry?: finishEntry(visit)
            case .parameter?:
                let parameter = "\(Self.escaped(entry.name))=\(Self.escaped(entry.value))"
                if entry.form.utf8.count + parameter.utf8.count < Self.maximumBodyByteCount {
                    entry.form += entry.form.isEmpty ? parameter : "&" + parameter
                } else {
                    entry.isUnreadable = true
                }
            default: break
            }
        case .key(let name):
            guard let node = nodes.last, node != .other else { break }
            key = Self.text(name)
            tokens.keepsNextString = Self.member(of: node, key) != nil
        case .string(let text):
            guard let node = nodes.last, let member = Self.member(of: node, key) else { break }
            if let text { entry[keyPath: member] = Self.text(text) } else { entry.isUnreadable = true }
        case .scalar: break
        case .malformed:
            isMalformed = true
            visit(unreadable("the file is not JSON at byte \(position)"))
        }
    }

    private static func child(of node: Node?, _ key: String, isObject: Bool) -> Node {
        switch (node, key, isObject) {
        case (nil, _, true): .root
        case (.root?, "log", true): .log
        case (.log?, "entries", false): .entries
        case (.entries?, _, true): .entry
        case (.entry?, "request", true): .request
        case (.request?, "postData", true): .body
        case (.body?, "params", false): .parameters
        case (.parameters?, _, true): .parameter
        default: .other
        }
    }

    private static func member(of node: Node, _ key: String) -> WritableKeyPath<Entry, String>? {
        switch (node, key) {
        case (.entry, "startedDateTime"): \.started
        case (.request, "url"): \.address
        case (.body, "text"): \.body
        // Not in the specification: written for bodies that are not text.
        case (.body, "encoding"): \.encoding
        case (.parameter, "name"): \.name
        case (.parameter, "value"): \.value
        default: nil
        }
    }

    /// Returns the text of a string with its quotation marks.
    private static func text(_ string: [UInt8]) -> String {
        string.count < 2 ? "" : JSONReader.string(string.span, in: 0..<string.count)
    }

    private mutating func finishEntry(_ visit: (CallLogLine) -> Void) {
        let started = Array(entry.started.utf8)
        if let time = ProgramDateTime.milliseconds(in: started.span, 0..<started.count) {
            let first = start ?? time
            start = first
            at = max(at, (Double(time) - Double(first)) / 1_000)
        }
        guard Ping.isPath(of: entry.address) else {
            // The unreadable address may be that of a ping.
            if entry.address.isEmpty, entry.isUnreadable { visit(unreadable(Self.unreadableMember)) }
            return
        }
        guard !entry.isUnreadable else { return visit(unreadable(Self.unreadableMember)) }
        guard let body = Self.body(of: entry) else {
            return visit(unreadable("the body of its request cannot be decoded"))
        }
        visitPings(of: entry.address.prefix { $0 != "#" }, body, visit)
    }

    /// Visits the ping of each line of a body while it is parsed.
    ///
    /// A few bytes can decompress to many lines, and each ping repeats the address. Beyond a limit, the rest of the
    /// entry is one unreadable line.
    private func visitPings(of address: Substring, _ body: String, _ visit: (CallLogLine) -> Void) {
        var rest = body[...]
        var pingCount = 0
        var byteCount = 0
        while !rest.isEmpty {
            let part = rest.prefix { !$0.isNewline }
            rest = rest[part.endIndex...].dropFirst()
            guard part.contains("=") else { continue }
            // A blank in a form is a plus sign, and a number sign begins a fragment only in an address.
            let form = part.replacing("+", with: " ").replacing("#", with: "%23")
            pingCount += 1
            byteCount += address.utf8.count + 1 + form.utf8.count
            guard pingCount <= Self.maximumPingCount, byteCount <= Self.maximumPingByteCount else {
                return visit(
                    unreadable(
                        "its request has more than \(Self.maximumPingCount) pings, or more than "
                            + "\(Self.maximumPingByteCount >> 20) MiB of them"))
            }
            visit(line(.address(address + (address.contains("?") ? "&" : "?") + form)))
        }
        if pingCount == 0 { visit(line(.address(String(address)))) }
    }

    private static let unreadableMember =
        "its address, a body or a parameter is longer than \(maximumBodyByteCount >> 20) MiB, or is not UTF-8"

    private func unreadable(_ reason: String) -> CallLogLine { line(.unreadable(reason: reason)) }

    private func line(_ content: CallLogLine.Content) -> CallLogLine {
        CallLogLine(number: max(number, 1), at: at, instance: "", content: content)
    }

    /// Returns the decoded body of the request, empty without one; nil if it cannot be decoded.
    private static func body(of entry: Entry) -> String? {
        guard !entry.body.isEmpty else { return entry.form }
        var bytes = Array(entry.body.utf8)
        if entry.encoding.lowercased() == "base64" {
            bytes.removeAll { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
            guard let decoded = Base64.bytes(bytes.span) else { return nil }
            bytes = decoded
        } else if entry.body.unicodeScalars.first == "\u{1F}" {
            // A compressed body as text: one character for each byte.
            bytes = entry.body.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        }
        guard bytes.starts(with: [0x1F, 0x8B]) else { return String(decoding: bytes, as: UTF8.self) }
        var text: [UInt8] = []
        do throws(CompressionError) {
            try Inflation.inflate(
                bytes.span, .gzip, maximumByteCount: maximumBodyByteCount, appendingTo: &text)
        } catch {
            return nil
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns a text of a form with its separators encoded.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "%": escaped += "%25"
            case "&": escaped += "%26"
            case "+": escaped += "%2B"
            case "=": escaped += "%3D"
            case "\n", "\r": escaped += "%0A"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

import ByteReading
package import NielsenID3
import TextForms

extension NielsenTag {
    /// Returns the tag's fields as human-readable text, one line per field.
    ///
    /// - Parameter problems: The checks that the tag fails.
    package func textLines(problems: [CheckID]) -> [String] {
        var lines = [
            Self.line("owner", TagFieldValue.text(latin1: ownerIdentifier)),
            Self.line("kind", kind?.name ?? "cannot be read"),
            Self.line("sequence", sequence.map { String($0) } ?? "-"),
            Self.line("first", Self.time(firstTime)),
            Self.line("last", Self.time(lastTime)),
            Self.line("PC CID", Self.text(pcCID)),
            Self.line("PC offset", Self.offset(pcOffset)),
            Self.line("FD CID", Self.text(fdCID)),
            Self.line("FD offset", Self.offset(fdOffset)),
            Self.line("breakout", breakout.map { $0 < 10 ? "0\($0)" : String($0) } ?? "-"),
            Self.line("checksum", checksumText),
            Self.line(
                "problems", problems.isEmpty ? "none" : problems.map(\.rawValue).joined(separator: " ")),
        ]
        if let formatDefect { lines.append(Self.line("", formatDefect.description)) }
        return lines
    }

    private var checksumText: String {
        guard let storedChecksum, let computedChecksum else { return "-" }
        let stored = Self.hexadecimal(storedChecksum)
        if storedChecksum == computedChecksum { return "\(stored), valid" }
        return "\(stored), but computed \(Self.hexadecimal(computedChecksum))"
    }

    private static func line(_ name: String, _ value: String) -> String {
        TextColumn.left(name, 10) + " " + value
    }

    private static func time(_ seconds: UInt32?) -> String {
        guard let seconds else { return "-" }
        return "\(RFC3339.tableText(unixSeconds: Int64(seconds))) UTC (\(seconds))"
    }

    private static func text(_ id: ContentID?) -> String {
        guard let id else { return "-" }
        return id == .null ? "\(id.text) (no watermark)" : id.text
    }

    private static func offset(_ seconds: Int?) -> String { seconds.map { "\($0) s" } ?? "-" }

    private static func hexadecimal(_ value: UInt16) -> String {
        "0x" + Hexadecimal.text(of: value)
    }
}

import ByteReading
package import NielsenID3
import TextForms

extension NielsenTag {
    /// Returns the tag's fields as human-readable text, one line per field.
    ///
    /// - Parameter problems: The checks that the tag fails.
    package func textLines(problems: [CheckID]) -> [String] {
        var lines = [
            Self.textLine("owner", TagFieldValue.text(latin1: ownerIdentifier)),
            Self.textLine("kind", kind?.name ?? "cannot be read"),
            Self.textLine("sequence", sequence.map { String($0) } ?? "-"),
            Self.textLine("first", Self.time(firstTime)),
            Self.textLine("last", Self.time(lastTime)),
            Self.textLine("PC CID", Self.text(pcCID)),
            Self.textLine("PC offset", Self.offset(pcOffset)),
            Self.textLine("FD CID", Self.text(fdCID)),
            Self.textLine("FD offset", Self.offset(fdOffset)),
            Self.textLine("breakout", breakout.map { $0 < 10 ? "0\($0)" : String($0) } ?? "-"),
            Self.textLine("checksum", checksumText),
            Self.textLine(
                "problems", problems.isEmpty ? "none" : problems.map(\.rawValue).joined(separator: " ")),
        ]
        if let formatDefect { lines.append(Self.textLine("", formatDefect.description)) }
        return lines
    }

    private var checksumText: String {
        guard let storedChecksum, let computedChecksum else { return "-" }
        let stored = Self.hexadecimal(storedChecksum)
        if storedChecksum == computedChecksum { return "\(stored), valid" }
        return "\(stored), but computed \(Self.hexadecimal(computedChecksum))"
    }

    /// Returns the line of a field in the form of `textLines`.
    package static func textLine(_ name: String, _ value: String) -> String {
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

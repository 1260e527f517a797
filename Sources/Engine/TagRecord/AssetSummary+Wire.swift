import NielsenID3
package import TextForms

extension AssetSummary {
    /// Writes the members of the object that a collector receives.
    package func writeWireMembers(id: String, received: Int64, to writer: inout JSONWriter) {
        writer.key("id")
        writer.value(id)
        writer.key("received")
        writer.value(time: received)
        session.writeMembers(to: &writer)
        writer.key("kind")
        writer.value("session")
        writer.key("first_playhead")
        writer.value(firstPlayhead)
        writer.key("watched")
        writer.value(watched)
    }

    /// The cells of the summary in a table of tags; columns that do not apply contain a dash.
    package var textCells: [String] {
        let seconds = session.playhead.map { DecimalText.fixed($0, decimals: 3, unknown: "-") } ?? "-"
        let asset = session.asset.map(PrintableText.of) ?? "-"
        return [seconds, "session", "-", "-", "-", "-", "-", asset, "player", "-"]
    }
}

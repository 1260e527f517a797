import NielsenID3
import TextForms

extension SessionPlace {
    /// Writes the members that are common to all records of a player.
    func writeMembers(to writer: inout JSONWriter) {
        writer.key("session")
        writer.value(id)
        writer.key("order")
        writer.value(decimal: order)
        for (key, text) in [("channel", channel), ("asset", asset), ("type", assetType)] {
            guard let text else { continue }
            writer.key(key)
            writer.value(text)
        }
        for (key, number) in [("playhead", playhead), ("media_time", mediaTime)] {
            guard let number else { continue }
            writer.key(key)
            writer.value(number)
        }
        guard optedOutStore != nil else { return }
        writer.key("opted_out")
        writer.value(true)
    }
}

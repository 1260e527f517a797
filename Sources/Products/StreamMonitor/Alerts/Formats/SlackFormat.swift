import NielsenID3
import TextForms

/// Slack: a message of an incoming webhook, with blocks and the text for notifications.
extension AlertNotice {
    /// The maximum lengths of the text of a section and of a field, in characters.
    private static let maximumSectionLength = 3_000
    private static let maximumFieldLength = 2_000

    /// Writes the message.
    func writeSlack(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("text", Self.escaped(headline, to: Self.maximumSectionLength))
        writer.key("blocks")
        writer.beginArray()
        let sign = isCleared ? ":white_check_mark:" : alert.severity == .fail ? ":red_circle:" : ":warning:"
        Self.write("\(sign) *\(Self.escaped(subject, to: 500))*", detail, to: &writer)
        writer.beginObject()
        writer.write("type", "section")
        writer.key("fields")
        writer.beginArray()
        for (name, text) in rows {
            Self.writeText("*\(name)*\n\(Self.escaped(text, to: Self.maximumFieldLength - 20))", to: &writer)
        }
        writer.endArray()
        writer.endObject()
        if !isCleared, let advice { Self.write("*What to do*", advice, to: &writer) }
        if !links.isEmpty {
            writer.beginObject()
            writer.write("type", "context")
            writer.key("elements")
            writer.beginArray()
            for (title, address) in links {
                Self.writeText("<\(Self.address(address))|\(Self.escaped(title, to: 100))>", to: &writer)
            }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Writes a section with a heading that is marked up, and a text of others.
    private static func write(_ heading: String, _ text: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("type", "section")
        writer.key("text")
        writeText("\(heading)\n\(escaped(text, to: maximumSectionLength - heading.count - 1))", to: &writer)
        writer.endObject()
    }

    private static func writeText(_ text: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("type", "mrkdwn")
        writer.write("text", text)
        writer.endObject()
    }

    /// Returns a text in which nothing is a link, a mention or a channel, cut between characters.
    private static func escaped(_ text: String, to length: Int) -> String {
        var result = ""
        var count = 0
        for character in text {
            let piece =
                switch character {
                case "&": "&amp;"
                case "<": "&lt;"
                case ">": "&gt;"
                default: String(character)
                }
            count += piece.utf16.count
            guard count <= length else { break }
            result += piece
        }
        return result
    }

    /// Returns an address for a link, which must not end before its title.
    private static func address(_ address: String) -> String {
        address.replacing("&", with: "&amp;").replacing("|", with: "%7C").replacing("<", with: "%3C")
            .replacing(">", with: "%3E")
    }
}

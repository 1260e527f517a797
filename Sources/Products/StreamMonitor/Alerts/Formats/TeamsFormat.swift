import NielsenID3
import TextForms

/// Microsoft Teams: a message with an Adaptive Card, for the workflow "Post to a channel when a webhook request is
/// received".
///
/// Texts of others are `TextRun`s, which have no markup.
extension AlertNotice {
    /// Writes the message.
    func writeTeams(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("type", "message")
        writer.key("attachments")
        writer.beginArray()
        writer.beginObject()
        writer.write("contentType", "application/vnd.microsoft.card.adaptive")
        writer.key("contentUrl")
        writer.null()
        writer.key("content")
        writeCard(to: &writer)
        writer.endObject()
        writer.endArray()
        writer.endObject()
    }

    private func writeCard(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("$schema", "http://adaptivecards.io/schemas/adaptive-card.json")
        writer.write("type", "AdaptiveCard")
        writer.write("version", "1.4")
        writer.key("fallbackText")
        writer.value(headline)
        writer.key("body")
        writer.beginArray()
        let color = isCleared ? "good" : alert.severity == .fail ? "attention" : "warning"
        let word = isCleared ? "Cleared" : alert.severity == .fail ? "Failure" : "Warning"
        Self.write([(word, color, true), (": \(subject)", nil, true)], size: "medium", to: &writer)
        Self.write([(detail, nil, false)], to: &writer)
        for (name, text) in rows { Self.write([("\(name): ", nil, true), (text, nil, false)], to: &writer) }
        if !isCleared, let advice {
            Self.write([("What to do: ", nil, true), (advice, nil, false)], to: &writer)
        }
        writer.endArray()
        writer.key("actions")
        writer.beginArray()
        for (title, address) in links {
            writer.beginObject()
            writer.write("type", "Action.OpenUrl")
            writer.write("title", title)
            writer.write("url", address)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    /// Writes a line of texts, each with a color and whether it is bold.
    private static func write(
        _ texts: [(text: String, color: String?, isBold: Bool)], size: String = "default",
        to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.write("type", "RichTextBlock")
        writer.key("inlines")
        writer.beginArray()
        for (text, color, isBold) in texts {
            writer.beginObject()
            writer.write("type", "TextRun")
            writer.write("text", text)
            writer.write("size", size)
            if let color { writer.write("color", color) }
            if isBold { writer.write("weight", "bolder") }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}

import ByteReading
import NielsenID3
import TextForms

/// PagerDuty: the Events API v2, `POST https://events.pagerduty.com/v2/enqueue`.
extension AlertNotice {
    /// The maximum length of a deduplication key, in characters.
    private static let maximumKeyLength = 255

    /// Writes the event without the routing key, which is not stored.
    func writePagerDuty(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("event_action", isCleared ? "resolve" : "trigger")
        writer.write("dedup_key", Self.key(of: alert.id))
        writer.key("payload")
        writer.beginObject()
        writer.write("summary", headline)
        writer.write("source", alert.channel ?? subject)
        writer.write("severity", urgency)
        writer.key("timestamp")
        writer.value(time: time)
        writer.write("component", subject)
        writer.write("class", alert.check.rawValue)
        writer.key("custom_details")
        writer.beginObject()
        writer.write("detail", detail)
        if let advice { writer.write("what to do", advice) }
        for (name, text) in rows {
            writer.key(escaping: name.lowercased())
            writer.value(text)
        }
        if let page = facts.page { writer.write("page", page) }
        writer.endObject()
        writer.endObject()
        writer.key("links")
        writer.beginArray()
        for (title, address) in links {
            writer.beginObject()
            writer.write("href", address)
            writer.write("text", title)
            writer.endObject()
        }
        writer.endArray()
        writer.write("client", "dtvr monitor")
        if let page = facts.page { writer.write("client_url", page) }
        writer.endObject()
    }

    /// Returns the id of an alert, or its digest if the id is too long.
    private static func key(of id: String) -> String {
        id.count <= maximumKeyLength ? id : "sha256:\(Hexadecimal.text(Digest.sha256(Array(id.utf8))))"
    }
}

import NielsenID3
import StreamHealth
import TagStore
import TextForms

extension ChannelFeed.Update {
    /// The update as a JSON object, without `alerts` if they have not changed.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 1_024 + 384 * channels.count)
        writer.beginObject()
        writer.key("at")
        writer.value(time: time)
        channels.writeMember(to: &writer)
        if let alerts {
            writer.key("alerts")
            writer.beginArray()
            for alert in alerts { alert.write(to: &writer) }
            writer.endArray()
        }
        writer.write("alert_count", alertCount)
        writer.write("waiting", totals.inStore)
        writer.write("delivered", totals.delivered)
        writer.write("lost", totals.losses.total)
        writer.endObject()
        return writer.bytes
    }
}

extension OpenAlert {
    /// Writes the alert as a JSON object, with the same keys as its output line.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("id", id)
        switch self {
        case .channel(let alert): writer.write("channel", alert.channel)
        case .host(let alert):
            writer.write("channel", nil as String?)
            writer.write("host", alert.host)
            writer.key("channels")
            writer.beginArray()
            for channel in alert.channels { writer.value(channel) }
            writer.endArray()
        }
        writer.write("check", check.rawValue)
        writer.write("severity", severity.rawValue)
        writer.key("since")
        writer.value(time: Int64(exactly: (since * 1_000).rounded()) ?? 0)
        writer.write("detail", detail)
        writer.endObject()
    }
}

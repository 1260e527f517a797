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
            for alert in alerts {
                writer.beginObject()
                writer.write("id", alert.id)
                alert.writeScope(to: &writer)
                alert.writeProblem(to: &writer)
                writer.endObject()
            }
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

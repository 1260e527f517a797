import NielsenID3
package import StreamHealth
package import TextForms

extension Finding {
    /// Writes the members of the finding's JSON object.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.write("status", status.rawValue)
        if let call = place.call {
            writer.write("line", call.line)
            writer.write("at", number: call.at)
            if !call.instance.isEmpty { writer.write("instance", call.instance) }
            writer.write("call", call.name)
            if let viewing = call.viewing { writer.write("viewing", viewing) }
            if let playhead = call.playhead { writer.write("playhead", number: playhead) }
            writeSubject(to: &writer)
            return writeDetail(to: &writer)
        }
        if let rendition = place.rendition { writer.write("rendition", rendition) }
        writer.write("segment", place.segment)
        if let sequence = place.mediaSequence { writer.write("media_sequence", sequence) }
        if let position = place.position { writer.write("position", position) }
        writer.write("seconds", place.seconds)
        if let pts = place.pts { writer.write("pts", pts) }
        writer.write("sequence", place.sequence)
        if let index = place.tagIndex { writer.write("tag", index) }
        writeDetail(to: &writer)
    }

    private func writeSubject(to writer: inout JSONWriter) {
        guard let subject else { return }
        let members = [
            ("key", subject.key), ("value", subject.value), ("expected", subject.expected),
            ("source", subject.source),
        ]
        for (key, text) in members {
            guard let text else { continue }
            writer.key(escaping: key)
            writer.value(text)
        }
    }

    private func writeDetail(to writer: inout JSONWriter) {
        writer.write("detail", detail)
        if !consequences.isEmpty {
            writer.key("consequences")
            writer.beginArray()
            for consequence in consequences {
                writer.beginObject()
                writer.write("id", consequence.check.rawValue)
                writer.write("status", consequence.status.rawValue)
                writer.write("detail", consequence.detail)
                writer.endObject()
            }
            writer.endArray()
        }
    }
}

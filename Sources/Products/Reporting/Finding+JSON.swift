import ID3v2
import NielsenID3
package import StreamHealth
package import TextForms

extension Finding {
    /// Writes the members of the finding's JSON object.
    package func writeMembers(to writer: inout JSONWriter) {
        writer.write("status", status.rawValue)
        place.writeMembers(to: &writer)
        writeText(to: &writer)
    }

    /// Writes the members that do not depend on the place.
    fileprivate func writeText(to writer: inout JSONWriter) {
        writeSubject(to: &writer)
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

extension Finding.Place {
    /// Writes the members that state the place.
    func writeMembers(to writer: inout JSONWriter) {
        if let call {
            writer.write("line", call.line)
            writer.write("at", number: call.at)
            if !call.instance.isEmpty { writer.write("instance", call.instance) }
            writer.write("call", call.name)
            if let viewing = call.viewing { writer.write("viewing", viewing) }
            if let playhead = call.playhead { writer.write("playhead", number: playhead) }
            return
        }
        if let rendition { writer.write("rendition", rendition) }
        writer.write("segment", segment)
        if let mediaSequence { writer.write("media_sequence", mediaSequence) }
        if let position { writer.write("position", position) }
        writer.write("seconds", seconds)
        if let pts { writer.write("pts", pts) }
        writer.write("sequence", sequence)
        if let tagIndex { writer.write("tag", tagIndex) }
    }
}

extension [FindingGroup] {
    /// Writes the value of `episodes`: the number, the first and the last place and an example of each group.
    ///
    /// The ids of the checks are omitted in the object of a check.
    package func writeEpisodes(withChecks: Bool, to writer: inout JSONWriter) {
        writer.key("episodes")
        writer.beginArray()
        for group in self {
            let example = group.example
            writer.beginObject()
            if withChecks { writer.write("check", group.check.rawValue) }
            writer.write("status", example.status.rawValue)
            writer.write("count", group.count)
            let ends = [("first", group.first, group.firstTime), ("last", group.last, group.lastTime)]
            for (key, finding, time) in ends {
                writer.key(escaping: key)
                writer.beginObject()
                if let time {
                    writer.key("at")
                    writer.value(time: time.unixMilliseconds)
                }
                finding.place.writeMembers(to: &writer)
                writer.endObject()
            }
            example.writeText(to: &writer)
            writer.endObject()
        }
        writer.endArray()
    }
}

import NielsenID3
import TextForms

extension TagOccurrence {
    /// Writes the members of the object that a collector receives; the caller may add others.
    ///
    /// - Parameters:
    ///   - id: The unique id of the tag, 32 hexadecimal digits.
    ///   - received: The time when the tag was accepted, in Unix milliseconds.
    func writeWireMembers(
        id: String, received: Int64, to writer: inout JSONWriter
    ) {
        origin.writeWireMembers(id: id, received: received, to: &writer)
        // Earlier versions have stored whole addresses.
        let place = origin.place.printable
        Self.wireKeys.write(to: &writer) { key in
            switch key {
            case .source, .segment, .mediaSequence, .programDateTime: place.field(key)
            default: field(key)
            }
        }
        if !place.renditions.isEmpty {
            writer.key("renditions")
            writer.beginArray()
            for rendition in place.renditions { writer.value(rendition) }
            writer.endArray()
        }
    }

    /// The keys of the object, without `rendition`: it lists all renditions that carry the tag instead.
    private static let wireKeys = PreparedKeys(TagKey.allCases.filter { $0 != .rendition })
}

extension TagOrigin {
    /// Writes the members before those of the place.
    func writeWireMembers(id: String, received: Int64, to writer: inout JSONWriter) {
        writer.key("id")
        writer.value(id)
        writer.key("received")
        writer.value(time: received)
        switch self {
        case .recording: break
        case .channel(let id, _):
            writer.key("channel")
            writer.value(id)
        case .session(let session, _):
            session.writeMembers(to: &writer)
            writer.key("presented")
            writer.value(session.isPresented)
        }
    }
}

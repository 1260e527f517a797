extension RecordedTag {
    /// Writes the tag as the object that a collector receives.
    ///
    /// - Parameters:
    ///   - id: the tag's unique id, 32 hexadecimal digits.
    ///   - received: when the tag was accepted, in Unix milliseconds.
    public func writeWireObject(
        id: String, received: Int64, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("id")
        writer.value(id)
        writer.key("received")
        writer.value(plain: RFC3339.bytes(unixMilliseconds: received))
        for key in TagKey.allCases where key != .rendition { writer.write(field(key), for: key) }
        if !origin.renditions.isEmpty {
            writer.key("renditions")
            writer.beginArray()
            for rendition in origin.renditions { writer.value(rendition) }
            writer.endArray()
        }
        writer.endObject()
    }
}

internal import TextForms

extension CallResult {
    /// The result as one JSON object.
    package var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the members of the result into the open JSON object.
    func writeMembers(to writer: inout JSONWriter) {
        writer.write("outcome", outcome.rawValue)
        if let code { writer.write("code", code.rawValue) }
        writer.key("findings")
        writer.beginArray()
        for finding in findings { writer.value(finding.rawValue) }
        writer.endArray()
        writer.write("state", state.rawValue)
    }
}

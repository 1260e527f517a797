import TextForms

extension HTTPServerAnswer {
    /// Returns an answer with the error body `{"error":{"code":…,"message":…}}`.
    package static func error(
        _ status: Int, _ code: String, _ message: String, fields: [HTTPServerRequest.Pair] = []
    ) -> HTTPServerAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.write("code", code)
        writer.write("message", message)
        writer.endObject()
        writer.endObject()
        return HTTPServerAnswer(status: status, fields: fields, body: writer.bytes)
    }
}

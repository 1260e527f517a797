import HLSInput
import HTTPTransfer
import NielsenID3
import StreamHealth
import TextForms

/// The contents of `evidence.json`: the alert, the state of the channel, and the requests.
struct EvidenceFacts: Sendable {
    /// A request that was made for the evidence.
    struct Request: Sendable {
        /// The file with the response; nil if none was kept.
        var file: String? = nil
        /// The requested address.
        var address: String
        /// The status of the response; nil if unknown.
        var status: Int? = nil
        /// The header fields of the response.
        var headers: [HTTPHeaders.Field] = []
        /// The duration in seconds.
        var seconds: Double
        /// The number of bytes received.
        var byteCount = 0
        /// The reason why the response is missing or incomplete; nil if it is complete.
        var failure: String? = nil
    }

    /// The header fields whose values are written because they are not secret; others appear by name only.
    private static let plainFields: Set<String> = [
        "accept-ranges", "age", "cache-control", "cache-status", "cf-cache-status", "content-encoding",
        "content-length", "content-range", "content-type", "date", "etag", "expires", "last-modified",
        "retry-after", "server", "transfer-encoding", "vary", "via", "x-amz-cf-pop", "x-cache",
        "x-cache-hits",
        "x-served-by", "x-timer",
    ]

    let alert: Alert
    let subject: EvidenceSubject
    let redaction: Redaction
    var requests: [Request] = []

    /// Creates facts without any requests.
    init(alert: Alert, subject: EvidenceSubject) {
        self.alert = alert
        self.subject = subject
        redaction = Redaction(subject.settings)
    }

    /// The JSON text.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("alert")
        writer.beginObject()
        writer.write("id", alert.id)
        redaction.alert(alert).writeProblem(to: &writer)
        writer.endObject()
        let snapshot = subject.details.snapshot
        writer.write("channel", snapshot.id)
        writer.write("state", snapshot.state.rawValue)
        writer.write("address", redaction.text(subject.settings.url))
        writer.key("last_tag")
        if let time = snapshot.lastTagTime { writer.value(time: time) } else { writer.null() }
        writer.key("last_findings")
        writer.beginArray()
        for found in subject.details.findings {
            writer.beginObject()
            writer.key("at")
            writer.value(time: Int64(exactly: (found.time * 1_000).rounded()) ?? 0)
            writer.write("check", found.check.rawValue)
            writer.write("status", found.finding.status.rawValue)
            writer.write("detail", redaction.text(found.finding.detail))
            writer.endObject()
        }
        writer.endArray()
        writer.key("requests")
        writer.beginArray()
        for request in requests { write(request, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }

    private func write(_ request: Request, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.write("file", request.file)
        writer.write("address", redaction.text(request.address))
        writer.key("status")
        writer.value(request.status)
        writer.write("seconds", request.seconds)
        writer.key("bytes")
        writer.value(request.byteCount)
        writer.write("failure", request.failure.map { redaction.text($0) })
        writer.key("headers")
        writer.beginArray()
        for field in request.headers {
            let isPlain = Self.plainFields.contains(field.name.lowercased())
            writer.value("\(redaction.text(field.name)): \(isPlain ? redaction.text(field.value) : "…")")
        }
        writer.endArray()
        writer.endObject()
    }
}

/// A channel whose evidence is saved.
struct EvidenceSubject: Sendable {
    /// The settings of the channel.
    let settings: ChannelSettings
    /// The input that fetches its playlists and segments.
    let input: LiveInput
    /// The media playlist that is followed; nil if none was found yet.
    let place: LiveRenditionPlace?
    /// The state and recent history of the channel.
    let details: ChannelDetails

    /// Returns the media playlist that is followed, or opens one that would be.
    func openPlace() async throws(InputError) -> LiveRenditionPlace {
        if let place { return place }
        let choice: RenditionChoice =
            if case .chosen(let choice) = settings.rendition { choice } else { .lowest }
        let places = try await input.open(choice)
        guard let first = places.first else { throw .empty(settings.url) }
        return first
    }
}

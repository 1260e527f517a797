import HLSInput
import ID3v2
import NielsenID3
import StreamHealth
import TextForms

/// The contents of `evidence.json`: the alert, the state of the channel, and the requests.
struct EvidenceFacts: Sendable {
    /// A request that was made for the evidence.
    struct Request: Sendable {
        /// The file with the response; nil if none was kept.
        var file: String? = nil
        /// The requested address, without secrets.
        var address: String
        /// The status of the response; nil if unknown.
        var status: Int? = nil
        /// The header fields of the response, as lines.
        var headerLines: [String] = []
        /// The duration in seconds.
        var seconds: Double
        /// The number of bytes received.
        var byteCount = 0
        /// The reason why the response is missing or incomplete; nil if it is complete.
        var failure: String? = nil
    }

    let alert: Alert
    let subject: EvidenceSubject
    var requests: [Request] = []

    /// The JSON text.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("alert")
        writer.beginObject()
        writer.write("id", alert.id)
        alert.writeProblem(to: &writer)
        writer.endObject()
        writer.write("channel", subject.settings.id)
        writer.write("state", subject.state.rawValue)
        writer.write("address", subject.input.printableURL)
        writer.key("last_tag")
        if let time = subject.lastTagTime { writer.value(time: time) } else { writer.null() }
        writer.key("last_findings")
        writer.beginArray()
        for found in subject.findings {
            writer.beginObject()
            writer.key("at")
            writer.value(time: found.time.unixMilliseconds)
            writer.write("check", found.check.rawValue)
            writer.write("status", found.finding.status.rawValue)
            writer.write("detail", found.finding.detail)
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
        writer.write("address", request.address)
        writer.key("status")
        writer.value(request.status)
        writer.write("seconds", request.seconds)
        writer.key("bytes")
        writer.value(request.byteCount)
        writer.write("failure", request.failure)
        writer.key("headers")
        writer.beginArray()
        for line in request.headerLines { writer.value(line) }
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
    /// The state of the channel.
    let state: ChannelState
    /// When the last tag was read, in Unix milliseconds; nil before the first.
    let lastTagTime: Int64?
    /// The last findings, newest last.
    let findings: [RecentFinding]

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

import HLSPlaylist
import HTTPTransfer
import HostSystem
import NielsenID3
import Synchronization
import TestSupport

@testable import HLSInput

/// A live channel of a synthetic stream on its own server, whose resources change while it is read.
final class LiveSite: Sendable {
    let stream: SyntheticStream
    private let resources: Resources
    private let server: LoopbackServer

    private final class Resources: Sendable {
        let byTarget: Mutex<[String: ServedResource]>
        init(_ resources: [String: ServedResource]) { byTarget = Mutex(resources) }
    }

    init(_ others: [String: ServedResource] = [:]) throws {
        let stream = try SyntheticStream.transport.get()
        var site: [String: ServedResource] = [:]
        for (name, bytes) in stream.files where name.hasPrefix("seg") {
            site["/" + name] = ServedResource(bytes)
        }
        let resources = Resources(site.merging(others) { $1 })
        self.stream = stream
        self.resources = resources
        server = try LoopbackServer { request in
            let resource = resources.byTarget.withLock { $0[request.target] }
            guard let resource else { return [response("404 Not Found")] }
            // A server that has sent an ETag to the reader answers in this way.
            let tag = resource.headers.first { $0.hasPrefix("ETag: ") }?.dropFirst("ETag: ".count)
            if let tag, request.header.contains("If-None-Match: \(tag)") {
                return [response("304 Not Modified")]
            }
            return resource.answer(to: request)
        }
    }

    deinit { server.stop() }

    var base: String { server.base }

    /// The requested targets, in order.
    var targets: [String] { server.requests.map(\.target) }

    /// The headers of the requests, in order.
    var headers: [String] { server.requests.map(\.header) }

    subscript(path: String) -> ServedResource? {
        get { resources.byTarget.withLock { $0[path] } }
        set { resources.byTarget.withLock { $0[path] = newValue } }
    }

    /// Serves a window of the stream's segments.
    func list(
        _ segments: [Int], at path: String = "/index.m3u8", isEnded: Bool = false, headers: [String] = [],
        before: (Int) -> [String] = { _ in [] }, uri: ((Int) -> String)? = nil
    ) {
        let number = ["#EXT-X-MEDIA-SEQUENCE:\(100 + (segments.first ?? 0))"]
        let text = stream.playlist(
            segments: segments, header: number, isEnded: isEnded, before: before, uri: uri)
        self[path] = ServedResource(text).with { $0.headers = headers }
    }
}

/// A rendition of a live channel, and the segments read from it.
struct LiveReader {
    let input: LiveInput
    let rendition: LiveRendition
    private(set) var readings: [LiveSegmentReading] = []
    private var time = Duration.zero

    init(
        _ url: String, choice: RenditionChoice = .lowest, headers: [(String, String)] = [],
        startingAfter: Int? = nil, clock: any HostClock = SystemClock(), segmentListByteCount: Int = 32 << 20
    ) async throws {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var fields = HTTPHeaders()
        for (name, value) in headers { fields.append(name, value) }
        input = LiveInput(
            channel: "one-hd", url: url, headers: fields, fetcher: try ResourceFetcher(client: client),
            segmentListByteCount: segmentListByteCount, clock: clock)
        let places = try await input.open(choice)
        rendition = LiveRendition(places[0], of: input, startingAfter: startingAfter)
    }

    /// Loads the playlist, and reads the new segments.
    mutating func load() async -> LivePlaylistLoad {
        let load = await rendition.load(at: time, jitter: 1)
        time += load.update.reloadDelay
        for segment in load.segments {
            readings.append(await rendition.attempt(segment) { _ in true }.live)
        }
        return load
    }

    var owners: [String] {
        readings.flatMap { reading in
            reading.reading.tags.map { String(decoding: $0.tag.ownerIdentifier, as: UTF8.self) }
        }
    }

    var failures: [String] {
        readings.compactMap { if case .failed(let error) = $0.reading.outcome { error.message } else { nil } }
    }
}

import Glibc
import HTTPServing
package import HostSystem
import Synchronization

/// An HTTP server for a live station on the loopback interface.
///
/// It listens from its creation until `stop`.
package final class LiveServer: Sendable {
    private let server: Mutex<HTTPServer?>

    /// The address of each channel's playlist.
    package let urls: [String]

    /// The connection limit, which exceeds the needs of a client of ten thousand channels.
    private static let maximumConnectionCount = 16_384

    /// Starts to serve a station, whose time begins now.
    ///
    /// - Parameters:
    ///   - port: The port to listen on, or 0 for any free port.
    ///   - clock: The source of the station's time.
    package init(
        _ station: SyntheticOrigin, port: UInt16 = 0, clock: any HostClock = .system
    ) throws(SynthesisError) {
        var station = station
        station.startTime = clock.unixMilliseconds
        let begin = clock.sinceBoot
        var listening = HTTPServerSettings()
        listening.port = port
        listening.maximumConnectionCount = Self.maximumConnectionCount
        let server: HTTPServer
        do throws(HTTPServingError) {
            server = try HTTPServer(listening) { [station] in
                LiveRequest($0, station: station, clock: clock, begin: begin)
            }
        } catch {
            throw .notServing(error)
        }
        urls = station.paths.map { "http://127.0.0.1:\(server.port)\($0)" }
        self.server = Mutex(server)
    }

    /// Stops listening, waits up to `limit` for requests in progress, and closes the remaining connections.
    package func stop(within limit: Duration = .seconds(1)) {
        // The end of this call releases the last reference to the server, which closes its remaining connections.
        server.withLock { $0.take() }?.stopListening(waitingAtMost: limit)
    }
}

/// One request to a live station.
private final class LiveRequest: RequestHandler {
    private let head: HTTPServerRequest
    private let station: SyntheticOrigin
    private let clock: any HostClock
    private let begin: Duration

    init(_ head: HTTPServerRequest, station: SyntheticOrigin, clock: any HostClock, begin: Duration) {
        self.head = head
        self.station = station
        self.clock = clock
        self.begin = begin
    }

    func receive(_ bytes: Span<UInt8>) -> RequestStep { .drop }

    func finish() -> RequestStep {
        guard head.method == "GET" || head.method == "HEAD" else {
            return .answer(
                HTTPServerAnswer(
                    status: 405, type: "text/plain", fields: [.init(name: "Allow", value: "GET, HEAD")],
                    body: []
                ))
        }
        let answer = station.answer(
            SyntheticOrigin.Request(
                head.path, ifNoneMatch: head[field: "If-None-Match"],
                ifModifiedSince: head[field: "If-Modified-Since"]), at: clock.sinceBoot - begin)
        guard let rate = answer.bytesPerSecond, !answer.content.body.isEmpty else {
            return .answer(answer.content)
        }
        return .stream(
            answer.content, SlowDrip(answer.content.body, bytesPerSecond: rate, clock: clock))
    }
}

/// A response body that is sent at a limited rate in bytes per second.
final class SlowDrip: AnswerStream {
    private let body: [UInt8]
    private let bytesPerSecond: Int
    private let clock: any HostClock
    private let begin: Duration
    private var sentCount = 0
    private let never = Semaphore()

    /// The maximum interval between readings of the clock, which tests may advance.
    private static let longestWait = Duration.milliseconds(20)

    init(_ body: [UInt8], bytesPerSecond: Int, clock: any HostClock) {
        self.body = body
        self.bytesPerSecond = bytesPerSecond
        self.clock = clock
        begin = clock.sinceBoot
    }

    var byteCount: Int? { body.count }

    func nextPiece(waitingAtMost limit: Duration) -> [UInt8]? {
        if sentCount == body.count { return nil }
        let elapsed = max(0, (clock.sinceBoot - begin) / .seconds(1))
        let due = Int(min(Double(body.count), elapsed * Double(bytesPerSecond)))
        guard due > sentCount else {
            // The semaphore is never signaled, so this is a plain delay.
            _ = never.wait(atMost: min(limit, Self.longestWait))
            return []
        }
        defer { sentCount = due }
        return Array(body[sentCount..<due])
    }
}

import Glibc
import HTTPServing
package import HostSystem
import Synchronization

/// A live station over HTTP on the loopback interface.
///
/// It begins to listen when it is made, and ends with `stop`.
package final class LiveServer: Sendable {
    private let server: Mutex<HTTPServer?>

    /// The address of each channel's playlist.
    package let urls: [String]

    /// More than a client of a thousand channels opens.
    private static let maximumConnectionCount = 4_096

    /// Begins to serve a station, whose time starts now.
    ///
    /// - Parameters:
    ///   - port: the port to listen at; 0 for a free one.
    ///   - clock: what the station's time goes by.
    package init(
        _ station: LiveStation, port: UInt16 = 0, clock: any HostClock = .system
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

    /// Listens no more, lets what is under way end within `limit`, and closes the rest; blocks meanwhile.
    package func stop(within limit: Duration = .seconds(1)) {
        // The last reference to the server goes with the end of this call, and with it what is still open.
        server.withLock { $0.take() }?.stopListening(waitingAtMost: limit)
    }
}

/// One request to a live station.
private final class LiveRequest: RequestHandler {
    private let head: HTTPServerRequest
    private let station: LiveStation
    private let clock: any HostClock
    private let begin: Duration

    init(_ head: HTTPServerRequest, station: LiveStation, clock: any HostClock, begin: Duration) {
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
            LiveStation.Request(
                head.path, ifNoneMatch: head[field: "If-None-Match"],
                ifModifiedSince: head[field: "If-Modified-Since"]), at: clock.sinceBoot - begin)
        guard let rate = answer.bytesPerSecond, !answer.content.body.isEmpty else {
            return .answer(answer.content)
        }
        return .stream(
            answer.content, SlowDrip(answer.content.body, bytesPerSecond: rate, clock: clock))
    }
}

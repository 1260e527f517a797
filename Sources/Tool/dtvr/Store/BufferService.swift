import FoundationEssentials
import HTTPServing
import HostSystem
import Synchronization
import TagStore

/// Answers the requests of `dtvr store` while a monitor holds the buffer.
///
/// The socket is in the buffer's folder, and only its owner can connect to it.
final class BufferService: Sendable {
    /// The name of the socket in the folder.
    static let socketName = "monitor.sock"

    private let server: HTTPServer

    /// Starts the service.
    init(_ buffer: TagBuffer, in folder: String) throws(HTTPServingError) {
        var settings = HTTPServerSettings()
        settings.socketPath = "\(folder)/\(Self.socketName)"
        server = try HTTPServer(settings) { BufferQuestion($0, buffer: buffer) }
    }

    /// Stops listening, and waits up to one second for requests in progress.
    func stop() { server.stopListening(waitingAtMost: .seconds(1)) }
}

/// A request, answered on its connection's thread, which waits for the buffer's task.
private final class BufferQuestion: RequestHandler {
    private let request: HTTPServerRequest
    private let buffer: AskedBuffer

    /// A one-time handover of an answer from a task to a waiting thread.
    private final class Answer: Sendable {
        private let answer = Mutex<HTTPServerAnswer?>(nil)
        private let isGiven = Semaphore()

        func give(_ answer: HTTPServerAnswer) {
            self.answer.withLock { $0 = answer }
            isGiven.signal()
        }

        func wait() -> HTTPServerAnswer {
            while true {
                if let answer = answer.withLock({ $0 }) { return answer }
                isGiven.wait()
            }
        }
    }

    init(_ request: HTTPServerRequest, buffer: TagBuffer) {
        self.request = request
        self.buffer = .own(buffer)
    }

    func receive(_ bytes: Span<UInt8>) -> RequestStep { .drop }

    func finish() -> RequestStep {
        let answer = Answer()
        Self.answer(request, from: buffer) { answer.give($0) }
        return .answer(answer.wait())
    }

    private static func answer(
        _ request: HTTPServerRequest, from buffer: AskedBuffer,
        then give: @escaping @Sendable (HTTPServerAnswer) -> Void
    ) {
        Task {
            let answer = await Self.answer(request, from: buffer)
            give(answer)
        }
    }

    private static func answer(_ request: HTTPServerRequest, from buffer: AskedBuffer) async
        -> HTTPServerAnswer
    {
        do throws(AskedBuffer.Failure) {
            switch (request.method, request.path) {
            case ("GET", "/status"): return json(try await buffer.status())
            case ("POST", "/retry"): return json(try await buffer.retryDeadLetters())
            case ("GET", let path):
                guard let rows = BufferRows(rawValue: String(path.dropFirst())),
                    let sequence = request[parameter: "after"].flatMap({ Int64($0) })
                else { break }
                return json(try await buffer.page(of: rows, after: sequence))
            default: break
            }
            return text(404, "there is no such resource")
        } catch {
            return text(500, error.description)
        }
    }

    private static func json(_ value: some Encodable) -> HTTPServerAnswer {
        do {
            return HTTPServerAnswer(status: 200, body: Array(try JSONEncoder().encode(value)))
        } catch {
            return text(500, "\(error)")
        }
    }

    private static func text(_ status: Int, _ text: String) -> HTTPServerAnswer {
        HTTPServerAnswer(status: status, type: "text/plain", body: Array(text.utf8))
    }
}

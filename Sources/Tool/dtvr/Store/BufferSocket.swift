import HTTPServing
import HostSystem
import Synchronization
import TagDelivery
import TagStore

/// Serves the buffer that this process owns to other processes: `dtvr store`, `dtvr run` and players.
///
/// The socket is in the buffer's folder, and only its owner can connect to it.
final class BufferSocket: Sendable {
    private let server: HTTPServer

    /// Starts the service; if that fails, prints the reason and returns nil.
    static func serving(_ buffer: TagBuffer, in folder: String, console: Console) -> BufferSocket? {
        do throws(HTTPServingError) {
            return try BufferSocket(buffer, in: folder)
        } catch {
            console.note("other processes cannot use the buffer of this process: \(error)")
            return nil
        }
    }

    private init(_ buffer: TagBuffer, in folder: String) throws(HTTPServingError) {
        var settings = HTTPServerSettings()
        settings.socketPath = "\(folder)/\(RemoteBuffer.socketName)"
        // Held tags stay held while their player or this process is stopped for minutes.
        settings.idleSeconds = 600
        // Closing a connection that holds tags would make them count as not presented.
        settings.maximumConnectionCount = 256
        settings.keepsAnswers = true
        let owner = BufferOwner(buffer)
        server = try HTTPServer(settings) { request in
            let client = request[parameter: BufferRequest.clientParameter]
            if let client, request.method == "GET", request.path == BufferRequest.holdingPath {
                return HoldingRequest(client, of: owner)
            }
            return BufferExchange(request, with: owner)
        }
    }

    /// Stops listening, and waits up to one second for requests in progress.
    func stop() { server.stopListening(waitingAtMost: .seconds(1)) }
}

/// A request for the buffer, answered on its connection's thread, which waits for the buffer's task.
private final class BufferExchange: RequestHandler {
    private let request: HTTPServerRequest
    private let owner: BufferOwner
    private var body: BoundedBody

    /// A one-time handover of an answer from a task to a waiting thread.
    private final class Answer: Sendable {
        private let answer = Mutex<BufferOwner.Answer?>(nil)
        private let isGiven = Semaphore()

        func give(_ answer: BufferOwner.Answer) {
            self.answer.withLock { $0 = answer }
            isGiven.signal()
        }

        func wait() -> BufferOwner.Answer {
            while true {
                if let answer = answer.withLock({ $0 }) { return answer }
                isGiven.wait()
            }
        }
    }

    init(_ request: HTTPServerRequest, with owner: BufferOwner) {
        self.request = request
        self.owner = owner
        body = BoundedBody(
            maximumByteCount: BufferRequest.maximumByteCount, expecting: request.contentLength)
    }

    func receive(_ bytes: Span<UInt8>) -> RequestStep {
        body.append(bytes)
        return body.state == .endless ? .drop : .proceed
    }

    func finish() -> RequestStep {
        guard request.method == "POST", request.path == BufferRequest.path else {
            return .answer(Self.text(404, "there is no such resource"))
        }
        guard body.state == .complete else { return .answer(Self.text(413, "the request is too large")) }
        let answer = Answer()
        Task { [owner, bytes = body.bytes] in answer.give(await owner.answer(bytes)) }
        switch answer.wait() {
        case .value(let json): return .answer(HTTPServerAnswer(status: 200, body: json))
        case .invalid(let reason): return .answer(Self.text(400, reason))
        case .failed(let reason): return .answer(Self.text(503, reason))
        }
    }

    private static func text(_ status: Int, _ text: String) -> HTTPServerAnswer {
        HTTPServerAnswer(status: status, type: "text/plain", body: Array(text.utf8))
    }
}

/// The connection of a client that holds tags, open until the client ends it.
private final class HoldingRequest: RequestHandler, AnswerStream {
    private let client: String
    private let owner: BufferOwner
    private let clock = SystemClock()
    /// The time of the last byte; nil before the first.
    private var lastTime: Duration?
    private let never = Semaphore()

    /// The interval between two bytes, whose arrival shows that the client still exists.
    private static let interval = Duration.seconds(1)

    init(_ client: String, of owner: BufferOwner) {
        self.client = client
        self.owner = owner
        owner.beginHolding(for: client)
    }

    deinit { owner.endHolding(for: client) }

    var byteCount: Int? { nil }

    func receive(_ bytes: Span<UInt8>) -> RequestStep { .drop }

    func finish() -> RequestStep {
        .stream(HTTPServerAnswer(status: 200, type: "text/plain", body: []), self)
    }

    func nextPiece(waitingAtMost limit: Duration) -> [UInt8]? {
        let now = clock.sinceBoot
        if lastTime.map({ now - $0 >= Self.interval }) ?? true {
            lastTime = now
            return [UInt8(ascii: "\n")]
        }
        // Never signaled: this only sleeps.
        _ = never.wait(atMost: limit)
        return []
    }
}

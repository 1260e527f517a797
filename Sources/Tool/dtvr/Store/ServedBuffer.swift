import FoundationEssentials
import HTTPTransfer
import HostSystem
import TagStore

/// The buffer of a running monitor, accessed through the socket in its folder (`BufferService`).
final class ServedBuffer: Sendable {
    /// The time limits for an answer and for the status, in seconds.
    ///
    /// The status limit is short because a status request must not wait for a hanging monitor.
    private static let maximumSeconds = 20
    private static let maximumSecondsOfStatus = 2
    /// The maximum size of an answer: 500 rows with bodies of maximum size, in base64.
    private static let maximumByteCount = 64 << 20

    private let client: HTTPClient
    /// The open folder; a path through its descriptor is short enough for a socket address.
    private let folder: FileDescriptor

    /// Connects to the buffer in a folder, or returns nil if no monitor serves it.
    init?(in directory: String, client: HTTPClient) {
        self.client = client
        do throws(SystemError) {
            folder = try FileDescriptor(path: directory, options: [.reading, .directory])
        } catch {
            return nil
        }
        guard FileManager.default.fileExists(atPath: socketPath) else { return nil }
    }

    private var socketPath: String { "/proc/self/fd/\(folder.number)/\(BufferService.socketName)" }

    /// Returns the current status of the buffer.
    func status() async throws(AskedBuffer.Failure) -> StoreStatus {
        try await answer("status", seconds: Self.maximumSecondsOfStatus)
    }

    /// Returns the next rows after a sequence number, oldest first; empty at the end.
    func page(
        of rows: BufferRows, after sequence: Int64
    ) async throws(AskedBuffer.Failure) -> [BufferRow] {
        try await answer("\(rows.rawValue)?after=\(sequence)")
    }

    /// Moves all dead letters back to the waiting tags, and returns their number.
    func retryDeadLetters() async throws(AskedBuffer.Failure) -> Int64 {
        try await answer("retry", method: .post(body: []))
    }

    private func answer<Value: Decodable>(
        _ resource: String, method: HTTPRequest.Method = .get, seconds: Int = maximumSeconds
    ) async throws(AskedBuffer.Failure) -> Value {
        var request = HTTPRequest(method, url: "http://localhost/\(resource)")
        request.connection.socketPath = socketPath
        request.bodyLimit = .failing(after: Self.maximumByteCount)
        request.timeLimits.total = seconds
        let response: HTTPResponse
        do throws(HTTPTransferError) {
            response = try await client.send(request)
        } catch {
            throw .init("the monitor that holds the buffer does not respond: \(error.reason)")
        }
        guard response.head.isSuccess else {
            throw .init(String(decoding: response.body, as: UTF8.self))
        }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(response.body))
        } catch {
            throw .init(
                "the monitor that holds the buffer has a different version: its answer cannot be read")
        }
    }
}

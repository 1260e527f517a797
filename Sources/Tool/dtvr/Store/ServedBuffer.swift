import FoundationEssentials
import HTTPTransfer
import HostSystem
import TagStore

/// The buffer of a monitor that runs, which is asked through the socket in its folder (`BufferService`).
final class ServedBuffer: Sendable {
    /// How long an answer may take, and that to the first question, in seconds: who only looks does not wait for a monitor that
    /// hangs.
    private static let maximumSeconds = 20
    private static let maximumSecondsOfStatus = 2
    /// The most that is taken of an answer: 500 rows of the longest bodies, in base64.
    private static let maximumByteCount = 64 << 20

    private let client: HTTPClient
    /// The folder, by which the socket has a short path however long its own is.
    private let folder: FileDescriptor

    /// The buffer in a folder; nil where no monitor serves one there.
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

    /// The buffer at a glance, at this moment.
    func status() async throws(AskedBuffer.Failure) -> StoreStatus {
        try await answer("status", seconds: Self.maximumSecondsOfStatus)
    }

    /// Rows after a sequence, oldest first; none at the end.
    func page(
        of rows: BufferRows, after sequence: Int64
    ) async throws(AskedBuffer.Failure) -> [BufferRow] {
        try await answer("\(rows.rawValue)?after=\(sequence)")
    }

    /// Puts all dead letters back among the tags that wait, and says how many they were.
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
            throw .init("the monitor that has the buffer does not answer: \(error.reason)")
        }
        guard response.head.isSuccess else {
            throw .init(String(decoding: response.body, as: UTF8.self))
        }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(response.body))
        } catch {
            throw .init("the monitor that has the buffer is of another version: its answer cannot be read")
        }
    }
}

import Foundation
import HTTPServing
import HTTPTransfer
import HostSystem
import Testing

/// A server at a Unix domain socket.
@Suite(.timeLimit(.minutes(30))) struct UnixSocketTests {
    private final class Handler: RequestHandler {
        let text: String
        init(_ text: String) { self.text = text }
        func receive(_ bytes: Span<UInt8>) -> RequestStep { .proceed }
        func finish() -> RequestStep { .answer(.init(status: 200, body: Array(text.utf8))) }
    }

    /// A folder for one test; if `isDeep` is true, its path is longer than a socket address permits.
    private final class Folder {
        let path: String

        init(isDeep: Bool = false) throws {
            let name = NSTemporaryDirectory() + "dtvr-socket-" + UUID().uuidString
            path = isDeep ? name + "/" + String(repeating: "d", count: 120) : name
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func server(_ path: String, says text: String = "here") throws -> HTTPServer {
        var settings = HTTPServerSettings()
        settings.socketPath = path
        return try HTTPServer(settings) { Handler(text + " " + $0.path) }
    }

    private static func ask(_ path: String) async throws -> String {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var request = HTTPRequest(url: "http://localhost/a%20b")
        request.connection.socketPath = path
        return String(decoding: try await client.send(request).body, as: UTF8.self)
    }

    @Test func unixSocket_isOwnerOnly_andRemovedWithItsServer() async throws {
        let folder = try Folder()
        let path = folder.path + "/a.sock"
        var server: HTTPServer? = try Self.server(path)
        #expect(try await Self.ask(path) == "here /a b")
        #expect(server?.port == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        server = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Nothing is sent to a process of another user, and the refused connection is not used again.
    @Test func unixSocket_ofAnotherUser_isRefusedBeforeTheRequest() async throws {
        let folder = try Folder()
        let server = try Self.server(folder.path + "/a.sock")
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        var request = HTTPRequest(url: "http://localhost/a")
        request.connection.socketPath = folder.path + "/a.sock"
        let own = geteuid()
        request.connection.socketUsers = TrustedUsers([own + 1])
        for _ in 0..<2 {
            await #expect { try await client.send(request) } throws: { error in
                let error = error as? HTTPTransferError
                return error?.kind == .addressRefused && error?.detail.contains("user \(own)") == true
            }
        }
        request.connection.socketUsers = .own
        #expect(try await client.send(request).head.status == 200)
        withExtendedLifetime(server) {}
    }

    /// The environment may name a proxy, which does not apply to sockets.
    @Test func unixSocketRequest_ignoresTheProxyOfTheEnvironment() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try Folder()
            let server = try Self.server(folder.path + "/a.sock")
            // Nothing else runs in this process yet.
            unsafe setenv("http_proxy", "http://127.0.0.1:9", 1)
            #expect(try await Self.ask(folder.path + "/a.sock") == "here /a b")
            withExtendedLifetime(server) {}
        }
    }

    @Test func unixSocket_withALongPath_acceptsConnections() async throws {
        let folder = try Folder(isDeep: true)
        let server = try Self.server(folder.path + "/a.sock")
        // The client has the same limit, and avoids it like the server.
        let descriptor = unsafe open(folder.path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        #expect(try await Self.ask("/proc/self/fd/\(descriptor)/a.sock") == "here /a b")
        withExtendedLifetime(server) {}
    }

    @Test func existingSocket_isReplaced_butARegularFileIsNot() async throws {
        let folder = try Folder()
        let path = folder.path + "/a.sock"
        let abandoned = try Self.server(path)
        let server = try Self.server(path, says: "second")
        #expect(try await Self.ask(path) == "second /a b")
        withExtendedLifetime((abandoned, server)) {}

        let file = folder.path + "/file"
        try Data("kept".utf8).write(to: URL(fileURLWithPath: file))
        #expect(throws: HTTPServingError.self) { _ = try Self.server(file) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
        #expect(throws: HTTPServingError.self) { _ = try Self.server(folder.path + "/none/a.sock") }
    }
}

import Foundation
import Glibc

/// An independent server for a folder over TLS (`Tests/Peers/serve_tls.py`), which may request a client certificate.
///
/// openssl generates the certificates.
public final class TLSServer: Sendable {
    private let process: ChildProcess
    private let log: String
    private let certificates: String

    /// A failure to start the server.
    public struct Failure: Error {
        /// The reason.
        public let reason: String
    }

    /// Whether openssl is installed.
    public static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// The URL of the server, without a trailing slash.
    public let base: String
    /// The path of the server's self-signed certificate.
    public var authority: String { certificates + "/server.pem" }
    /// The path of a client certificate that the server accepts, with its key; its name is `viewer`.
    public var clientIdentity: String { certificates + "/viewer.pem" }

    /// Starts a server for a folder; `certificates` is the folder for the generated certificates.
    public init(_ folder: String, certificates: String, requiresCertificate: Bool) async throws {
        self.certificates = certificates
        for name in ["server", "viewer"]
        where !FileManager.default.fileExists(atPath: "\(certificates)/\(name).pem") {
            // Key and certificate in one file.
            let file = "\(certificates)/\(name).pem"
            let made = try await FinishedProcess.of(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days",
                    "2", "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file,
                    "-out", file + ".certificate",
                ])
            guard made.status == 0 else {
                throw Failure(reason: String(decoding: made.errors, as: UTF8.self))
            }
            let both =
                try Data(contentsOf: URL(fileURLWithPath: file))
                + Data(contentsOf: URL(fileURLWithPath: file + ".certificate"))
            try both.write(to: URL(fileURLWithPath: file))
        }
        let log = "\(certificates)/\(UUID().uuidString).log"
        self.log = log
        guard FileManager.default.createFile(atPath: log, contents: nil),
            let output = FileHandle(forWritingAtPath: log),
            let null = FileHandle(forUpdatingAtPath: "/dev/null")
        else { throw Failure(reason: "cannot create a file for its output") }
        let process = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", Project.root + "/Tests/Peers/serve_tls.py", folder, "\(certificates)/server.pem",
                "\(certificates)/viewer.pem", requiresCertificate ? "required" : "optional",
            ], input: null.fileDescriptor, output: output.fileDescriptor, errors: 2)
        self.process = process
        try await wait(for: "its port") { process.hasEnded || Self.text(log).contains("\n") }
        guard let port = Self.text(log).split(separator: "\n").first else {
            throw Failure(reason: "the server exited at once")
        }
        base = "https://127.0.0.1:\(port)"
    }

    deinit { process.killAndWait() }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// A line for each request, in order: the path, and the name in the client's certificate, or a hyphen without one.
    public var requests: [String] {
        Self.text(log).split(separator: "\n").dropFirst().map(String.init)
    }
}

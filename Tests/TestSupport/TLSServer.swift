import Foundation
import Glibc

/// A folder that is served over TLS by a server that is not ours (`Tests/Peers/serve_tls.py`), which may ask for a
/// client certificate; with certificates that openssl makes for it.
public final class TLSServer: Sendable {
    private let process: ChildProcess
    private let log: String
    private let certificates: String

    /// Why there is none.
    public struct Failure: Error {
        /// What went wrong.
        public let reason: String
    }

    /// Whether the machine has what it takes.
    public static let isAvailable = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    /// Its address, without a slash at the end.
    public let base: String
    /// The certificate of the server, which nobody else vouches for.
    public var authority: String { certificates + "/server.pem" }
    /// A certificate and a key that it lets in, of the name `viewer`.
    public var clientIdentity: String { certificates + "/viewer.pem" }

    /// Serves a folder; `certificates` is a folder for what it needs.
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
        else { throw Failure(reason: "no file for its output") }
        let process = try ChildProcess(
            "/usr/bin/env",
            [
                "python3", Project.root + "/Tests/Peers/serve_tls.py", folder, "\(certificates)/server.pem",
                "\(certificates)/viewer.pem", requiresCertificate ? "required" : "optional",
            ], input: null.fileDescriptor, output: output.fileDescriptor, errors: 2)
        self.process = process
        try await wait(for: "its port") { process.hasEnded || Self.text(log).contains("\n") }
        guard let port = Self.text(log).split(separator: "\n").first else {
            throw Failure(reason: "it ended at once")
        }
        base = "https://127.0.0.1:\(port)"
    }

    deinit { process.killAndWait() }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }

    /// A line a request, in their order: the path, and the name of the client's certificate, or a hyphen.
    public var requests: [String] {
        Self.text(log).split(separator: "\n").dropFirst().map(String.init)
    }
}

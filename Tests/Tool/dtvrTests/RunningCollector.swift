import Foundation
import Glibc
import HTTPTransfer
import TestSupport
import Testing

/// `dtvr collect` on a free loopback port, until it is stopped or deallocated.
final class RunningCollector: Sendable {
    private let process: ChildProcess

    /// The URL of the collector.
    let url: String

    private init(process: ChildProcess, url: String) {
        self.process = process
        self.url = url
    }

    deinit { process.killAndWait() }

    /// Starts a collector, and waits until it listens.
    static func start(
        folder: String, _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> RunningCollector {
        try await start(["--listen", "127.0.0.1:0", "--dir", folder] + arguments, home: folder, environment)
    }

    /// Starts a collector with a ledger; its standard error is in the file `errors` of `home`.
    static func start(
        ledger: String, home: String, _ arguments: [String], listen: String = "127.0.0.1:0",
        environment: [String: String] = [:]
    ) async throws -> RunningCollector {
        let path = home + "/errors"
        try Data().write(to: URL(fileURLWithPath: path))
        let errors = try #require(FileHandle(forWritingAtPath: path))
        defer { withExtendedLifetime(errors) {} }
        return try await start(
            ["--listen", listen, "--ledger", ledger] + arguments, home: home, environment, errors: errors)
    }

    /// Creates a certificate for 127.0.0.1 and its key with openssl.
    static func certificate(in folder: TemporaryFolder) async throws -> (certificate: String, key: String) {
        let (certificate, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
        let made = try await FinishedProcess.of(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-out",
                certificate, "-keyout", key,
            ])
        #expect(made.status == 0, "\(String(decoding: made.errors, as: UTF8.self))")
        return (certificate, key)
    }

    private static func start(
        _ arguments: [String], home: String, _ environment: [String: String], errors: FileHandle? = nil
    ) async throws -> RunningCollector {
        let output = Pipe()
        let process = try Tool.start(
            arguments: ["collect"] + arguments, home: home, environment: environment,
            output: output.fileHandleForWriting, errors: errors)
        try output.fileHandleForWriting.close()
        let text = try await output.fileHandleForReading.firstLine(of: process)
        let url = try #require(
            text.split(separator: " ").last.map(String.init), "the collector said: \(text)")
        return RunningCollector(process: process, url: url)
    }

    var processIdentifier: pid_t { process.processIdentifier }

    /// The peak resident memory so far, in MiB.
    var peakMebibyteCount: Int { get throws { try process.peakMebibyteCount } }

    /// Sends a signal to the collector.
    func signal(_ number: Int32) { process.signal(number) }

    /// Stops the collector as a user would, with a signal, and returns its exit status.
    @discardableResult
    func stop() async -> Int32 {
        process.signal(SIGTERM)
        return await process.exitStatus()
    }

    /// Returns the status of the collector.
    func status(token: String? = nil) async throws -> [String: Any] {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "test"))
        var request = HTTPRequest(url: url + "status")
        request.bearerToken = token
        let response = try await client.send(request)
        let object = try JSONSerialization.jsonObject(with: Data(response.body))
        return try #require(object as? [String: Any])
    }

    /// Returns the numbers of accepted, duplicate and rejected tags.
    func counts() async throws -> [Int] {
        let status = try await status()
        return ["accepted", "duplicate", "rejected"].map { status[$0] as? Int ?? -1 }
    }

    /// Returns the records that a collector has written into a folder, oldest first.
    static func records(in folder: String) throws -> [[String: Any]] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        return try files.filter { $0.hasPrefix("tags-") }.sorted().flatMap { file in
            let text = String(
                decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)")), as: UTF8.self)
            return try text.split(separator: "\n").map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }
    }

    /// Waits until the collector has accepted exactly `count` records; a timeout reports its counts and the sender's
    /// output, and more records are a failure at once.
    func wait(forAccepted count: Int, from sender: @autoclosure () -> String) async throws {
        do {
            try await TestSupport.wait(
                for: "\(count) records", asking: { try await counts()[0] >= count })
            #expect(try await counts()[0] == count, "the sender: \(sender())")
        } catch let error as WaitedTooLong {
            Issue.record("the collector has \(try await counts()); the sender: \(sender())")
            throw error
        }
    }
}

extension FileHandle {
    /// Reads the output of a process up to the end of its first line, or until the process ends.
    ///
    /// A test that exceeds its time limit kills the process, which ends the reading.
    func firstLine(of process: ChildProcess) async throws -> String {
        let descriptor = fileDescriptor
        defer { withExtendedLifetime(self) {} }
        return try await withTaskCancellationHandler {
            try await onOwnThread {
                var line: [UInt8] = []
                var byte: UInt8 = 0
                // One byte of a variable that stays alive during the call.
                while unsafe Glibc.read(descriptor, &byte, 1) == 1, byte != 0x0A { line.append(byte) }
                return String(decoding: line, as: UTF8.self)
            }
        } onCancel: {
            process.signal(SIGKILL)
        }
    }
}

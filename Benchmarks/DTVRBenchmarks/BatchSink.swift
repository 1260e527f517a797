import Foundation

/// A collector that stores nothing, in a separate process, with a generated certificate.
struct BatchSink {
    /// The path of the certificate, which is self-signed.
    let certificate: String
    /// The URL that accepts batches.
    let address: String

    private let process: Process
    private let input: Pipe

    init(in folder: URL, openssl: String) throws {
        certificate = folder.appendingPathComponent("certificate.pem").path
        let key = folder.appendingPathComponent("key.pem").path
        try CommandRun([
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
            "-out", certificate,
        ])
        // Scripts/benchmark.sh builds batch-sink in the folder of this program.
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("batch-sink")
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = program
        process.arguments = [certificate, key]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The port, on a line that is written at once.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            process.terminate()
            throw CommandRun.Failure(description: "batch-sink cannot listen")
        }
        address = "https://127.0.0.1:\(port)/v1/tags"
    }

    func end() {
        // batch-sink exits at the end of its input.
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
    }
}

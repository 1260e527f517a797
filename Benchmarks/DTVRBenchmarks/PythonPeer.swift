import Foundation

/// Peers that are Python libraries, each in a separate process that measures its own time.
enum PythonPeer {
    /// Debian's Python, which finds the modules of Debian packages; PATH may have another one first.
    private static let interpreter = "/usr/bin/python3"

    /// Returns the result of mutagen, which parses bytes in memory to the owner identifier and data.
    static func mutagen(parsing tag: [UInt8]) -> Entry {
        let hex = tag.map { String(format: "%02x", $0) }.joined()
        let script = """
            import io, time
            from mutagen.id3 import ID3
            tag = bytes.fromhex("\(hex)")
            for sample in range(9):
                start = time.perf_counter()
                for _ in range(500):
                    frame = ID3(io.BytesIO(tag)).getall("PRIV")[0]
                    assert len(frame.owner) + len(frame.data) == 250
                print((time.perf_counter() - start) / 500 * 1e9)
            """
        return run(script, name: "mutagen", missing: "\(interpreter) has no module mutagen: python3-mutagen")
    }

    private static func run(_ script: String, name: String, missing: String) -> Entry {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: interpreter)
        process.arguments = ["-c", script]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
        } catch {
            return .skipped(name: name, reason: "\(interpreter) cannot be run: \(error)")
        }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let values = String(decoding: data, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
        guard process.terminationStatus == 0, !values.isEmpty else {
            return .skipped(name: name, reason: missing)
        }
        return .reported(name: name, nanoseconds: values, byteCount: nil)
    }
}

import DTVRKit
import Foundation

/// A sink of one's own: it appends batches to a file, in place of a collector.
///
///     swift run CustomSink /tmp/tags /tmp/batches.ndjson
@main
struct CustomSink {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else {
            print("usage: CustomSink DIRECTORY FILE")
            return
        }
        let buffer = try await TagBuffer.open(arguments[1])
        let uploader = Uploader(buffer: buffer, sink: FileSink(path: arguments[2]))
        let outcome = try await uploader.drain(giveUpAfter: .seconds(10))
        print("\(outcome): \(uploader.progress.deliveredCount) delivered")
        await buffer.close()
    }
}

struct FileSink: TagSink {
    let path: String

    /// Writes a batch; only what is said to be delivered leaves the buffer.
    func deliver(_ batch: TagBatch) async -> SinkOutcome {
        // A file takes plain lines; a batch in another encoding is made again in the one that is asked for.
        guard batch.encoding == .identity else { return SinkOutcome(.unsupportedEncoding) }
        do {
            if !FileManager.default.fileExists(atPath: path) {
                FileManager.default.createFile(atPath: path, contents: nil)
            }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data(batch.body))
            try file.synchronize()
            try file.close()
            return SinkOutcome(.accepted)
        } catch {
            return SinkOutcome(.retry(reason: "\(error)"))
        }
    }
}

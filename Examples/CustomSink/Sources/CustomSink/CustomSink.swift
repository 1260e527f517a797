import DTVRKit
import Foundation

/// Delivers the tags of a buffer to a custom sink, which appends the batches to a file.
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
        let buffer = try await TagBuffer.open(directory: arguments[1])
        let uploader = Uploader(buffer: buffer, sink: FileSink(path: arguments[2]))
        let outcome = try await uploader.drain(timeLimit: .seconds(10))
        print(outcome)
        await buffer.close()
    }
}

/// A sink that appends batches to a file.
struct FileSink: TagSink {
    let path: String

    /// The uploader stores what it learns about a sink, such as its maximum batch size, under this name.
    var identity: String { "file:" + path }

    /// Writes a batch; only tags that the outcome reports as received leave the buffer.
    func deliver(_ batch: TagBatch) async -> SinkOutcome {
        do {
            if !FileManager.default.fileExists(atPath: path) {
                FileManager.default.createFile(atPath: path, contents: nil)
            }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data(batch.body))
            try file.synchronize()
            try file.close()
            return SinkOutcome(.received(rejected: []))
        } catch {
            return SinkOutcome(.retry(reason: "\(error)", notBefore: nil))
        }
    }
}

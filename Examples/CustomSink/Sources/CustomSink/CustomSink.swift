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
        let buffer = try await TagBuffer.open(directory: arguments[1])
        let uploader = Uploader(buffer: buffer, sink: FileSink(path: arguments[2]))
        let outcome = try await uploader.drain(timeLimit: .seconds(10))
        print("\(outcome): \(uploader.progress.deliveredCount) delivered")
        await buffer.close()
    }
}

struct FileSink: TagSink {
    let path: String

    /// What was learned of one sink, such as how many tags it takes at once, is not used for another.
    var identity: String { "file:" + path }

    /// Writes a batch; only what is said to be delivered leaves the buffer.
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

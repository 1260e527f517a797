import DTVRKit

/// Reads an input, stores its tags in a buffer on disk, and delivers them to a collector.
///
///     dtvr collect --listen 127.0.0.1:8271 &
///     swift run BufferAndDeliver ../../media/demo/index.m3u8 /tmp/tags http://127.0.0.1:8271/
///
/// If the collector is unavailable, the tags stay in the buffer, and the next run delivers them.
@main
struct BufferAndDeliver {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4 else {
            print("usage: BufferAndDeliver INPUT DIRECTORY COLLECTOR")
            return
        }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "BufferAndDeliver/1.0"))
        let fetcher = try ResourceFetcher(client: client)
        let presentation = try await InputResolver(fetcher: fetcher).resolve(arguments[1])

        let buffer = try await TagBuffer.open(directory: arguments[2])
        let ingest = TagIngest(into: buffer)
        for await segment in presentation.readings(through: fetcher) {
            if case .failed(let error) = segment.outcome { print(error.message) }
            // Once this returns, the tags of the segment survive a crash.
            _ = try await ingest.append(segment.tags)
        }

        let sink = HTTPTagSink(url: arguments[3], client: client)
        let uploader = Uploader(buffer: buffer, sink: sink)
        let outcome = try await uploader.drain(timeLimit: .seconds(10))
        print(outcome)
        await buffer.close()
    }
}

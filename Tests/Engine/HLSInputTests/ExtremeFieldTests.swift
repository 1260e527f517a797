import TestSupport
import Testing

@testable import HLSInput

/// The numbers in header fields and byte ranges at their extremes, through complete readings.
@Suite(.timeLimit(.minutes(30))) struct ExtremeFieldTests {
    /// Header fields with `%` in place of a number.
    private static let fields = [
        "Content-Length: %", "Content-Range: bytes %-%/%", "Content-Range: bytes 0-%/%", "Retry-After: %",
        "Age: %", "Date: %", "Date: Sun, 06 Nov % 08:49:37 GMT", "Last-Modified: Sun, 06 Nov % 08:49:37 GMT",
        "Cache-Control: max-age=%", "ETag: %",
    ]

    private static let statuses = ["200 OK", "206 Partial Content", "% OK", "503 Busy"]

    /// Byte ranges of a segment and of its initialization segment, with `%` in place of a number.
    private static let ranges = [
        "#EXT-X-BYTERANGE:%", "#EXT-X-BYTERANGE:%@%", "#EXT-X-BYTERANGE:1@%", "#EXT-X-BYTERANGE:%@0",
        "#EXT-X-MAP:URI=\"seg.ts\",BYTERANGE=\"%@%\"", "#EXT-X-MAP:URI=\"seg.ts\",BYTERANGE=\"%@0\"",
    ]

    private static func playlist(_ lines: [String]) -> String {
        let segment = lines + ["#EXTINF:4,", "seg.ts"]
        return (["#EXTM3U", "#EXT-X-TARGETDURATION:4"] + segment + segment + ["#EXT-X-ENDLIST", ""])
            .joined(separator: "\n")
    }

    @Test func headerField_atEveryExtreme_isReadOrReported() async throws {
        let stream = try SyntheticStream.transport.get()
        let (fields, statuses) = (Self.fields, Self.statuses)
        let server = try LoopbackServer { request in
            let parts = request.target.split(separator: "/").map { Int($0) ?? 0 }
            guard parts.count == 4 else { return [.close] }
            let number = ExtremeNumbers.texts[parts[2]]
            let isPlaylist = request.target.hasSuffix(".m3u8")
            let segment = Array(stream[0].prefix(20 * 188))
            let body = isPlaylist ? Array(Self.playlist(["#EXT-X-BYTERANGE:188@0"]).utf8) : segment
            let head = [
                "HTTP/1.1 \(statuses[parts[1]])", fields[parts[0]], "Content-Length: \(body.count)", "", "",
            ]
            return [
                .send(head.joined(separator: "\r\n").replacing("%", with: number)), .sendBytes(body), .close,
            ]
        }
        defer { server.stop() }
        for field in fields.indices {
            for status in statuses.indices {
                for number in ExtremeNumbers.texts.indices {
                    await Self.read("\(server.base)/\(field)/\(status)/\(number)/index.m3u8")
                }
            }
        }
        // Each reading requests at least its playlist, and with a valid response its segments too.
        #expect(server.requests.count > fields.count * statuses.count * ExtremeNumbers.texts.count)
    }

    @Test(arguments: [true, false])
    func byteRange_atEveryExtreme_isReadOrReported(isLocal: Bool) async throws {
        let stream = try SyntheticStream.transport.get()
        var resources: [String: ServedResource] = [:]
        let folder = try TemporaryFolder()
        for (index, range) in Self.ranges.enumerated() {
            for (number, text) in ExtremeNumbers.texts.enumerated() {
                let playlist = Self.playlist([range.replacing("%", with: text)])
                resources["/\(index)-\(number).m3u8"] = ServedResource(playlist)
                if isLocal { _ = try folder.write("\(index)-\(number).m3u8", playlist.utf8) }
            }
        }
        let segment = Array(stream[0].prefix(20 * 188))
        resources["/seg.ts"] = ServedResource(segment)
        if isLocal { _ = try folder.write("seg.ts", segment) }
        let server = try LoopbackServer(serving: resources)
        defer { server.stop() }
        for name in resources.keys.sorted() where name != "/seg.ts" {
            await Self.read(isLocal ? folder.path + name : server.base + name)
        }
    }

    /// An empty range is complete before it is requested.
    @Test func byteRange_ofLengthZero_isNotRequested() async throws {
        let stream = try SyntheticStream.transport.get()
        let playlist = Self.playlist(["#EXT-X-BYTERANGE:0@0"])
        let server = try LoopbackServer(serving: [
            "/index.m3u8": ServedResource(playlist), "/seg.ts": ServedResource(stream[0]),
        ])
        defer { server.stop() }
        let reading = try await InputReading(server.base + "/index.m3u8")
        #expect(reading.tags.isEmpty && reading.readings.count == 2)
        #expect(!server.requests.contains { $0.target == "/seg.ts" })
    }

    /// Reads an input; an error is a valid outcome, and a trap would end the process.
    private static func read(_ source: String) async {
        do {
            _ = try await InputReading(source)
        } catch {
            #expect(error is InputError, "\(source): \(error)")
        }
    }
}

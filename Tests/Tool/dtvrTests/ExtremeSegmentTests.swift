import Foundation
import TestSupport
import Testing

/// Segments with a number of the container at an extreme, through each command that reads segments.
@Suite(.timeLimit(.minutes(30))) struct ExtremeSegmentTests {
    /// Writes the segments, and playlists of them: as one stream, each after a discontinuity, each with the same date,
    /// and two renditions that differ in every segment.
    private static func write(to folder: TemporaryFolder) throws -> [String] {
        let demo = try Data(contentsOf: URL(fileURLWithPath: Tool.demo + "/v360/seg00001.ts"))
        let segments = ExtremeSegments.all(transportStream: Array(demo.prefix(100 * 188)))
        for (index, segment) in segments.enumerated() { try folder.write("\(index)", segment.bytes) }
        func playlist(_ name: String, _ order: some Sequence<Int>, before line: String) throws -> String {
            var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:6"]
            for index in order { lines += [line, "#EXTINF:6,", "\(index)"] }
            return try folder.write(name, (lines + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n"))
        }
        let multivariant =
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nrow.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=2\nback.m3u8\n"
        _ = try playlist("back.m3u8", segments.indices.reversed(), before: "#EXT-X-DISCONTINUITY")
        return [
            try playlist("row.m3u8", segments.indices, before: "#"),
            try playlist("apart.m3u8", segments.indices, before: "#EXT-X-DISCONTINUITY"),
            try playlist(
                "dated.m3u8", segments.indices, before: "#EXT-X-PROGRAM-DATE-TIME:9999-12-31T23:59:59Z"),
            try folder.write("main.m3u8", multivariant),
        ]
    }

    @Test func segments_withExtremeNumbers_areReadByEachCommand() async throws {
        let folder = try TemporaryFolder()
        let playlists = try Self.write(to: folder)
        for playlist in playlists {
            let scan = try await Tool.run("scan", "--format", "jsonl", "--all", playlist)
            #expect(scan.status == 0, "\(scan.errors.suffix(1_000))")
            #expect(scan.outputLines.count > 100)
            let run = try await Tool.run("run", "--store", folder.path + "/store", playlist)
            #expect(run.status == 0, "\(run.errors.suffix(1_000))")
            let format = ["html", "junit", "csv", "json"][playlists.firstIndex(of: playlist) ?? 0]
            let check = try await Tool.run("check", "--format", format, playlist)
            #expect(check.status == 1, "\(playlist): \(check.errors.suffix(1_000))")
        }
        let against = try await Tool.run("check", "--against", playlists[1], playlists[0])
        #expect(against.status == 1, "\(against.errors.suffix(1_000))")
        let list = try await Tool.run("store", "list", "--store", folder.path + "/store")
        #expect(list.status == 0 && list.outputLines.count > 50)
    }
}

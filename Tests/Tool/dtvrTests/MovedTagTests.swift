import Foundation
import TestSupport
import Testing

/// Tags whose times, or whose stream, a hop has changed while audio and video are the same.
@Suite(.timeLimit(.minutes(30))) struct MovedTagTests {
    /// Writes the demonstration rendition with each transport stream segment changed.
    private static func write(
        _ change: ([UInt8]) throws -> [UInt8], to folder: TemporaryFolder
    ) throws -> String {
        let source = URL(fileURLWithPath: Tool.demo + "/v360")
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            let bytes = Array(try Data(contentsOf: source.appendingPathComponent(name)))
            _ = try folder.write(name, name.hasSuffix(".ts") ? try change(bytes) : bytes)
        }
        return folder.path + "/index.m3u8"
    }

    /// Returns a segment whose metadata packets have a PTS that is 3 s later.
    private static func moved(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for start in stride(from: 0, to: bytes.count, by: 188) {
            let pid = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
            guard pid == TransportStreamFilter.metadataPID, bytes[start + 1] & 0x40 != 0 else { continue }
            let adaptation = bytes[start + 3] & 0x20 == 0 ? 0 : 1 + Int(bytes[start + 4])
            let place = start + 4 + adaptation + 9
            let field = bytes[place..<place + 5].map(UInt64.init)
            var pts = (field[0] >> 1 & 7) << 30 | field[1] << 22 | (field[2] >> 1) << 15 | field[3] << 7
            pts = (pts | field[4] >> 1) + 270_000
            bytes[place] = bytes[place] & 0xF1 | UInt8(pts >> 30 & 7) << 1
            bytes[place + 1] = UInt8(truncatingIfNeeded: pts >> 22)
            bytes[place + 2] = UInt8(truncatingIfNeeded: pts >> 14) | 1
            bytes[place + 3] = UInt8(truncatingIfNeeded: pts >> 7)
            bytes[place + 4] = UInt8(truncatingIfNeeded: pts << 1) | 1
        }
        return bytes
    }

    @Test func everyTagLater_whileAudioAndVideoAgree_isAWarning() async throws {
        let folder = try TemporaryFolder()
        let edge = try Self.write(Self.moved, to: folder)
        let origin = Tool.demo + "/v360/index.m3u8"
        let result = try await Tool.run("check", "--against", edge, origin)
        #expect(result.status == 0 && result.output.hasPrefix("WARN"), "\(result)")
        let text = result.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(
            text.contains("is 3 s after its place in")
                && text.contains("audio and video have the same times"),
            "\(result.output)")
        let same = try await Tool.run("check", "--against", origin, origin)
        #expect(same.status == 0 && same.output.hasPrefix("PASS"), "\(same)")
    }

    /// A PMT without the ID3 stream, and one with an empty stream.
    @Test func lackOfTags_isExplainedByThePMT() async throws {
        let filter = TransportStreamFilter(dropped: [TransportStreamFilter.metadataPID])
        let dropping = try TemporaryFolder()
        let gone = try await Tool.run("check", try Self.write(filter.filter, to: dropping))
        #expect(gone.status == 1)
        #expect(gone.output.contains("the PMT declares no stream for"), "\(gone.output)")
        let emptied = { (bytes: [UInt8]) -> [UInt8] in
            stride(from: 0, to: bytes.count, by: 188).flatMap { start -> ArraySlice<UInt8> in
                let pid = Int(bytes[start + 1] & 0x1F) << 8 | Int(bytes[start + 2])
                return pid == TransportStreamFilter.metadataPID ? [] : bytes[start..<start + 188]
            }
        }
        let folder = try TemporaryFolder()
        let empty = try await Tool.run("check", try Self.write(emptied, to: folder))
        #expect(empty.status == 1)
        let text = empty.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(text.contains("on PID 258, but it is empty"), "\(empty.output)")
    }
}

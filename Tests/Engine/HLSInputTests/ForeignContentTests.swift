import Foundation
import TestSupport
import Testing

@testable import HLSInput

/// Inputs that are neither segments nor playlists are named as what they are.
@Suite struct ForeignContentTests {
    private static func tar(_ content: [UInt8]) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        header.replaceSubrange(257..<262, with: "ustar".utf8)
        return header + content
    }

    @Test(arguments: [
        ([0x1F, 0x8B, 8, 0], "gzip"), ([0x28, 0xB5, 0x2F, 0xFD, 0], "zstd"), (Array("BZh9".utf8), "bzip2"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "xz"), ([0x50, 0x4B, 3, 4], "zip"),
        ([0x1A, 0x45, 0xDF, 0xA3], "Matroska"), (Array("FLV\u{1}".utf8), "FLV"),
        (Array("RIFFxxxxWAVE".utf8), "WAV"), (Array("OggS".utf8), "Ogg"),
        (Array("<?xml version='1'?>\n<!-- a -->\n<MPD>".utf8), "DASH manifest"),
        (Array("<?xml version='1'?><a>".utf8), "XML"), (Array("<!DOCTYPE html>".utf8), "HTML page"),
        (Array("{\"log\":{}}".utf8), "dtvr certify"), (Array("#EXTINF:6,\na.ts".utf8), "first line"),
        (Array("https://a.example/".utf8), "--inputs"), ([0xFF, 0xFE, 0x23, 0], "UTF-16"),
        (tar([]), "tar archive"), ([0, 0, 1, 0xBA], "program stream"),
    ])
    func format_isNamed(front: [UInt8], name: String) throws {
        #expect(try #require(InputError.likelyFormat(of: front)).contains(name))
    }

    @Test func tarOfSegments_isNotReadAsASegment() async throws {
        let folder = try TemporaryFolder()
        let segment = try Data(
            contentsOf: URL(fileURLWithPath: Project.root + "/media/demo/v360/seg00001.ts"))
        let path = try folder.write("a.tar", Self.tar(Array(segment)))
        let reading = try await InputReading(path)
        #expect(reading.tags.isEmpty && reading.failures.count == 1)
    }

    @Test func foldersOnly_areNamed() async throws {
        let folder = try TemporaryFolder()
        for name in ["b", "a", ".hidden"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false)
        }
        let error = await #expect(throws: InputError.self) { _ = try await InputReading(folder.path) }
        #expect(error?.reason == "has no files, only folders; name one of them: a, b")
    }

    @Test func encryptedSegment_withoutItsPlaylist_isNamed() async throws {
        let folder = try TemporaryFolder()
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<4096).map { index in
            index == 0 ? 1 : UInt8.random(in: .min ... .max, using: &generator)
        }
        let reading = try await InputReading(try folder.write("seg1.ts", bytes))
        #expect(reading.failures.first?.error.reason.contains("look encrypted") == true)
    }

    @Test func fragments_withoutTheirInitializationSegment_areRead_andTheLackIsReported() async throws {
        let stream = try SyntheticStream.fragmented.get()
        let folder = try TemporaryFolder()
        let name = stream.segmentNames[0]
        let path = try folder.write(name, try #require(stream.files[name]))
        let alone = try await InputReading(path)
        #expect(alone.readSegments == [0] && !alone.tags.isEmpty)
        let lack = alone.readings[0].missingInitialization?.reason
        #expect(lack?.hasPrefix("has no initialization segment") == true)
        _ = try folder.write("init.mp4", try #require(stream.files["init.mp4"]))
        let whole = try await InputReading(folder.path)
        #expect(whole.readings.allSatisfy { $0.missingInitialization == nil })
    }

    /// Without `mvex`, the samples of a movie are outside of fragments.
    @Test func progressiveMP4_isNotASegment() async throws {
        var bytes = try #require(try SyntheticStream.fragmented.get().files["init.mp4"])
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: "mvex".utf8) })
        bytes.replaceSubrange(place..<place + 4, with: "free".utf8)
        let folder = try TemporaryFolder()
        let reading = try await InputReading(try folder.write("movie.mp4", bytes))
        #expect(reading.failures.first?.error.reason.contains("progressive MP4") == true)
    }
}

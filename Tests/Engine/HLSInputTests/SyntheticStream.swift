import Foundation
import StreamSynthesis
import TestSupport

/// A stream with known tags, made once per test run and held in memory: five segments of four seconds each.
struct SyntheticStream: Sendable {
    /// The files of the rendition by name, `index.m3u8` among them.
    let files: [String: [UInt8]]
    /// The names of the media segments, in order.
    let segmentNames: [String]
    /// The tags according to the synthesizer, independent of the readers under test.
    let tags: [ScheduledTag]

    static let startPTS: UInt64 = 900_000
    static let segmentDuration: UInt64 = 4

    /// Transport stream segments.
    static let transport = Result { try SyntheticStream(.transportStream) }
    /// Fragmented MP4 segments and their initialization segment, `init.mp4`.
    static let fragmented = Result { try SyntheticStream(.fragmentedMP4) }
    /// Transport stream segments whose PTS wraps in the third one.
    static let wrapping = Result { try SyntheticStream(.transportStream, startPTS: (1 << 33) - 900_000) }

    private init(
        _ container: SynthesisSettings.Container, startPTS: UInt64 = SyntheticStream.startPTS
    ) throws {
        var settings = SynthesisSettings()
        settings.duration = Double(5 * Self.segmentDuration)
        settings.segmentDuration = Double(Self.segmentDuration)
        settings.tagInterval = 3
        settings.startPTS = startPTS
        settings.renditions = [.init(name: "r", video: nil, container: container)]
        let folder = try TemporaryFolder()
        let report = try StreamSynthesizer(settings).write(to: folder.path)
        var files: [String: [UInt8]] = [:]
        for file in report.files where file.path.hasPrefix("r/") {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + file.path))
            files[String(file.path.dropFirst(2))] = Array(bytes)
        }
        self.files = files
        segmentNames = files.keys.filter { $0.hasPrefix("seg") }.sorted()
        tags = report.tags
    }

    /// The owner identifiers of all tags, in order.
    var owners: [String] { tags.map(\.ownerIdentifier) }

    /// The bytes of a segment.
    subscript(segment: Int) -> [UInt8] { files[segmentNames[segment]] ?? [] }

    /// Returns the segment that contains a tag, by its time.
    func segment(of tag: ScheduledTag) -> Int {
        let start = tags.first.map(\.pts) ?? 0
        return Int((tag.pts &- start) & (1 << 33 - 1)) / Int(90_000 * Self.segmentDuration)
    }

    /// Returns the owner identifiers of the tags in some of the segments.
    func owners(inSegments segments: some Sequence<Int>) -> [String] {
        let wanted = Set(segments)
        return tags.filter { wanted.contains(segment(of: $0)) }.map(\.ownerIdentifier)
    }

    /// Returns a media playlist of the segments; `before` returns the lines before an EXTINF, and `uri` an address.
    func playlist(
        segments: [Int] = [0, 1, 2, 3, 4], header: [String] = [], isEnded: Bool = true,
        before: (Int) -> [String] = { _ in [] }, uri: ((Int) -> String)? = nil
    ) -> String {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(Self.segmentDuration)"] + header
        for segment in segments {
            lines += before(segment)
            lines += ["#EXTINF:\(Self.segmentDuration),", uri?(segment) ?? segmentNames[segment]]
        }
        if isEnded { lines.append("#EXT-X-ENDLIST") }
        return lines.joined(separator: "\n") + "\n"
    }
}

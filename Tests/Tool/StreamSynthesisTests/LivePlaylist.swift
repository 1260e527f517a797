import HTTPServing
import Testing

@testable import StreamSynthesis

/// The playlist of a live channel, as lines.
struct LivePlaylist: Equatable {
    var lines: [Substring]

    init(_ text: String) { lines = text.split(separator: "\n") }

    /// Requests a path at a number of seconds.
    init(_ station: SyntheticOrigin, _ path: String = "/ch1/index.m3u8", at seconds: Double) throws {
        let answer = station.answer(.init(path), at: .seconds(seconds)).content
        try #require(answer.status == 200, "\(path) at \(seconds): \(answer.status)")
        self.init(String(decoding: answer.body, as: UTF8.self))
    }

    /// The names of the segments.
    var names: [String] { lines.filter { !$0.hasPrefix("#") }.map(String.init) }

    /// Returns the value of a tag that occurs once, or nil if it is absent.
    func value(_ tag: String) -> String? {
        lines.first { $0.hasPrefix("#\(tag):") }.map { String($0.dropFirst(tag.count + 2)) }
    }

    /// The media sequence number.
    var sequence: Int? { value("EXT-X-MEDIA-SEQUENCE").flatMap { Int($0) } }

    /// Returns the tags of some kinds before each segment that has any.
    func tags(_ kinds: String...) -> [String: [String]] {
        var tags: [String: [String]] = [:]
        var before: [String] = []
        for line in lines {
            if line.hasPrefix("#") {
                if kinds.contains(where: { line.hasPrefix("#\($0)") }) { before.append(String(line)) }
            } else {
                if !before.isEmpty { tags[String(line)] = before }
                before = []
            }
        }
        return tags
    }

    /// Returns the tags in a transport stream.
    ///
    /// Each tag fills two packets, as `MetadataPacketizer` describes.
    static func tags(in segment: [UInt8]) -> [[UInt8]] {
        var tags: [[UInt8]] = []
        for packet in stride(from: 0, to: segment.count, by: 188)
        where segment[packet + 1] == 0x41 && segment[packet + 2] == 0x02 {
            tags.append(Array(segment[(packet + 18)..<(packet + 188)]))
            tags[tags.count - 1] += segment[(packet + 275)..<(packet + 376)]
        }
        return tags
    }
}

import HLSPlaylist

@testable import StreamSynthesis

/// Turns the playlist of a working server into one that a broken or hostile server might send.
struct RandomPlaylist {
    var random: SplitMix64

    /// Numbers at and beyond every limit.
    static let numbers = [
        "0", "1", "-1", "0.001", "6", "4294967296", "9007199254740991", "9007199254740992",
        "2305843009213693950", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "99999999999999999999999", "1000000", "1000001", "1e308", "nan", "", "0000000000000000000000000007",
    ]

    /// Lines that are inserted anywhere; `%` is a number.
    private static let lines = [
        "#EXT-X-TARGETDURATION:%", "#EXT-X-MEDIA-SEQUENCE:%", "#EXT-X-DISCONTINUITY-SEQUENCE:%", "#EXTINF:%,",
        "#EXT-X-BYTERANGE:%@%", "#EXT-X-PART-INF:PART-TARGET=%", "#EXT-X-PART:URI=\"p\",DURATION=%",
        "#EXT-X-SKIP:SKIPPED-SEGMENTS=%", "#EXT-X-MAP:URI=\"m\",BYTERANGE=\"%@%\"", "#EXT-X-CUE-OUT:%",
        "#EXT-X-CUE-OUT-CONT:%/%", "#EXT-X-CUE-IN", "#EXT-X-DISCONTINUITY", "#EXT-X-GAP", "#EXT-X-ENDLIST",
        "#EXT-X-DATERANGE:ID=\"a\",SCTE35-OUT=0x00,START-DATE=\"2026-01-01T00:00:00Z\",DURATION=%",
        "#EXT-X-DATERANGE:ID=\"%\",SCTE35-IN=0x00,START-DATE=\"9999-12-31T23:59:59Z\",PLANNED-DURATION=%",
        "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.%Z", "#EXT-X-PROGRAM-DATE-TIME:9999-12-31T23:59:60Z",
        "#EXT-X-PROGRAM-DATE-TIME:0000-01-01T00:00:00Z", "#EXT-X-KEY:METHOD=AES-128,URI=\"key\",IV=0x%",
        "#EXT-X-KEY:METHOD=NONE", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"{$a}{$a}\"",
        "#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=%,HOLD-BACK=%", "{$a}", "../../x",
        "//127.0.0.1:1/x",
        "file:///etc/passwd", "#EXT-X-PLAYLIST-TYPE:VOD", "#EXT-X-I-FRAMES-ONLY",
        "#EXT-X-STREAM-INF:BANDWIDTH=%", "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\",NAME=\"n\",URI=\"r1.m3u8\"",
    ]

    mutating func number() -> String { Self.numbers.randomElement(using: &random) ?? "0" }

    private mutating func line() -> String {
        let line = Self.lines.randomElement(using: &random) ?? ""
        return line.split(separator: "%", omittingEmptySubsequences: false).map(String.init).joined(
            separator: number())
    }

    /// Returns a version of a playlist, in most cases unchanged.
    mutating func version(of playlist: String) -> [UInt8] {
        var lines = playlist.split(separator: "\n").map(String.init)
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
            for index in lines.indices where lines[index].hasPrefix("#EXT") && Bool.random(using: &random) {
                lines[index] = lines[index].replacing(#/\d+/#, with: number(), maxReplacements: 1)
            }
        case 1, 2:
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                lines.insert(line(), at: .random(in: 0...lines.count, using: &random))
            }
        case 3:
            let sequence = number()
            lines = lines.map {
                $0.hasPrefix("#EXT-X-MEDIA-SEQUENCE") ? "#EXT-X-MEDIA-SEQUENCE:\(sequence)" : $0
            }
        case 4:
            lines += segments(Int.random(in: 1...3_000, using: &random))
        case 5:
            lines = variants(Int.random(in: 1...3_000, using: &random))
        case 6:
            lines.insert(contentsOf: variables(), at: 1)
        case 7:
            lines.insert(contentsOf: dateRanges(Int.random(in: 1...12_000, using: &random)), at: 1)
        case 8:
            var bytes = Array(playlist.utf8)
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                bytes[.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
            }
            return bytes
        case 9:
            return Array(playlist.utf8.prefix(.random(in: 0...playlist.utf8.count, using: &random)))
        case 10:
            lines.shuffle(using: &random)
        default: break
        }
        return Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    private mutating func segments(_ count: Int) -> [String] {
        let name = UInt32.random(in: 0...9, using: &random)
        return (0..<count).flatMap {
            ["#EXTINF:\($0.isMultiple(of: 7) ? number() : "6"),", "new\(name)-\($0).aac"]
        }
    }

    private mutating func variants(_ count: Int) -> [String] {
        let names = Int.random(in: 1...count, using: &random)
        return ["#EXTM3U"]
            + (0..<count).flatMap { index in
                [
                    "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"g\(index % 7)\",NAME=\"n\",URI=\"a\(index % names).m3u8\"",
                    "#EXT-X-STREAM-INF:BANDWIDTH=\(index),AUDIO=\"g\(index % 5)\"", "r\(index % names).m3u8",
                ]
            }
    }

    private mutating func variables() -> [String] {
        let depth = Int.random(in: 1...40, using: &random)
        let first = [
            "#EXT-X-DEFINE:NAME=\"v0\",VALUE=\"ab\"", "#EXT-X-DEFINE:QUERYPARAM=\"q\"",
            "#EXT-X-DEFINE:IMPORT=\"v1\"",
        ]
        let doubling = (1...depth).map {
            "#EXT-X-DEFINE:NAME=\"v\($0)\",VALUE=\"{$v\($0 - 1)}{$v\($0 - 1)}\""
        }
        return first + doubling + (0..<500).flatMap { _ in ["#EXTINF:1,", "{$v\(depth)}.aac"] }
    }

    private mutating func dateRanges(_ count: Int) -> [String] {
        let seconds = number()
        return (0..<count).map {
            "#EXT-X-DATERANGE:ID=\"\($0)\",SCTE35-OUT=0x00,START-DATE=\"2026-01-01T00:00:00Z\",DURATION=\(seconds)"
        }
    }
}

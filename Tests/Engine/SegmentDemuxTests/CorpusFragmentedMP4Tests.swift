import ID3v2
import Testing

@testable import SegmentDemux

/// Fragmented MP4 of the corpus, compared with a structural walk and mutagen.
@Suite(.enabled(if: CorpusFiles.isPresent, "the reference files are absent"))
struct CorpusFragmentedMP4Tests {
    private static let paths = [".mp4", ".m4s"].flatMap { CorpusFiles.paths(endingIn: $0) }

    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// Returns the initialization segment beside a segment of the corpus.
    private static func initialization(beside path: String) -> String? {
        guard path.hasSuffix(".m4s"), let name = path.split(separator: "/").last else { return nil }
        let stem = name.split(separator: "_dash").first.map(String.init) ?? ""
        let track = name.contains("track257") ? "_dash_track257_init.mp4" : "_dashinit.mp4"
        return path.dropLast(name.count) + stem + track
    }

    @Test func tags_ofEachMP4File_matchTheReference() throws {
        var eventCount = 0
        for path in Self.paths {
            let truth = try #require(try CorpusFiles.truth(path)["mp4"] as? [String: Any])
            let events = truth["emsg"] as? [[String: Any]] ?? []
            let boxes = truth["id32"] as? [[String: Any]] ?? []
            var demuxer = FragmentedMP4Demuxer()
            if let initialization = Self.initialization(beside: path) {
                _ = try demuxer.segment(try CorpusFiles.bytes(initialization))
            }
            let bytes = try CorpusFiles.bytes(path)
            let segment = try demuxer.segment(bytes)
            #expect(segment.facts.malformed.count == 0, "\(path): \(segment.facts.malformed.first)")
            for tag in segment.tags {
                #expect(Array(bytes[tag.offset...].prefix(tag.bytes.count)) == tag.bytes)
            }
            let fromBoxes = segment.tags.filter { $0.carriage == .metadataBox }
            #expect(
                fromBoxes.map(\.bytes.count)
                    == boxes.flatMap {
                        ($0["tags"] as? [[String: Any]] ?? []).map { $0["total"] as? Int ?? 0 }
                    })
            var found = segment.tags.filter { $0.carriage != .metadataBox }[...]
            for event in events {
                let message = Self.bytes(event["message_hex"] as? String ?? "")
                for tag in event["tags"] as? [[String: Any]] ?? [] {
                    guard let metadata = found.popFirst() else {
                        Issue.record("\(path): a tag is missing")
                        continue
                    }
                    let start = tag["offset"] as? Int ?? 0
                    let total = tag["total"] as? Int ?? 0
                    #expect(metadata.bytes == Array(message.dropFirst(start).prefix(total)), "\(path)")
                    #expect(
                        (metadata.completeness == .complete) == (tag["truncated"] as? Bool != true), "\(path)"
                    )
                    guard case .eventMessage(let carriage) = metadata.carriage else {
                        Issue.record("\(path): \(metadata.carriage)")
                        continue
                    }
                    #expect(Int(carriage.version) == event["version"] as? Int)
                    #expect(carriage.schemeIDURI == event["scheme_id_uri"] as? String)
                    #expect(carriage.value == event["value"] as? String)
                    #expect(Int(carriage.id) == event["id"] as? Int)
                    #expect(Int(carriage.duration ?? .max) == event["event_duration"] as? Int)
                    if carriage.version == 1 {
                        #expect(metadata.time?.ticks == (event["presentation_time"] as? Int).map(UInt64.init))
                        #expect(metadata.time.map { Int($0.timescale) } == event["timescale"] as? Int)
                    }
                    eventCount += 1
                }
            }
            #expect(found.isEmpty, "\(path)")
        }
        #expect(eventCount >= 15)
    }

    /// Compares the earliest time of each file with the decode times that the structural walk found.
    @Test func decodeTime_ofEachFile_isTheEarliestTime() throws {
        var compared = 0
        for path in Self.paths {
            let truth = try #require(try CorpusFiles.truth(path)["mp4"] as? [String: Any])
            guard let times = truth["tfdt"] as? [Int], !times.isEmpty else { continue }
            var demuxer = FragmentedMP4Demuxer()
            if let initialization = Self.initialization(beside: path) {
                let section = try demuxer.segment(try CorpusFiles.bytes(initialization))
                #expect(section.facts.container == .fragmentedMP4(isInitialization: true))
            }
            let segment = try demuxer.segment(try CorpusFiles.bytes(path))
            #expect(segment.facts.container == .fragmentedMP4(isInitialization: false))
            let earliest = try #require(segment.facts.earliestMediaTime, "\(path)")
            #expect(times.contains(Int(earliest.ticks)), "\(path): \(earliest)")
            let latest = try #require(segment.facts.latestMediaTime, "\(path)")
            #expect(!latest.isEarlier(than: earliest))
            compared += 1
        }
        #expect(compared >= 10)
    }

    @Test func mp4File_inChunks_isDemuxedIdentically() throws {
        #expect(Self.paths.count >= 20)
        for path in Self.paths {
            let bytes = try CorpusFiles.bytes(path)
            var demuxer = FragmentedMP4Demuxer()
            let whole = try demuxer.segment(bytes)
            for chunk in [1, 2, 7, 188, 1_000, 4_096] {
                for skipping in [false, true] {
                    var other = FragmentedMP4Demuxer()
                    #expect(
                        try other.segment(bytes, chunk: chunk, skipping: skipping) == whole,
                        "\(path) by \(chunk)")
                }
            }
        }
    }
}

import Foundation
import ID3v2
import SegmentDemux
import Testing

/// Every transport stream of the corpus, compared with the results of independent readers.
@Suite(.enabled(if: CorpusFiles.isPresent, "the reference files are absent"))
struct CorpusTransportStreamTests {
    /// A tag of a truth file.
    private struct Expected: Hashable, CustomStringConvertible {
        let pts: UInt64?
        let pid: UInt16
        let offset: Int
        let byteCount: Int
        let head: [UInt8]

        var description: String {
            "pts \(String(describing: pts)) pid \(pid) at \(offset): \(byteCount) bytes"
        }
    }

    /// Returns `ts.id3_pes` of a truth file: a structural walk, with tag lengths confirmed by mutagen.
    private func expected(_ truth: [String: Any]) -> [Expected] {
        let walk = truth["ts"] as? [String: Any]
        let packets = walk?["id3_pes"] as? [[String: Any]] ?? []
        return packets.flatMap { packet in
            let payload = hexBytes(packet["payload_hex"] as? String ?? "")
            return (packet["tags"] as? [[String: Any]] ?? []).map { tag in
                let start = (tag["offset"] as? Int) ?? 0
                let total = (tag["total"] as? Int) ?? 0
                return Expected(
                    pts: (packet["pts"] as? Int).map(UInt64.init), pid: UInt16(packet["pid"] as? Int ?? 0),
                    offset: packet["pos"] as? Int ?? 0, byteCount: total,
                    head: start == 0 ? Array(payload.prefix(total)) : [])
            }
        }
    }

    private func hexBytes(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    @Test func tags_ofEachTransportStream_matchTheStructuralWalk() throws {
        let paths = CorpusFiles.paths(endingIn: ".ts").filter { !$0.hasPrefix("probes/") }
        #expect(paths.count == 52)
        var tagCount = 0
        for path in paths {
            let truth = expected(try CorpusFiles.truth(path))
            let segment = try demux(try CorpusFiles.bytes(path))
            let found = segment.tags.map { tag in
                var pid: UInt16 = 0
                if case .transportStream(let of) = tag.carriage { pid = of }
                let known = truth.first { $0.offset == tag.offset }?.head.count ?? 0
                return Expected(
                    pts: tag.time?.ticks, pid: pid, offset: tag.offset, byteCount: tag.bytes.count,
                    head: Array(tag.bytes.prefix(known)))
            }
            #expect(found == truth, "\(path)")
            #expect(segment.tags.allSatisfy { $0.completeness == .complete }, "\(path)")
            #expect(segment.facts.container == .transportStream(packetSize: 188), "\(path)")
            let walk = try CorpusFiles.truth(path)["ts"] as? [String: Any]
            #expect(segment.facts.continuityErrors.count == walk?["cc_errors"] as? Int, "\(path)")
            #expect(segment.facts.unreportedPESCount == 0, "\(path)")
            // Two of the files end within a packet.
            let isCut = try CorpusFiles.bytes(path).count % 188 != 0
            #expect(
                segment.facts.malformed.first.map(\.rule) == (isCut ? ["transport.packet-truncated"] : []),
                "\(path)")
            tagCount += found.count
        }
        #expect(tagCount == 36)
    }

    /// mux.js also reads the payload from its first byte, and returns one tag of each PES packet.
    @Test func tagTimesAndSizes_matchMuxJS() throws {
        var tagCount = 0
        for path in CorpusFiles.paths(endingIn: ".ts").filter({ !$0.hasPrefix("probes/") }) {
            let truth = try CorpusFiles.truth(path)["muxjs"] as? [String: Any]
            let theirs = (truth?["tags"] as? [[String: Any]] ?? []).map {
                [$0["pts"] as? Int ?? -1, $0["size"] as? Int ?? -1]
            }
            let ours = try demux(try CorpusFiles.bytes(path)).tags.map {
                [$0.time.map { Int($0.ticks) } ?? -1, $0.bytes.count]
            }
            #expect(ours == theirs, "\(path)")
            tagCount += theirs.count
        }
        #expect(tagCount >= 30)
    }

    /// The difference from ffprobe 5.1.9, where ffprobe is wrong.
    ///
    /// In all files with tags, each packet of ffprobe has five bytes less than the payload of its PES packet. ffprobe
    /// treats the first five bytes of stream type 0x15 as the header of a metadata access-unit cell, in stream_id 0xBD
    /// too.
    ///
    /// The packets, their PTS and their offsets are equal in all files.
    @Test func ffprobePackets_areFiveBytesShorterThanTheirPayloads() throws {
        var packetCount = 0
        for path in CorpusFiles.paths(endingIn: ".ts").filter({ !$0.hasPrefix("probes/") }) {
            let all = try CorpusFiles.truth(path)
            let truth = all["ffprobe"] as? [String: Any]
            // ffprobe also lists the packets of other private data.
            let timed = (truth?["streams"] as? [[String: Any]] ?? []).filter {
                $0["codec_name"] as? String == "timed_id3"
            }.map { $0["index"] as? Int }
            let theirs = (truth?["packets"] as? [[String: Any]] ?? []).filter {
                timed.contains($0["stream_index"] as? Int)
            }
            let tags = try demux(try CorpusFiles.bytes(path)).tags
            #expect(
                tags.map { "\($0.pts.map(Int.init) ?? -1) \($0.offset)" }
                    == theirs.map { "\($0["pts"] as? Int ?? -1) \($0["pos"] as? String ?? "")" }, "\(path)")
            let walk = (all["ts"] as? [String: Any])?["id3_pes"] as? [[String: Any]] ?? []
            let payloads = walk.map { $0["payload_len"] as? Int ?? -1 }
            #expect(theirs.map { (Int($0["size"] as? String ?? "") ?? -1) + 5 } == payloads, "\(path)")
            packetCount += theirs.count
        }
        #expect(packetCount == 36)
    }

    /// The truth files of the probes: the complete tags that a correct reader returns, in order, with the PTS where
    /// each begins.
    @Test func completeTags_ofEachProbe_matchTheReference() throws {
        let paths = CorpusFiles.paths(endingIn: ".ts", under: "probes")
        #expect(paths.count == 23)
        for path in paths {
            // The name of a probe's truth file does not contain `.ts`.
            let data = try Data(
                contentsOf: CorpusFiles.root.appendingPathComponent(path.dropLast(3) + ".truth.json"))
            let truth = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            let theirs = (truth?["tags"] as? [[String: Any]] ?? []).map { tag in
                "\(tag["pts"] as? Int ?? -1) \(tag["owner"] as? String ?? "")"
            }
            let segment = try demux(try CorpusFiles.bytes(path))
            let whole = segment.tags.filter { $0.completeness == .complete }
            #expect(
                whole.map { "\($0.time.map { Int($0.ticks) } ?? -1) \(owner($0.bytes))" } == theirs, "\(path)"
            )
            for (tag, known) in zip(whole, truth?["tags"] as? [[String: Any]] ?? []) {
                if let count = known["bytes"] as? Int { #expect(tag.bytes.count == count, "\(path)") }
            }
        }
    }

    /// Returns the text from `www.nielsen.com/` to the zero byte.
    private func owner(_ bytes: [UInt8]) -> String {
        let text = Array("www.nielsen.com/".utf8)
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: text) }) else { return "" }
        return String(decoding: bytes[start...].prefix { $0 != 0 }, as: UTF8.self)
    }

}

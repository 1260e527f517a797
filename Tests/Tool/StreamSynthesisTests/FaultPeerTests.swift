import Foundation
import Testing

@testable import StreamSynthesis

/// Reads every fault with ffprobe and mutagen, to verify the reader that the other tests rely on.
@Suite(Peer.python.isInstalled, .timeLimit(.minutes(30))) struct FaultPeerTests {
    static let transportStreams = FaultSubject.quick.filter { $0.container == .transportStream }

    @Test(Peer.ffprobe.isInstalled, arguments: transportStreams)
    func peer_ffprobe_seesTheSamePackets(subject: FaultSubject) async throws {
        let rendition = try #require(try await MadeStream.of(subject.settings).renditions.last)
        let output = try await Peer.ffprobe.run(
            [
                "-v", "error", "-f", "mpegts", "-show_entries",
                "stream=index,id,codec_name:packet=stream_index,pts,data", "-show_data", "-of", "json",
                "pipe:0",
            ], input: rendition.bytes)
        let probe = try JSONDecoder().decode(Probe.self, from: output)
        let stream = try #require(probe.streams.first { $0.id == "0x102" })
        guard subject.fault != .streamType else {
            // From the type of a private stream, ffprobe guesses that all tags together are audio.
            #expect(stream.codec != "timed_id3")
            return
        }
        #expect(stream.codec == (subject.fault == .pmtDescriptors ? nil : "timed_id3"))
        let packets = probe.packets.filter { $0.stream == stream.index }
        let tags = rendition.reading.tags
        #expect(packets.count == tags.count)
        for (packet, tag) in zip(packets, tags) {
            #expect(packet.pts == tag.number("pts"))
            // libavformat before version 60 takes the first five bytes for its own header and drops them.
            let hex = tag.text("hex") ?? ""
            #expect([hex, String(hex.dropFirst(10))].contains(packet.hex))
        }
    }

    @Test(Peer.mutagen.isInstalled, arguments: transportStreams)
    func peer_mutagen_seesTheSameFrames(subject: FaultSubject) async throws {
        let reading = try #require(try await MadeStream.of(subject.settings).renditions.last).reading
        let input = reading.tags.compactMap { $0.text("hex") }.joined(separator: "\n") + "\n"
        let output = try await Peer.mutagen.run([MadeStream.readFrames], input: Data(input.utf8))
        let answers = String(decoding: output, as: UTF8.self).split(separator: "\n")
        #expect(answers.count == reading.tags.count)
        for (answer, tag) in zip(answers, reading.tags) {
            guard tag.number("length") == 271 else {
                // Other tags are truncated or belong to another owner.
                let isWhole = tag.values["id3"] == .some(.none)
                let other = #"[["PRIV", "synthetic.example", "01020304"]]"#
                #expect(answer == (isWhole ? other : #""unreadable""#))
                continue
            }
            // mutagen also reads a frame whose size goes beyond the end.
            let bytes = Self.bytes(tag.text("hex") ?? "")
            let owner = String(decoding: bytes[20..<269], as: UTF8.self)
            let data = String(bytes[270], radix: 16)
            #expect(answer == #"[["PRIV", "\#(owner)", "\#(data)"]]"#)
        }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        var rest = Substring(hex)
        var bytes: [UInt8] = []
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// The output of ffprobe.
    private struct Probe: Decodable {
        struct Stream: Decodable {
            let index: Int
            let id: String?
            let codec: String?

            enum CodingKeys: String, CodingKey {
                case index
                case id
                case codec = "codec_name"
            }
        }

        struct Packet: Decodable {
            let stream: Int
            let pts: Int64?
            let data: String

            enum CodingKeys: String, CodingKey {
                case stream = "stream_index"
                case pts
                case data
            }

            /// The digits of the dump: in each line, between the colon and two blanks.
            var hex: String {
                data.split(separator: "\n").map { line in
                    let dump = line.drop { $0 != ":" }.dropFirst(2)
                    let end = dump.range(of: "  ")?.lowerBound ?? dump.endIndex
                    return dump[..<end].replacing(" ", with: "")
                }.joined()
            }
        }

        let streams: [Stream]
        let packets: [Packet]
    }
}

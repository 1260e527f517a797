import Foundation
import ID3v2
import LibAVDemux
import NielsenID3
import SegmentDemux

/// Prints the Nielsen tags of media segments, given in the order of their playlist.
///
///     swift run SegmentTags ../../media/demo/v360/seg0000*.ts
@main
struct SegmentTags {
    static func main() throws {
        var demuxer = SegmentDemuxer()
        for path in CommandLine.arguments.dropFirst() {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            demuxer.beginSegment()
            // The chunks may have any size.
            while let chunk = try file.read(upToCount: 64 * 1024), !chunk.isEmpty {
                try demuxer.feed([UInt8](chunk).span)
            }
            do {
                for metadata in try demuxer.endSegment().tags { describe(metadata) }
            } catch {
                // The tags of the segments around it are not affected.
                print("\(path): \(error)")
            }
        }
        // Returns a tag that starts in the last segment and is incomplete.
        for metadata in demuxer.finish() { describe(metadata) }
    }

    static func describe(_ metadata: TimedMetadata) {
        let time = metadata.time.map { "\($0.seconds) s" } ?? "no time"
        guard let tag = NielsenTag(tagBytes: metadata.bytes.span) else {
            print("\(time): a tag of another owner, \(metadata.bytes.count) bytes")
            return
        }
        let sequence = tag.sequence.map(String.init) ?? "unreadable"
        print("\(time): tag \(sequence), checksum \(tag.isChecksumValid == true ? "valid" : "invalid")")
    }
}

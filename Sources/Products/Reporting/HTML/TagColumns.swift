import NielsenID3
import StreamHealth
import TagRecord
import TextForms

/// Encodes the tags of a track as data for the page's script.
///
/// The data has one JSON array per field. Numbers are differences from the last known one, so that a hundred thousand
/// tags take only a few megabytes.
struct TagColumns {
    /// Returns the JSON object.
    static func json(of track: RenditionTrack) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024 + 64 * track.tags.count)
        writer.beginObject()
        writer.key("name")
        writer.value(track.name.map(PrintableText.of))
        writer.write("origin", track.clock.origin)
        texts("segments", track.segmentNames, to: &writer)
        texts("carriages", track.carriages, to: &writer)
        texts("cids", track.contentIDs.map(\.text), to: &writer)
        texts("kinds", TrackedTag.Kind.allCases.map(\.word), to: &writer)
        let tags = track.tags
        digits("kind", tags.map(\.kind.rawValue), to: &writer)
        digits("severity", tags.map { $0.severity == .fail ? 2 : $0.severity == .warn ? 1 : 0 }, to: &writer)
        digits("checksum", tags.map { $0.isChecksumValid.map { $0 ? 1 : 0 } ?? 2 }, to: &writer)
        differences("position", tags, to: &writer) { milliseconds($0.position) }
        differences("seconds", tags, to: &writer) { $0.seconds.flatMap(milliseconds) }
        differences("audio", tags, to: &writer) { $0.audioDistance.flatMap { milliseconds(Double($0)) } }
        differences("segment", tags, to: &writer) { $0.segment.map(Int64.init) }
        differences("carriage", tags, to: &writer) { Int64($0.carriage) }
        differences("sequence", tags, to: &writer) { $0.sequence.map(Int64.init) }
        differences("first", tags, to: &writer) { $0.firstTime.map(Int64.init) }
        differences("last", tags, to: &writer) { $0.lastTime.map(Int64.init) }
        differences("pc", tags, to: &writer) { $0.pcCID.map(Int64.init) }
        differences("fd", tags, to: &writer) { $0.fdCID.map(Int64.init) }
        differences("pcOffset", tags, to: &writer) { $0.pcOffset.map(Int64.init) }
        differences("fdOffset", tags, to: &writer) { $0.fdOffset.map(Int64.init) }
        differences("breakout", tags, to: &writer) { $0.breakout.map(Int64.init) }
        differences("pts", tags, to: &writer) { $0.pts.flatMap(exactInScript) }
        problems(tags, to: &writer)
        writer.endObject()
        return writer.bytes
    }

    /// Returns the value, or nil if it is 2^53 or more, because a script's numbers are inexact from there.
    ///
    /// The PTS of a transport stream has 33 bits.
    private static func exactInScript(_ value: UInt64) -> Int64? { value < 1 << 53 ? Int64(value) : nil }

    private static func milliseconds(_ seconds: Double) -> Int64? {
        let milliseconds = (seconds * 1_000).rounded()
        return milliseconds.magnitude < 9e15 ? Int64(milliseconds) : nil
    }

    private static func texts(_ key: String, _ texts: [String], to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for text in texts { writer.value(text) }
        writer.endArray()
    }

    /// Writes one digit per tag.
    private static func digits(_ key: String, _ digits: [UInt8], to writer: inout JSONWriter) {
        writer.key(key)
        writer.value(String(decoding: digits.map { UInt8(ascii: "0") + $0 }, as: UTF8.self))
    }

    private static func differences(
        _ key: String, _ tags: [TrackedTag], to writer: inout JSONWriter,
        _ field: (TrackedTag) -> Int64?
    ) {
        writer.key(key)
        writer.beginArray()
        var last: Int64 = 0
        for tag in tags {
            guard let value = field(tag) else {
                writer.null()
                continue
            }
            writer.value(value - last)
            last = value
        }
        writer.endArray()
    }

    /// Writes each distinct set of problems once, and the index of its set for each tag.
    private static func problems(_ tags: [TrackedTag], to writer: inout JSONWriter) {
        var sets: [CheckSet] = []
        var indexOfSet: [CheckSet: Int] = [:]
        let indices = tags.map { tag in
            if let index = indexOfSet[tag.problems] { return index }
            sets.append(tag.problems)
            indexOfSet[tag.problems] = sets.count - 1
            return sets.count - 1
        }
        writer.key("problemSets")
        writer.beginArray()
        for set in sets {
            writer.beginArray()
            for check in set.checks { writer.value(check.rawValue) }
            writer.endArray()
        }
        writer.endArray()
        writer.key("problems")
        writer.beginArray()
        for index in indices { writer.value(index) }
        writer.endArray()
    }
}

import ByteReading
import TextForms

/// The playlists of a live channel, and the record of what it has published.
extension LiveChannel {
    /// Returns the playlist that lists `segments`.
    func playlist(_ segments: ClosedRange<Int64>, hasInitialization: Bool) -> String {
        var lastKey: Int64?
        let listed = segments.map { segment in
            var tags = isDiscontinuous(segment) ? ["#EXT-X-DISCONTINUITY"] : []
            tags += breakLines(segment, isFirst: segment == segments.lowerBound)
            let key = keyStart(at: segment)
            if key != lastKey {
                tags.append(key.map(keyLine) ?? "#EXT-X-KEY:METHOD=NONE")
                lastKey = key
            }
            return PlaylistText.Segment(
                ticks: settings.segmentTicks,
                uri: name(of: segment) + "." + settings.container.fileExtension,
                programDateTime: wallTime(of: segment), tags: tags)
        }
        return PlaylistText.media(
            listed, initialization: hasInitialization ? "init.mp4" : nil,
            mediaSequence: mediaSequence(of: segments.lowerBound),
            discontinuitySequence: discontinuitySequence(before: segments.lowerBound))
    }

    /// Returns the name of a segment, such as `seg1000`, whose number is not affected by a media sequence reset.
    private func name(of segment: Int64) -> String { "seg\(segment + Int64(settings.firstMediaSequence))" }

    private func keyLine(_ start: Int64) -> String {
        let vector = Self.vector(start).map { Hexadecimal.text(of: $0) }.joined()
        return "#EXT-X-KEY:METHOD=AES-128,URI=\"key\(start).bin\",IV=0x\(vector)"
    }

    /// Formats the duration of some segments in seconds.
    private func seconds(_ segmentCount: Int64) -> String {
        PlaylistText.seconds(segmentCount * settings.segmentTicks, digits: 3)
    }

    /// Returns the break tags that precede a segment.
    private func breakLines(_ segment: Int64, isFirst: Bool) -> [String] {
        let current = adBreak(at: segment)
        let previous = segment > 0 ? adBreak(at: segment - 1) : nil
        var lines: [String] = []
        if let previous, previous != current {
            switch previous.marking {
            case .cue: lines.append("#EXT-X-CUE-IN")
            case .daterange: lines.append(dateRange(previous, isOut: false))
            case .unmarked: break
            }
        }
        guard let current else { return lines }
        let duration = seconds(Int64(current.segments.count))
        switch current.marking {
        case .cue where segment == current.segments.lowerBound:
            lines.append("#EXT-X-CUE-OUT:DURATION=\(duration)")
        case .cue:
            let elapsed = seconds(segment - current.segments.lowerBound)
            lines.append("#EXT-X-CUE-OUT-CONT:ElapsedTime=\(elapsed),Duration=\(duration)")
        // The date range remains in the playlist as long as a segment of the break does.
        case .daterange where isFirst || segment == current.segments.lowerBound:
            lines.append(dateRange(current, isOut: true))
        case .daterange, .unmarked: break
        }
        return lines
    }

    private func dateRange(_ adBreak: Break, isOut: Bool) -> String {
        let first = adBreak.segments.lowerBound
        let start = RFC3339.text(unixMilliseconds: wallTime(of: first))
        let duration = seconds(Int64(adBreak.segments.count))
        let splice = Self.spliceInsert(event: UInt32(truncatingIfNeeded: first), isOut: isOut)
        return "#EXT-X-DATERANGE:ID=\"break\(first)\",START-DATE=\"\(start)\","
            + (isOut ? "PLANNED-DURATION=\(duration),SCTE35-OUT=" : "DURATION=\(duration),SCTE35-IN=")
            + splice
    }

    /// Returns a splice_insert section in hexadecimal (SCTE 35, 9.7.3): an immediate splice out of the network or back.
    private static func spliceInsert(event: UInt32, isOut: Bool) -> String {
        // Not canceled; whole program, immediate; unique_program_id 1, no avails.
        var command = event.bigEndianBytes + [0x7F, isOut ? 0xDF : 0x5F]
        command += [0x00, 0x01, 0x00, 0x00]
        // Version 0, not encrypted, no adjustment; tier 0xFFF; command length and type; no descriptors.
        var rest: [UInt8] = [0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xF0, UInt8(command.count), 0x05]
        rest += command + [0, 0]
        var section: [UInt8] = [0xFC, 0x30, UInt8(rest.count + 4)] + rest
        section += CRC32MPEG2.of(section.span).bigEndianBytes
        return "0x" + section.map { Hexadecimal.text(of: $0) }.joined().uppercased()
    }

    /// The maximum time covered by the record of what the channel has published: one day, in milliseconds.
    private static let longestTime: Int64 = 86_400_000

    /// Returns the record of the segments that ended by `time`, for comparison with a client's results, as JSON lines.
    ///
    /// It describes the stream, not the requests: it includes segments that were never requested or listed.
    func publications(at time: Int64) -> [UInt8] {
        let last = lastSegment(at: time)
        var writer = JSONWriter()
        for segment in max(0, last - Self.longestTime / length)...last {
            writer.beginObject()
            writer.write("segment", name(of: segment))
            writer.write("media_sequence", mediaSequence(of: segment))
            writer.write("begin", start(of: segment))
            writer.write("end", start(of: segment + 1))
            writer.key("date")
            writer.value(time: wallTime(of: segment))
            writer.key("owners")
            writer.beginArray()
            for tag in tags(in: segment) { writer.value(tag.ownerIdentifier) }
            writer.endArray()
            writer.endObject()
            writer.endLine()
        }
        return writer.bytes
    }
}

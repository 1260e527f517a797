import ByteReading
import TextForms

/// The text of the playlist of a live channel's rendition.
struct LivePlaylistText {
    let channel: LiveChannel
    let fileExtension: String
    let hasInitialization: Bool

    private var timeline: LiveTimeline { channel.timeline }

    /// Returns the playlist that lists `segments`.
    func text(_ segments: ClosedRange<Int64>) -> String {
        let milliseconds = timeline.length
        var lines = [
            "#EXTM3U", "#EXT-X-VERSION:\(hasInitialization ? 6 : 3)", PlaylistText.mark,
            "#EXT-X-TARGETDURATION:\((milliseconds + 500) / 1_000)",
            "#EXT-X-MEDIA-SEQUENCE:\(timeline.mediaSequence(of: segments.lowerBound))",
        ]
        if let count = timeline.discontinuitySequence(before: segments.lowerBound) {
            lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(count)")
        }
        lines.append("#EXT-X-INDEPENDENT-SEGMENTS")
        if hasInitialization { lines.append("#EXT-X-MAP:URI=\"init.mp4\"") }
        var lastKey: Int64?
        for segment in segments {
            if timeline.isDiscontinuous(segment) { lines.append("#EXT-X-DISCONTINUITY") }
            lines += breakLines(segment, isFirst: segment == segments.lowerBound)
            let key = timeline.keyStart(at: segment)
            if key != lastKey {
                lines.append(key.map(keyLine) ?? "#EXT-X-KEY:METHOD=NONE")
                lastKey = key
            }
            lines.append(
                "#EXT-X-PROGRAM-DATE-TIME:\(RFC3339.text(unixMilliseconds: channel.wallTime(of: segment)))")
            lines.append("#EXTINF:\(Self.seconds(milliseconds)),")
            lines.append(Self.name(of: segment, channel.settings) + ".\(fileExtension)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the name of a segment, such as `seg1000`, whose number is not affected by a media sequence reset.
    static func name(of segment: Int64, _ settings: LiveSettings) -> String {
        "seg\(segment + Int64(settings.firstMediaSequence))"
    }

    private func keyLine(_ start: Int64) -> String {
        let vector = LiveChannel.vector(start).map { Hexadecimal.text(of: $0) }.joined()
        return "#EXT-X-KEY:METHOD=AES-128,URI=\"key\(start).bin\",IV=0x\(vector)"
    }

    /// Returns the break tags that precede a segment.
    private func breakLines(_ segment: Int64, isFirst: Bool) -> [String] {
        let current = timeline.adBreak(at: segment)
        let previous = segment > 0 ? timeline.adBreak(at: segment - 1) : nil
        var lines: [String] = []
        if let previous, previous != current {
            switch previous.marking {
            case .cue: lines.append("#EXT-X-CUE-IN")
            case .daterange: lines.append(dateRange(previous, isOut: false))
            case .unmarked: break
            }
        }
        guard let current else { return lines }
        let duration = Self.seconds(Int64(current.segments.count) * timeline.length)
        switch current.marking {
        case .cue where segment == current.segments.lowerBound:
            lines.append("#EXT-X-CUE-OUT:DURATION=\(duration)")
        case .cue:
            let elapsed = Self.seconds((segment - current.segments.lowerBound) * timeline.length)
            lines.append("#EXT-X-CUE-OUT-CONT:ElapsedTime=\(elapsed),Duration=\(duration)")
        // The date range remains in the playlist as long as a segment of the break does.
        case .daterange where isFirst || segment == current.segments.lowerBound:
            lines.append(dateRange(current, isOut: true))
        case .daterange, .unmarked: break
        }
        return lines
    }

    private func dateRange(_ adBreak: LiveTimeline.Break, isOut: Bool) -> String {
        let first = adBreak.segments.lowerBound
        let start = RFC3339.text(unixMilliseconds: channel.wallTime(of: first))
        let duration = Self.seconds(Int64(adBreak.segments.count) * timeline.length)
        let splice = SpliceInsert.text(event: UInt32(truncatingIfNeeded: first), isOut: isOut)
        return "#EXT-X-DATERANGE:ID=\"break\(first)\",START-DATE=\"\(start)\","
            + (isOut ? "PLANNED-DURATION=\(duration),SCTE35-OUT=" : "DURATION=\(duration),SCTE35-IN=")
            + splice
    }

    /// Formats milliseconds as seconds with three decimal places.
    private static func seconds(_ milliseconds: Int64) -> String {
        "\(milliseconds / 1_000)." + DecimalText.padded(milliseconds % 1_000, digits: 3)
    }
}

/// A splice_insert command of SCTE 35 for EXT-X-DATERANGE: out of the network, or back into it.
enum SpliceInsert {
    /// Returns the section in hexadecimal (SCTE 35, 9.7.3), with an immediate splice.
    static func text(event: UInt32, isOut: Bool) -> String {
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
}

import ByteReading
import TextForms

/// The text of the playlists (RFC 8216), which does not depend on the encoded media.
enum PlaylistText {
    /// The comment line that identifies an earlier output.
    static let mark = "# Synthetic stream with synthetic tags, made by dtvr synth (DTVRKit)."

    /// One segment of a media playlist.
    struct Segment {
        /// The duration in ticks of 90 kHz.
        let ticks: Int64
        /// The URI.
        let uri: String
        /// The start in Unix milliseconds, or nil to omit EXT-X-PROGRAM-DATE-TIME.
        let programDateTime: Int64?
        /// The other tags before the segment.
        var tags: [String] = []
    }

    /// Returns the media playlist of one rendition: of a recorded stream, or of a live one with a media sequence.
    static func media(
        _ segments: [Segment], initialization: String?, mediaSequence: Int64? = nil,
        discontinuitySequence: Int? = nil
    ) -> String {
        let longest = segments.map(\.ticks).max() ?? 0
        let second = SynthesisSettings.ticksPerSecond
        var lines = ["#EXTM3U", "#EXT-X-VERSION:\(initialization == nil ? 3 : 6)", mark]
        lines.append("#EXT-X-TARGETDURATION:\(max(1, (longest + second / 2) / second))")
        lines.append("#EXT-X-MEDIA-SEQUENCE:\(mediaSequence ?? 0)")
        if mediaSequence == nil { lines.append("#EXT-X-PLAYLIST-TYPE:VOD") }
        if let discontinuitySequence {
            lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)")
        }
        lines.append("#EXT-X-INDEPENDENT-SEGMENTS")
        if let initialization { lines.append("#EXT-X-MAP:URI=\"\(initialization)\"") }
        for segment in segments {
            lines += segment.tags
            if let time = segment.programDateTime {
                lines.append("#EXT-X-PROGRAM-DATE-TIME:\(RFC3339.text(unixMilliseconds: time))")
            }
            let duration = seconds(segment.ticks, digits: mediaSequence == nil ? 6 : 3)
            lines += ["#EXTINF:\(duration),", segment.uri]
        }
        if mediaSequence == nil { lines.append("#EXT-X-ENDLIST") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Formats ticks of 90 kHz as seconds with some decimal places.
    static func seconds(_ ticks: Int64, digits: Int) -> String {
        let scale = (0..<digits).reduce(Int64(1)) { scale, _ in scale * 10 }
        let second = SynthesisSettings.ticksPerSecond
        let value = (ticks * scale + second / 2) / second
        return "\(value / scale)." + DecimalText.padded(value % scale, digits: digits)
    }

    /// Returns the multivariant playlist, with video renditions as variants and audio renditions as their audio group.
    ///
    /// Without video renditions, the audio renditions are the variants. `folder` contains the rendition folders and
    /// ends with a slash unless it is empty.
    static func multivariant(_ renditions: [SynthesisSettings.Rendition], folder: String = "") -> String {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:6", mark, "#EXT-X-INDEPENDENT-SEGMENTS"]
        let variants = renditions.filter { $0.video != nil }
        let sounds = renditions.filter { $0.video == nil }
        for (index, sound) in sounds.enumerated() where !variants.isEmpty {
            let isDefault = index == 0 ? "YES" : "NO"
            lines.append(
                "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"audio\",NAME=\"\(sound.name)\",DEFAULT=\(isDefault),"
                    + "AUTOSELECT=YES,CHANNELS=\"1\",URI=\"\(folder)\(sound.name)/index.m3u8\"")
        }
        for variant in variants.isEmpty ? sounds : variants {
            var attributes = ["BANDWIDTH=\(bandwidth(variant))"]
            if let video = variant.video {
                let level = Hexadecimal.text(of: UInt8(clamping: PictureSource.level(video))).uppercased()
                attributes.append("CODECS=\"avc1.4D40\(level),mp4a.40.2\"")
                attributes.append("RESOLUTION=\(video.width)x\(video.height),FRAME-RATE=25.000")
                if !sounds.isEmpty { attributes.append("AUDIO=\"audio\"") }
            } else {
                attributes.append("CODECS=\"mp4a.40.2\"")
            }
            lines += [
                "#EXT-X-STREAM-INF:" + attributes.joined(separator: ","),
                "\(folder)\(variant.name)/index.m3u8",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns an upper bound of the bit rate of any segment, in bit/s.
    ///
    /// With its buffer, the encoder can exceed the rate in a segment by one second of data; the rest is container
    /// overhead.
    static func bandwidth(_ rendition: SynthesisSettings.Rendition) -> Int {
        let video = rendition.video?.maximumBitrate ?? 0
        return video * 5 / 4 + SoundSource.bitrate * 3 / 2 + 20_000
    }
}

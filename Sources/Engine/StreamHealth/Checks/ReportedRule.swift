import HLSPlaylist
import ID3v2

/// A rule of a format whose id reports print besides the ids of checks.
package struct ReportedRule: Sendable, Hashable {
    /// The id, as printed.
    package let id: String
    /// The condition that breaks the rule, and the effect on reading, as sentences.
    package let explanation: String

    /// The place in which the id is printed.
    private let place: String

    /// Every rule: those of segments and of ID3v2 first, then those of playlists.
    package static let all: [ReportedRule] =
        MalformedRule.allCases.map {
            ReportedRule(
                id: $0.rawValue, explanation: $0.explanation,
                place: "A note on standard error and findings of id3.malformed name it.")
        }
        + PlaylistProblem.Rule.allCases.map {
            ReportedRule(
                id: $0.rawValue, explanation: $0.explanation,
                place: "A note on standard error names it with the line of the playlist.")
        }

    /// Returns the explanation for a terminal, in lines of at most `width` characters; it ends with a newline.
    package func text(width: Int) -> String {
        let width = max(width, 40)
        let lines =
            ExplanationLines.wrapped("\(id): \(explanation)", width: width, indent: 0) + [""]
            + ExplanationLines.wrapped("A rule, not a check. \(place)", width: width, indent: 0)
        return lines.joined(separator: "\n") + "\n"
    }
}

extension MalformedRule {
    /// The condition that breaks the rule, and the effect on reading, as sentences.
    fileprivate var explanation: String {
        switch self {
        case .syncLost:
            "The bytes between two transport packets are not packets: no sync byte 0x47 is where the packet "
                + "length requires one. They are skipped up to the next packets. Bytes were lost or inserted in "
                + "transit."
        case .packetTruncated: "The segment ends within a transport packet, which is skipped."
        case .errorIndicator:
            "A packet of the ID3 stream has the transport error indicator: a receiver could not correct it. It is "
                + "skipped."
        case .scrambled: "A packet of the ID3 stream is scrambled and cannot be read."
        case .packetHeader:
            "The header of a packet of the ID3 stream is invalid, such as an adaptation field that is longer than "
                + "the packet. It is skipped."
        case .noProgramMap:
            "The segment has media before its PAT and PMT, and more of it than is kept until they arrive. Tags in "
                + "the dropped packets are missing. Start each segment with a PAT and a PMT (RFC 8216, 3.2)."
        case .section: "A section of the PAT or PMT is damaged, for example its CRC is wrong. It is ignored."
        case .pesStartMissing:
            "A packet of the ID3 stream continues a PES packet whose start was lost. Its bytes are skipped."
        case .pesStartCode:
            "A payload of the ID3 stream that should start a PES packet does not begin with 00 00 01."
        case .pesHeaderTruncated: "A PES packet of the ID3 stream ends within its header."
        case .pesPayloadDiffers:
            "The PES payload that libavformat returned differs from the bytes in the packets. The tag is read from "
                + "the packets."
        case .boxSizeTooSmall:
            "A box is shorter than its own header. The rest of the enclosing box is skipped."
        case .boxSizePastParent: "A box is longer than the rest of the box or file that contains it."
        case .boxNestedTooDeep: "Boxes are nested more deeply than the reader follows."
        case .tooManyBoxes: "The segment has more boxes than the reader follows."
        case .boxPayloadTooLong: "A box that must be read as a whole is longer than the limit. It is skipped."
        case .boxTruncated: "The segment ends within a box."
        case .boxUnknownVersion: "A box has a version that the standard does not define. It is skipped."
        case .boxUnterminatedText: "A text in a box has no terminating zero byte. The box is skipped."
        case .boxZeroTimescale:
            "A box declares a timescale of zero, so it has no time. It is ignored, but a tag in it is read."
        case .eventMessageWithoutTag:
            "An event message (`emsg`) with the scheme of timed ID3 contains no ID3 tag."
        case .noAudioFrame: "Bytes of a packed audio segment are neither an audio frame nor an ID3 tag."
        case .tagTooLong: "A tag is longer than the reader's limit. Only its beginning is returned."
        case .tagsTooLong:
            "The tags of a segment exceed the reader's memory limit together. This one is dropped."
        case .tagExpected:
            "The ID3 stream has bytes that are neither a tag nor padding: a tag without its first bytes, which "
                + "FFmpeg 5.1 drops when it remultiplexes timed ID3, the continuation of a tag whose start was "
                + "lost, or other data."
        case .tagHeaderTruncated: "The bytes end within the ten bytes of an ID3 header."
        case .notATag: "The bytes do not begin with `ID3`."
        case .tagVersion: "The version of the tag is not 2.2, 2.3 or 2.4."
        case .tagRevision: "The version or the revision of the tag is 0xFF, which ID3v2 reserves."
        case .tagSize: "The size of the tag has a high bit set, and as a plain number it leads to no frame."
        case .compressedTag: "A tag of version 2.2 is compressed, but no compression method is defined."
        case .extendedHeader: "The extended header exceeds the tag or has an impossible size."
        case .tagTruncated: "The bytes end before the end of the tag that its header declares."
        case .frameIdentifier: "A frame id has characters other than capital letters and digits."
        case .frameSize: "The size of a frame is unreadable."
        case .frameBeyondTag: "A frame is longer than the rest of its tag."
        case .frameTruncated: "The bytes end before the end of a frame."
        case .frameFields: "The flags of a frame announce more fields than the frame has room for."
        case .frameEncrypted: "A frame is encrypted."
        case .compressedData: "The compressed data of a frame is damaged."
        case .compressedSize: "The data of a compressed frame exceeds the reader's limit."
        case .plainTagSize:
            "The size of the tag is a plain number where a sync-safe one is required. A parser that follows the "
                + "rule reads another length."
        case .plainFrameSizes:
            "The frames of a tag of version 2.4 have plain sizes instead of sync-safe ones."
        case .syncSafeFrameSizes:
            "The frames of a tag of version 2.3 have sync-safe sizes instead of plain ones."
        case .absentExtendedHeader: "The header announces an extended header, but a frame is in its place."
        case .extendedHeaderSize:
            "The size of the extended header includes its own four bytes where the version excludes them, or the "
                + "reverse."
        case .absentFooter: "The header announces a footer, but there is none."
        case .falseUnsynchronisation:
            "The tag or a frame is marked as unsynchronised but has bytes that unsynchronisation would have changed."
        case .undefinedFlags: "The tag has flags that its version does not define."
        case .dataLengthIndicator:
            "The data length indicator of a frame is missing, or differs from the length of the content."
        }
    }
}

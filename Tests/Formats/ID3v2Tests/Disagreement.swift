/// The files of the corpus that a peer reads differently, and why the peer is wrong or means the same.
enum Disagreement {
    private static let empty = "mutagen leaves out a frame without a value; the frame is there"
    private static let sameKey = "mutagen keeps one frame of each key, and an equal one precedes it"
    private static let unknown = "mutagen keeps frames it has no name for apart"
    private static let noLength =
        "the flag announces a length that the frame has no room for; mutagen drops it"

    private static let joined = "mutagen makes one frame with two values of two frames with one value each"

    /// Frames that only mutagen has.
    static let mutagenMakes = ["mutagen/silence-44-s.mp3 TPE1": joined]

    /// Frames that mutagen lacks, by file and identifier.
    static let mutagenLacks: [String: String] = [
        "exoplayer/media/flac/bear_with_id3.flac TXXX": sameKey,
        "exoplayer/media/mp3/bear-id3.mp3 UNKN": unknown,
        "mutagen/bad-POPM-frame.mp3 TENC": empty,
        "mutagen/bad-POPM-frame.mp3 WXXX": empty,
        "mutagen/bad-POPM-frame.mp3 TCOP": empty,
        "mutagen/bad-POPM-frame.mp3 TOPE": empty,
        "mutagen/vbri.mp3 TENC": empty,
        "mutagen/vbri.mp3 WXXX": empty,
        "mutagen/vbri.mp3 TCOP": empty,
        "mutagen/vbri.mp3 TOPE": empty,
        "mutagen/vbri.mp3 TCOM": empty,
        "mutagen/silence-44-s.mp3 TPE1": joined,
        "muxjs/unit-vectors/md-parses-simple-ID3-metadata-out-of-PES-packets.bin XINF": unknown,
        "muxjs/unit-vectors/md-should-skip-tag-frame-parsing-on-malformed-frame-preserving.bin WOAF": empty,
        "rust-id3/geob_serato.id3 GEOB": sameKey,
        "rust-id3/github-issue-147.id3 USLT": empty,
        "taglib-sharp/sample_v2_3_ext_header.mp3 TCON": empty,
        "taglib/005411.id3 COMM": empty,
        "taglib/broken-tenc.id3 TENC": noLength,
        "taglib/broken-tenc.id3 WXXX": noLength,
        "taglib/broken-tenc.id3 TCOP": noLength,
        "taglib/broken-tenc.id3 TOPE": noLength,
    ]

    private static let extendedHeader23 =
        "TagLib reads the extended header of version 2.3, whose size leaves itself out, as that of 2.4"
    private static let lastFrame =
        "TagLib takes the extended header off the tag's length twice and misses the last frame"
    private static let firstFrame =
        "TagLib ends the tag at a first frame that it takes for invalid: one without content"

    /// Frames that TagLib lacks, by file, or by file and identifier if it has other frames of the file.
    static let taglibLacks: [String: String] = [
        "mutagen/bad-POPM-frame.mp3": firstFrame,
        "taglib/broken-tenc.id3": firstFrame,
        "muxjs/unit-vectors/md-id3-frame-is-malformed-first-time-but-gets-corrected-in-the.bin":
            extendedHeader23,
        "muxjs/unit-vectors/md-id3-frame-reports-more-data-than-its-tagsize.bin": extendedHeader23,
        "muxjs/unit-vectors/md-ignores-tags-when-the-header-is-fragmented.bin": extendedHeader23,
        "muxjs/unit-vectors/md-parses-PRIV-frames.bin": extendedHeader23,
        "muxjs/unit-vectors/md-parses-TXXX-frames-with-characters-that-have-a-single-digit.bin":
            extendedHeader23,
        "muxjs/unit-vectors/md-parses-TXXX-frames-with-null-terminators.bin": extendedHeader23,
        "muxjs/unit-vectors/md-parses-TXXX-frames-without-null-terminators.bin": extendedHeader23,
        "muxjs/unit-vectors/md-parses-WXXX-frames.bin": extendedHeader23,
        "muxjs/unit-vectors/md-parses-simple-ID3-metadata-out-of-PES-packets.bin": extendedHeader23,
        "muxjs/unit-vectors/md-parses-tags-split-across-pushes.bin": extendedHeader23,
        "muxjs/unit-vectors/md-should-skip-tag-frame-parsing-on-malformed-frame-preserving.bin":
            extendedHeader23,
        "taglib-sharp/sample_v2_3_ext_header.mp3": extendedHeader23,
        "rust-id3/github-issue-91.id3 TPE1": lastFrame,
        "taglib/extended-header.mp3 TRCK": lastFrame,
        "taglib/compressed_id3_frame_invalid.mp3":
            "TagLib ends the tag at a frame without content, WOAR",
    ]

    /// Frames of version 2.3 that TagLib converts to frames of 2.4 when it reads them.
    static let taglibRenames = ["TYER": "TDRC", "TORY": "TDOR", "IPLS": "TIPL"]

    /// The names since version 2.3 of the frames of version 2.2 (ID3v2.3.0, 4; iTunes' own frames last).
    static let successors = [
        "TT1": "TIT1", "TT2": "TIT2", "TT3": "TIT3", "TP1": "TPE1", "TP2": "TPE2", "TAL": "TALB",
        "TRK": "TRCK", "TPA": "TPOS", "TYE": "TYER", "TDA": "TDAT", "TCM": "TCOM", "TCO": "TCON",
        "TBP": "TBPM", "TEN": "TENC", "COM": "COMM", "PIC": "APIC", "ULT": "USLT", "RVA": "RVAD",
        "TCP": "TCMP", "TST": "TSOT", "TSA": "TSOA", "TSP": "TSOP", "TS2": "TSO2", "TSC": "TSOC",
    ]
}

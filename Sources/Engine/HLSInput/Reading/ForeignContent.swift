import ID3v2

extension InputError {
    /// Returns the error for a resource that is not a media segment, by its first bytes.
    static func unknownContent(of resource: Resource, _ read: ReadBytes) -> InputError {
        let name = resource.name
        if resource.encryption == nil, let archive = archiveFormat(of: read.front) {
            return .notMedia(name, likely: archive)
        }
        if read.byteCount == 0 { return .empty(name) }
        if resource.encryption != nil {
            return .undecipherable(name, reason: "the result is not a media segment, so the key is wrong")
        }
        if OpenedInput.beginsLikePlaylist(read.front) { return .nestedPlaylist(name) }
        if let format = likelyFormat(of: read.front) { return .notMedia(name, likely: format) }
        return .notMedia(name, likely: isLikeCiphertext(read) ? ciphertext : nil)
    }

    /// Returns the error for a resource that a demuxer could read although it is something else, or nil.
    ///
    /// A demuxer searches for the first packet or frame, so that it finds the segments in an archive.
    static func foreignContent(
        of resource: Resource, _ front: [UInt8], _ facts: CarriageFacts
    ) -> InputError? {
        if resource.encryption == nil, let archive = archiveFormat(of: front) ?? utf16Format(of: front) {
            return .notMedia(resource.name, likely: archive)
        }
        guard facts.isProgressive else { return nil }
        return .notMedia(
            resource.name,
            likely:
                "it is a progressive MP4 file, which has no fragments; package it for HLS, or name the stream "
                + "that it was made from")
    }

    /// Describes the likely format of bytes that are neither a playlist nor media, or returns nil.
    static func likelyFormat(of front: [UInt8]) -> String? {
        if let format = archiveFormat(of: front) ?? utf16Format(of: front) ?? mediaFormat(of: front) {
            return format
        }
        let text = String(decoding: front.drop { $0 <= 0x20 }, as: UTF8.self).lowercased()
        if text.hasPrefix("<"), text.contains("<mpd") {
            return "it looks like a DASH manifest; give the directory of its segments"
        }
        let signs: [(sign: String, meaning: String)] = [
            ("<!doctype html", "it looks like an HTML page"), ("<html", "it looks like an HTML page"),
            ("<?xml", "it looks like an XML document"), ("<", "it looks like markup"),
            ("{\"log\"", "it looks like a HAR file; dtvr certify reads it"),
            ("{", "it looks like JSON"), ("[{", "it looks like JSON"), ("webvtt", "it looks like subtitles"),
            ("%pdf", "it looks like a PDF"),
            ("#ext", "it looks like a playlist without its first line, #EXTM3U"),
            ("http://", "it looks like a list of addresses; --inputs reads one"),
            ("https://", "it looks like a list of addresses; --inputs reads one"),
        ]
        return signs.first { text.hasPrefix($0.sign) }?.meaning
    }

    /// The first bytes of a format, at an offset.
    private typealias Signature = (offset: Int, bytes: [UInt8], meaning: String)

    private static func meaning(of front: [UInt8], among signatures: [Signature]) -> String? {
        signatures.first { front.dropFirst($0.offset).starts(with: $0.bytes) }?.meaning
    }

    /// Describes compressed bytes, or an archive.
    fileprivate static func archiveFormat(of front: [UInt8]) -> String? {
        let compressed = { (name: String) in "it is compressed with \(name); decompress the file" }
        let archive = { (name: String) in "it is \(name) archive; unpack it, and name the folder" }
        return meaning(
            of: front,
            among: [
                // RFC 1952, 2.3.1
                (
                    0, [0x1F, 0x8B],
                    compressed("gzip") + ", or let the server send 'Content-Encoding: gzip'"
                ),
                (0, [0x28, 0xB5, 0x2F, 0xFD], compressed("zstd")),
                (0, [0x42, 0x5A, 0x68], compressed("bzip2")),
                (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], compressed("xz")),
                (0, [0x04, 0x22, 0x4D, 0x18], compressed("LZ4")),
                (0, [0x50, 0x4B, 0x03, 0x04], archive("a zip")),
                (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], archive("a 7z")),
                (0, Array("Rar!".utf8), archive("a RAR")),
                (257, Array("ustar".utf8), archive("a tar")),
            ])
    }

    /// Describes text in UTF-16, whose byte order mark looks like an audio frame.
    private static func utf16Format(of front: [UInt8]) -> String? {
        meaning(
            of: front,
            among: [
                (0, [0xFF, 0xFE, 0x23, 0x00], "it is a playlist in UTF-16; a playlist must be UTF-8"),
                (0, [0xFE, 0xFF, 0x00, 0x23], "it is a playlist in UTF-16; a playlist must be UTF-8"),
            ])
    }

    /// Describes media in a container that HLS does not use, or an image.
    private static func mediaFormat(of front: [UInt8]) -> String? {
        let media = { (name: String) in
            "it looks like \(name); segments are MPEG-TS, fragmented MP4 or packed audio"
        }
        return meaning(
            of: front,
            among: [
                (0, [0x1A, 0x45, 0xDF, 0xA3], media("Matroska or WebM")),
                (0, Array("FLV".utf8), media("FLV")), (8, Array("WAVE".utf8), media("WAV")),
                (8, Array("AVI ".utf8), media("AVI")), (0, Array("OggS".utf8), media("Ogg")),
                (0, Array("fLaC".utf8), media("FLAC")),
                (0, [0x30, 0x26, 0xB2, 0x75], media("ASF (WMV or WMA)")),
                (0, [0x00, 0x00, 0x01, 0xBA], media("an MPEG program stream")),
                (0, [0x00, 0x00, 0x00, 0x01], media("video without a container")),
                (0, [0x00, 0x00, 0x01], media("video without a container")),
                (0, [0x89, 0x50, 0x4E, 0x47], "it looks like an image (PNG)"),
                (0, [0xFF, 0xD8, 0xFF], "it looks like an image (JPEG)"),
                (0, Array("GIF8".utf8), "it looks like an image (GIF)"),
            ])
    }

    private static let ciphertext =
        "its bytes look encrypted; name its playlist, which names the key (EXT-X-KEY)"

    /// Returns whether bytes look like the result of a block cipher: whole blocks, and nearly all values.
    private static func isLikeCiphertext(_ read: ReadBytes) -> Bool {
        // Of 512 random bytes, 221 values differ on average, with a deviation of 5.
        read.byteCount % 16 == 0 && read.front.count == ReadBytes.frontByteCount
            && Set(read.front).count > 190
    }
}

/// The formats of files that no command reads.
package enum InputFormat {
    /// Describes compressed bytes or an archive with what to do, by the first bytes; nil for others.
    package static func archive(_ front: ArraySlice<UInt8>) -> String? {
        InputError.archiveFormat(of: Array(front.prefix(ReadBytes.frontByteCount)))
    }
}

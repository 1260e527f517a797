/// Diagnoses content that is not a media segment, by its first bytes.
enum UnknownContent {
    /// Returns the error for a resource in an unknown format.
    static func error(for resource: Resource, _ read: ReadBytes) -> InputError {
        let name = resource.name
        if read.byteCount == 0 { return .empty(name) }
        if resource.encryption != nil {
            return .undecipherable(name, reason: "the result is not a media segment, so the key is wrong")
        }
        if PlaylistSignature.isAtFront(of: read.front) { return .nestedPlaylist(name) }
        return .notMedia(name, likely: likely(read.front))
    }

    /// Describes the likely format of bytes that are neither a playlist nor media, or returns nil.
    static func likely(_ front: [UInt8]) -> String? {
        let text = String(decoding: front.drop { $0 <= 0x20 }, as: UTF8.self).lowercased()
        let signs: [(sign: String, meaning: String)] = [
            ("<!doctype html", "it looks like an HTML page"), ("<html", "it looks like an HTML page"),
            ("<mpd", "it looks like a DASH manifest; give the directory of its segments"),
            ("<?xml", "it looks like an XML document"), ("<", "it looks like markup"),
            ("{", "it looks like JSON"), ("webvtt", "it looks like subtitles"),
            ("%pdf", "it looks like a PDF"),
        ]
        return signs.first { text.hasPrefix($0.sign) }?.meaning
    }
}

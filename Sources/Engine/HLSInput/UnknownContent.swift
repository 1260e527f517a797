/// What bytes are that are no media segment, as far as their front shows.
enum UnknownContent {
    /// The error for a resource in which the demuxer knew nothing.
    static func verdict(on fed: SegmentSource.Fed, of resource: SegmentSource.Resource) -> InputError {
        let name = resource.name
        if fed.byteCount == 0 { return .empty(name) }
        if resource.encryption != nil {
            return .undecipherable(name, reason: "what comes out is no media segment, so the key is wrong")
        }
        if PlaylistSignature.isAtFront(of: fed.front) { return .nestedPlaylist(name) }
        return .notMedia(name, likely: likely(fed.front))
    }

    /// What text looks like that is neither a playlist nor media; nil where nothing shows.
    static func likely(_ front: [UInt8]) -> String? {
        let text = String(decoding: front.drop { $0 <= 0x20 }, as: UTF8.self).lowercased()
        let signs: [(sign: String, meaning: String)] = [
            ("<!doctype html", "it looks like an HTML page"), ("<html", "it looks like an HTML page"),
            ("<mpd", "it looks like a DASH manifest; give the folder of its segments"),
            ("<?xml", "it looks like an XML document"), ("<", "it looks like a page of markup"),
            ("{", "it looks like JSON"), ("webvtt", "it looks like subtitles"),
            ("%pdf", "it looks like a PDF"),
        ]
        return signs.first { text.hasPrefix($0.sign) }?.meaning
    }
}

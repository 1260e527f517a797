/// The path of a live channel's resource, taken apart.
///
///     /ch3/index.m3u8                    the playlist of the channel
///     /ch3/main/seg1000.ts               a segment, where a channel has several renditions
///     /ch3/session2/main/index.m3u8      a media playlist, where sessions expire
///     /ch3/moved/index.m3u8              where a redirect leads to
///     /ch3/until45000/index.m3u8         the same, until that many milliseconds after the start
///     /ch3/published.jsonl               what the channel has published
struct LivePath {
    /// The channel's number, from 1.
    let channel: Int
    /// What a redirect put into the path.
    var redirect: Redirect?
    /// The number of the session, from 1; nil for none.
    var session: Int64?
    /// The folder of a rendition; nil for none.
    var rendition: String?
    let file: File

    enum Redirect {
        case moved
        case until(Int64)
    }

    enum File: Hashable {
        case playlist
        case initialization
        /// A segment by the number in its name.
        case segment(Int64, fileExtension: String)
        /// A key by the time from which on it holds.
        case key(Int64)
        /// What the channel has published.
        case record
    }

    /// The resource of a playlist or of another kind, as a script names them.
    var resource: LiveFault.Resource { file == .playlist ? .playlist : .segment }

    /// Takes a path apart; nil for one that no channel has.
    init?(_ path: String) {
        var parts = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        guard parts.popFirst() == "", let last = parts.popLast(), let file = File(last),
            let channel = parts.popFirst().flatMap({ Self.number($0, after: "ch") })
        else { return nil }
        self.channel = Int(channel)
        self.file = file
        if file == .record, !parts.isEmpty { return nil }
        if parts.first == "moved" {
            redirect = .moved
            parts = parts.dropFirst()
        } else if let end = parts.first.flatMap({ Self.number($0, after: "until") }) {
            redirect = .until(end)
            parts = parts.dropFirst()
        }
        if let number = parts.first.flatMap({ Self.number($0, after: "session") }) {
            session = number
            parts = parts.dropFirst()
        }
        rendition = parts.popFirst().map(String.init)
        if !parts.isEmpty { return nil }
    }

    /// The number after a word, written as we write it and far from any overflow.
    fileprivate static func number(_ text: Substring, after word: String) -> Int64? {
        guard text.hasPrefix(word), let number = Int64(text.dropFirst(word.count)),
            text == "\(word)\(number)", (0...1_000_000_000_000_000).contains(number)
        else { return nil }
        return number
    }
}

extension LivePath.File {
    fileprivate init?(_ name: Substring) {
        switch name {
        case "index.m3u8": self = .playlist
        case "init.mp4": self = .initialization
        case "published.jsonl": self = .record
        default:
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            if let number = LivePath.number(parts[0], after: "seg") {
                self = .segment(number, fileExtension: String(parts[1]))
            } else if parts[1] == "bin", let start = LivePath.number(parts[0], after: "key") {
                self = .key(start)
            } else {
                return nil
            }
        }
    }
}

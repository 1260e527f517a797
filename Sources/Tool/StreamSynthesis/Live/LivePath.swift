/// The parsed path of a live channel's resource.
///
///     /ch3/index.m3u8                    the playlist of the channel
///     /ch3/main/seg1000.ts               a segment, if a channel has several renditions
///     /ch3/session2/main/index.m3u8      a media playlist, if sessions expire
///     /ch3/moved/index.m3u8              the target of a redirect
///     /ch3/until45000/index.m3u8         the same, valid until 45,000 milliseconds after the start
///     /ch3/published.jsonl               the record of what the channel has published
struct LivePath {
    /// The channel's number, from 1.
    let channel: Int
    /// The folder added by a redirect, or nil for none.
    var redirect: Redirect?
    /// The session number, from 1, or nil for none.
    var session: Int64?
    /// The folder of a rendition, or nil for none.
    var rendition: String?
    let file: File

    enum Redirect {
        case moved
        case until(Int64)
    }

    enum File: Hashable {
        case playlist
        case initialization
        /// A segment, with the number in its name.
        case segment(Int64, fileExtension: String)
        /// A key, with its start of validity.
        case key(Int64)
        /// The record of what the channel has published.
        case record
    }

    /// The kind of resource, as named in scripts.
    var resource: LiveFault.Resource { file == .playlist ? .playlist : .segment }

    /// Parses a path, or returns nil if it is invalid.
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

    /// Returns the number after `word` if it is in canonical form and small enough to prevent overflows.
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

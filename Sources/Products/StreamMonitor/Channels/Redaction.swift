import HTTPTransfer
import NielsenID3
import StreamHealth

/// Removes the secrets of a channel from texts: header values, users and passwords, and the queries of addresses.
struct Redaction: Sendable {
    /// The replacement for a secret.
    private static let mark = "…"
    /// The minimum lengths of secrets, since shorter ones would match unrelated text: whole values, parts of values,
    /// and names.
    private static let shortestWhole = 4
    private static let shortestPart = 6
    private static let shortestInNames = 8

    /// The secrets, longest first.
    private let secrets: [String]
    /// The secrets of addresses, except short ones that could match a part of a name by chance.
    private let addressSecrets: [String]

    /// Collects the secrets of a channel.
    init(_ settings: ChannelSettings) {
        var texts = settings.headers.map(\.value)
        // For `Bearer abc…`, the token alone is a secret too.
        texts += settings.headers.flatMap { $0.value.split(separator: " ").map(String.init) }
            .filter { $0.utf8.count >= Self.shortestPart }
        let urls = [settings.url, settings.backup, settings.connection.proxy].compactMap { $0 }
        let ofAddresses = urls.flatMap(Self.secrets)
        secrets = Self.longestFirst(texts + ofAddresses, Self.shortestWhole)
        addressSecrets = Self.longestFirst(ofAddresses, Self.shortestInNames)
    }

    private static func longestFirst(_ texts: [String], _ shortest: Int) -> [String] {
        Set(texts).filter { $0.utf8.count >= shortest }.sorted {
            ($1.utf8.count, $0) < ($0.utf8.count, $1)
        }
    }

    /// Returns the query of an address, the values in it, and the user and password.
    private static func secrets(of url: String) -> [String] {
        var texts: [String] = []
        if let query = url.firstIndex(of: "?") {
            let text = url[query...].dropFirst()
            texts.append(String(text))
            let values = text.split { $0 == "&" || $0 == "#" }.map { part in
                part.firstIndex(of: "=").map { String(part[$0...].dropFirst()) } ?? String(part)
            }
            texts += values.filter { $0.utf8.count >= shortestPart }
        }
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") {
            texts.append(String(authority[..<at]))
            texts += authority[..<at].split(separator: ":").map(String.init)
                .filter { $0.utf8.count >= shortestPart }
        }
        return texts
    }

    /// Returns a text without the secrets of the channel and without the queries and users of any address.
    func text(_ text: String) -> String {
        var result = Self.withoutQueries(text)
        for secret in secrets { result = result.replacing(secret, with: Self.mark) }
        return result
    }

    /// Returns a finding without secrets, including the signed queries in its segment and rendition names.
    func finding(_ finding: Finding) -> Finding {
        var finding = finding
        finding.place.segment = finding.place.segment.map(text)
        finding.place.rendition = finding.place.rendition.map(text)
        finding.detail = text(finding.detail)
        return finding
    }

    /// Returns a tag without secrets.
    ///
    /// Rendition and segment keep the names from the playlists, except for the secrets of the channel's addresses.
    func tag(_ tag: TagOccurrence) -> TagOccurrence {
        var tag = tag
        tag.origin.place.source = text(tag.origin.place.source)
        tag.origin.place.renditions = tag.origin.place.renditions.map(name)
        tag.origin.place.segment = tag.origin.place.segment.map(name)
        return tag
    }

    private func name(_ text: String) -> String {
        addressSecrets.reduce(text) { $0.replacing($1, with: Self.mark) }
    }

    /// Returns an alert without secrets.
    func alert(_ alert: Alert) -> Alert {
        var alert = alert
        alert.detail = text(alert.detail)
        return alert
    }

    /// Returns a change of an alert without secrets.
    func change(_ change: AlertChange) -> AlertChange {
        switch change {
        case .raised(let alert): .raised(self.alert(alert))
        case .cleared(let alert): .cleared(self.alert(alert))
        }
    }

    /// Returns the text of a playlist without secrets and without the values of variables (EXT-X-DEFINE).
    func playlist(_ bytes: some Collection<UInt8>) -> String {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.map { line in
            line.hasPrefix("#EXT-X-DEFINE") ? "#EXT-X-DEFINE:\(Self.mark)" : text(String(line))
        }
        .joined(separator: "\n")
    }

    /// Replaces queries, up to a space or a quotation mark, and users and passwords in addresses.
    private static func withoutQueries(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "?")) || text.utf8.contains(UInt8(ascii: "@")) else {
            return text
        }
        var result = ""
        var rest = text[...]
        while let character = rest.first {
            if character == "?" {
                let query = rest.dropFirst().prefix { $0 != "\"" && !$0.isWhitespace }
                result += query.isEmpty ? "?" : "?" + mark
                rest = rest[query.endIndex...]
            } else if rest.hasPrefix("://") {
                result += "://"
                rest = rest.dropFirst(3)
                let authority = rest.prefix { !"/?#\"".contains($0) && !$0.isWhitespace }
                if let at = authority.lastIndex(of: "@") {
                    result += mark
                    rest = rest[at...]
                }
            } else {
                result.append(character)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}

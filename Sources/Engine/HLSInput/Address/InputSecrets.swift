import HTTPTransfer
import NielsenID3
import TimedMedia

/// The secrets of a live channel's connection: header values, users and passwords, and the queries of addresses.
///
/// A live input hides them, and the queries and users of any other address, in everything that it returns for output:
/// names, tags, observations, errors and responses. Later stages print these values unchanged.
struct InputSecrets: Sendable {
    /// The replacement for a secret.
    private static let mark = "…"
    /// The minimum lengths of secrets, since shorter ones would match unrelated text: whole values, parts of values,
    /// and names.
    private static let shortestWhole = 4
    private static let shortestPart = 6
    private static let shortestInNames = 8

    /// The secrets, longest first.
    private var secrets: [String]
    /// The secrets of addresses, except short ones that could match a part of a name by chance.
    private let addressSecrets: [String]

    /// Collects the secrets in addresses, including that of a proxy, and in header fields.
    init(addresses: [String] = [], headers: HTTPHeaders = HTTPHeaders()) {
        let values = headers.fields.map(\.value)
        // For `Bearer abc…`, the token alone is a secret too.
        let parts = values.flatMap { $0.split(separator: " ").map(String.init) }
            .filter { $0.utf8.count >= Self.shortestPart }
        let ofAddresses = addresses.flatMap(Self.secrets)
        secrets = Self.longestFirst(values + parts + ofAddresses, Self.shortestWhole)
        addressSecrets = Self.longestFirst(ofAddresses, Self.shortestInNames)
    }

    /// Returns the secrets with those of further addresses, which playlists are loaded from.
    ///
    /// The queries of these addresses remain in the names of tags.
    func including(_ addresses: [String]) -> InputSecrets {
        let further = addresses.flatMap(Self.secrets)
        if further.isEmpty { return self }
        var all = self
        all.secrets = Self.longestFirst(secrets + further, Self.shortestWhole)
        return all
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

    // MARK: Texts

    /// Returns a text without the secrets and without the queries and users of any address.
    func hidden(inText text: String) -> String {
        var result = Self.withoutQueries(text)
        for secret in secrets { result = result.replacing(secret, with: Self.mark) }
        return result
    }

    /// Returns an address or a reference without the secrets, its query and its user.
    ///
    /// The query extends to the end, even if it is invalid and contains spaces or quotation marks.
    func hidden(inURL url: String) -> String {
        guard let query = url.firstIndex(of: "?") else { return hidden(inText: url) }
        let end = url.index(after: query)
        return hidden(inText: url[..<end] + (end == url.endIndex ? "" : Self.mark))
    }

    /// Returns an error whose texts have no secrets.
    func hidden(inError error: InputError) -> InputError { error.mapTexts(hidden(inText:)) }

    /// Returns the text of a playlist without secrets and without the values of variables (EXT-X-DEFINE).
    func hidden(inPlaylist bytes: some Collection<UInt8>) -> String {
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.map { line in
            if line.hasPrefix("#EXT-X-DEFINE") { return "#EXT-X-DEFINE:\(Self.mark)" }
            // The content may be a key.
            if line.hasPrefix("#EXT-X-"), let data = line.lowercased().firstRange(of: "data:") {
                return hidden(inText: String(line.prefix(line.lowercased()[..<data.lowerBound].count)))
                    + "data:\(Self.mark)"
            }
            return line.hasPrefix("#") ? hidden(inText: String(line)) : hidden(inURL: String(line))
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

    // MARK: Segments and tags

    /// Returns a name for the record of a tag: as in the playlist, except for the secrets of the channel's addresses.
    func hidden(inRecordedName name: String) -> String {
        addressSecrets.reduce(name) { $0.replacing($1, with: Self.mark) }
    }

    /// Returns the reading of a segment whose tags are for the record, and whose observation is for findings.
    ///
    /// The tags keep the names from the playlists, except for the secrets of the channel's addresses. Their source and
    /// rendition already have no secrets.
    func hidden(inReading read: SegmentReader.ReadSegment) -> SegmentReading {
        var outcome = read.reading.outcome
        if case .failed(let error) = outcome { outcome = .failed(hidden(inError: error)) }
        var reading = SegmentReading(
            source: read.reading.source, name: hidden(inURL: read.reading.name), outcome: outcome,
            observation: hidden(inObservation: read.reading.observation))
        reading.tags = read.tags.map { read in
            var tag = read.occurrence
            tag.origin.place.segment = tag.origin.place.segment.map(hidden(inRecordedName:))
            return tag
        }
        return reading
    }

    private func hidden(inObservation observation: SegmentObservation) -> SegmentObservation {
        var observation = observation
        let name = observation.segment?.name.map(hidden(inURL:))
        observation.segment?.name = name
        for index in observation.tags.indices { hide(in: &observation.tags[index]) }
        for index in observation.trailingTags.indices { hide(in: &observation.trailingTags[index]) }
        return observation
    }

    private func hide(in tag: inout TagOccurrence) {
        tag.origin.place.renditions = tag.origin.place.renditions.map(hidden(inURL:))
        tag.origin.place.segment = tag.origin.place.segment.map(hidden(inURL:))
    }
}

extension InputError {
    /// Returns the error with its texts transformed.
    fileprivate func mapTexts(_ text: (String) -> String) -> InputError {
        switch self {
        case .unreadable(let name, let reason): .unreadable(text(name), reason: text(reason))
        case .notRegularFile(let name): .notRegularFile(text(name))
        case .tooLarge(let name, let maximum): .tooLarge(text(name), maximumByteCount: maximum)
        case .cancelled(let name): .cancelled(text(name))
        case .empty(let name): .empty(text(name))
        case .notMedia(let name, let likely): .notMedia(text(name), likely: likely)
        case .notPlaylist(let name, let likely): .notPlaylist(text(name), likely: likely)
        case .damagedPlaylist(let name, let reason): .damagedPlaylist(text(name), reason: text(reason))
        case .nestedPlaylist(let name): .nestedPlaylist(text(name))
        case .severalPlaylists(let name, let names, let count):
            .severalPlaylists(text(name), names: names.map(text), count: count)
        case .forbiddenAddress(let name, let playlist):
            .forbiddenAddress(text(name), playlist: text(playlist))
        case .unsupportedScheme(let scheme, let name):
            .unsupportedScheme(text(scheme), reference: text(name))
        case .transfer(let name, let reason, let isRetriable):
            .transfer(text(name), reason: text(reason), isRetriable: isRetriable)
        case .encrypted(let name, let method): .encrypted(text(name), method: text(method))
        case .undecipherable(let name, let reason): .undecipherable(text(name), reason: text(reason))
        case .demuxing(let name, let reason): .demuxing(text(name), reason: text(reason))
        case .noSuchRendition(let name, let playlist):
            .noSuchRendition(text(name), playlist: text(playlist))
        }
    }
}

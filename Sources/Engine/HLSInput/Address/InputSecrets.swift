import HTTPTransfer
import HostSystem
import ID3v2
import NielsenID3

/// The secrets of a live channel's connection: header values, users and passwords, and the queries of addresses.
///
/// A live input hides them, and the queries and users of any other address, in everything that it returns for output:
/// names, tags, observations, errors and responses. Later stages print these values unchanged.
package struct InputSecrets: Sendable {
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
    func hidden(inError error: InputError) -> InputError {
        error.mapTexts(names: hidden(inText:), hidden(inText:))
    }

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

    /// Returns a message for people without the secrets; addresses remain otherwise.
    package func hidden(inMessage text: String) -> String {
        secrets.reduce(text) { $0.replacing($1, with: Self.mark) }
    }

    // MARK: Segments and tags

    /// Returns a reading for a report without the secrets, except in tags for the record.
    func hidden(inReport reading: SegmentReading) -> SegmentReading {
        if secrets.isEmpty { return reading }
        var reading = reading
        reading.name = hidden(inMessage: reading.name)
        if case .failed(let error) = reading.outcome {
            let hidden = error.mapTexts(names: hidden(inMessage:), hidden(inMessage:))
            reading.outcome = .failed(hidden)
        }
        reading.observation = hidden(inObservation: reading.observation, by: hidden(inMessage:))
        return reading
    }

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
            observation: hidden(inObservation: read.reading.observation, by: hidden(inURL:)))
        reading.tags = read.tags.map { read in
            var tag = read.occurrence
            tag.origin.place.segment = tag.origin.place.segment.map(hidden(inRecordedName:))
            return tag
        }
        return reading
    }

    private func hidden(
        inObservation observation: SegmentObservation, by hide: (String) -> String
    ) -> SegmentObservation {
        var observation = observation
        let name = observation.segment?.name.map(hide)
        observation.segment?.name = name
        for index in observation.tags.indices { Self.hide(in: &observation.tags[index], by: hide) }
        for index in observation.trailingTags.indices {
            Self.hide(in: &observation.trailingTags[index], by: hide)
        }
        return observation
    }

    private static func hide(in tag: inout TagOccurrence, by hide: (String) -> String) {
        tag.origin.place.renditions = tag.origin.place.renditions.map(hide)
        tag.origin.place.segment = tag.origin.place.segment.map(hide)
    }
}

extension InputError {
    /// Returns the error without the secrets of addresses.
    ///
    /// - Parameter isInNetwork: Whether the input is from a network, so that a relative name is not a path.
    package func printable(inNetwork isInNetwork: Bool) -> InputError {
        mapTexts(
            names: { PrintableAddress.of(reference: $0, inNetwork: isInNetwork) },
            { PrintableAddress.of(message: $0, inNetwork: isInNetwork) })
    }

    /// Returns the error with its names and its other texts transformed.
    fileprivate func mapTexts(names name: (String) -> String, _ text: (String) -> String) -> InputError {
        switch self {
        case .unreadable(let subject, let reason): .unreadable(name(subject), reason: text(reason))
        case .notRegularFile(let subject): .notRegularFile(name(subject))
        case .tooLarge(let subject, let maximum): .tooLarge(name(subject), maximumByteCount: maximum)
        case .cancelled(let subject): .cancelled(name(subject))
        case .empty(let subject): .empty(name(subject))
        case .notMedia(let subject, let likely): .notMedia(name(subject), likely: likely)
        case .notPlaylist(let subject, let likely): .notPlaylist(name(subject), likely: likely)
        case .damagedPlaylist(let subject, let reason): .damagedPlaylist(name(subject), reason: text(reason))
        case .nestedPlaylist(let subject): .nestedPlaylist(name(subject))
        case .severalPlaylists(let subject, let names, let count):
            .severalPlaylists(name(subject), names: names.map(name), count: count)
        case .forbiddenAddress(let subject, let playlist):
            .forbiddenAddress(name(subject), playlist: name(playlist))
        case .unsupportedScheme(let scheme, let subject):
            .unsupportedScheme(text(scheme), reference: name(subject))
        case .transfer(let subject, let reason, let isRetriable):
            .transfer(name(subject), reason: text(reason), isRetriable: isRetriable)
        case .encrypted(let subject, let method): .encrypted(name(subject), method: text(method))
        case .undecipherable(let subject, let reason): .undecipherable(name(subject), reason: text(reason))
        case .demuxing(let subject, let reason): .demuxing(name(subject), reason: text(reason))
        case .noSuchRendition(let subject, let playlist):
            .noSuchRendition(name(subject), playlist: name(playlist))
        }
    }
}

public import HLSInput
package import HTTPTransfer
public import NielsenID3
public import StreamHealth

/// The operator's settings for one channel.
public struct ChannelSettings: Sendable, Hashable {
    /// The id of the channel in output and in the buffer: letters, digits, `-` and `_`.
    public var id: String

    /// The display name; defaults to the id.
    public var name: String

    /// The address of the multivariant or media playlist, as the operator wrote it.
    public var url: String

    /// The backup address, followed as a playlist and read when the primary fails; nil for none.
    public var backup: String?

    /// Whether the backup is read continuously and its tags are compared with those of the primary.
    public var comparesBackup = false

    /// The renditions that are followed.
    public var rendition = FollowedRendition.automatic

    /// Header fields for each request to the hosts of `url` and `backup`; their values are never printed.
    public var headers: [Header] = []

    /// The connection settings; the client certificate, like `headers`, is only used for the hosts of `url` and
    /// `backup`.
    package var connection = ConnectionSettings()

    /// The hours without alerts for missing tags; nil for none.
    public var quiet: QuietHours?

    /// Whether advertisement breaks are expected to carry tags.
    public var expectsTagsInBreaks = false

    /// Whether the channel may end: a complete playlist is then neither loaded again nor reported.
    public var mayEnd = false

    /// The checks that are not run on the channel.
    public var ignoredChecks: Set<CheckID> = []

    /// The checks whose findings are shown, but raise no alert and do not degrade the channel.
    public var acceptedChecks: Set<CheckID> = []

    /// The limits of the checks.
    public var policy: HealthPolicy

    /// A header field.
    public struct Header: Sendable, Hashable {
        /// The name of the field.
        public let name: String
        /// The value.
        public let value: String

        /// Creates a header field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Creates a channel with default settings.
    public init(id: String, url: String, policy: HealthPolicy = HealthPolicy()) {
        self.id = id
        self.url = url
        self.policy = policy
        name = id
    }

    /// Returns whether two channels are the same except for their display names.
    func differsOnlyInName(from other: ChannelSettings) -> Bool {
        var renamed = self
        renamed.name = other.name
        return name != other.name && renamed == other
    }

    /// The maximum length of an id, in characters.
    static let maximumIDLength = 64

    /// Whether a text is a valid channel id.
    package static func isID(_ text: String) -> Bool {
        (1...maximumIDLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension ChannelSettings {
    /// The host of the address in lower case, with the port if the address has one.
    var host: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let start = authority.lastIndex(of: "@").map { authority.index(after: $0) }
        return authority[(start ?? authority.startIndex)...].lowercased()
    }

    /// Creates channels for bare addresses, with ids and names derived from the addresses.
    ///
    /// - Parameter model: The settings other than address, id and name.
    package static func channels(at urls: [String], like model: ChannelSettings) -> [ChannelSettings] {
        var channels: [ChannelSettings] = []
        for url in urls {
            let base = id(ofAddress: url)
            var id = base
            var number = 2
            while channels.contains(where: { $0.id == id }) {
                id = "\(base.prefix(maximumIDLength - 6))-\(number)"
                number += 1
            }
            var channel = model
            channel.id = id
            channel.name = id
            channel.url = url
            channels.append(channel)
        }
        return channels
    }

    /// Returns an id made of the host and path of an address, with `-` in place of characters that an id cannot have.
    ///
    /// The query is left out because it may contain a secret.
    private static func id(ofAddress url: String) -> String {
        let address = url.prefix { $0 != "?" && $0 != "#" }
        let rest = address.firstRange(of: "://").map { address[$0.upperBound...] } ?? address
        // Leave out user and password too.
        let host = rest.prefix { $0 != "/" }
        let start = host.lastIndex(of: "@").map { rest.index(after: $0) } ?? rest.startIndex
        var named = rest[start...]
        if let dot = named.lastIndex(of: "."), let slash = named.lastIndex(of: "/"), slash < dot {
            named = named[..<dot]
        }
        var id = ""
        for character in named.utf8 {
            let letter = String(decoding: [character], as: UTF8.self)
            if isID(letter), letter != "-" {
                id += letter
            } else if !id.hasSuffix("-") {
                id += "-"
            }
        }
        // The end of the address is its most distinctive part.
        id = String(id.suffix(maximumIDLength).drop { $0 == "-" })
        while id.hasSuffix("-") { id.removeLast() }
        return id.isEmpty ? "channel" : id
    }
}

/// The renditions of a channel that are followed.
public enum FollowedRendition: Sendable, Hashable {
    /// The cheapest rendition that carries tags, found by reading each rendition for a while.
    case automatic
    /// The renditions that a choice selects.
    case chosen(RenditionChoice)

    /// The keywords of a choice; any other text is a URI.
    package static let words = ["auto"] + RenditionChoice.words

    /// Parses a keyword or a URI.
    package init(_ text: String) {
        self = text == "auto" ? .automatic : .chosen(RenditionChoice(text))
    }
}

/// An error in the settings of a channel.
public enum ChannelSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The id is not 1 to 64 letters, digits, `-` and `_`.
    case invalidID(String)
    /// Two channels have the same id.
    case duplicateID(String)
    /// The address of the channel with this id, or its backup, is not an http or https address.
    case invalidAddress(id: String)

    /// A sentence about the error, without the address, which may contain a secret.
    public var description: String {
        switch self {
        case .invalidID(let id): "invalid id '\(id)'; an id has 1 to 64 letters, digits, '-' and '_'"
        case .duplicateID(let id): "duplicate channel '\(id)'"
        case .invalidAddress(let id): "the channel '\(id)' needs an http or https address"
        }
    }

    /// Throws the error of the first invalid channel.
    static func check(_ channels: [ChannelSettings]) throws(ChannelSettingsError) {
        var ids: Set<String> = []
        for channel in channels {
            guard ChannelSettings.isID(channel.id) else { throw .invalidID(channel.id) }
            guard ids.insert(channel.id).inserted else { throw .duplicateID(channel.id) }
            let urls = [channel.url] + (channel.backup.map { [$0] } ?? [])
            guard urls.allSatisfy(ChannelFile.isAddress) else { throw .invalidAddress(id: channel.id) }
        }
    }
}

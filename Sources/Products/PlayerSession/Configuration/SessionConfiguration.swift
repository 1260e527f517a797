import MarketProfiles

/// The configuration: the collectors, the upload interval, and the meaning of the app's keys.
///
///     {"collectors": {"us": "https://collector.example.com/", "default": "…"}, "token": "…",
///      "uploadInterval": 10, "optOutURL": "https://…", "optedOut": "discard",
///      "variables": {"EpisodeName": "title"}}
///
/// Every member is optional. A member of the wrong type makes the whole configuration invalid.
struct SessionConfiguration: Sendable, Hashable {
    /// The addresses of collectors by facility, in lower case.
    private(set) var collectors: [String: String] = [:]
    /// The token sent to the collector with each batch.
    private(set) var token: String?
    /// The interval between uploads, in seconds.
    private(set) var uploadInterval = 1.0
    /// The address of the opt-out page.
    private(set) var optOutURL: String?
    /// Whether the tags of users who have opted out are sent, marked as such and without any id; otherwise discarded.
    private(set) var sendsOptedOut = false
    /// The standard names of the app's keys, by the app's key in lower case.
    private(set) var names: [String: String] = [:]

    /// The maximum size of a configuration, in bytes.
    static let maximumByteCount = 1 << 20

    /// Creates an empty configuration.
    init() {}

    /// Parses a JSON configuration; nil if it is invalid.
    init?(json: [UInt8]) {
        guard json.count <= Self.maximumByteCount, case .object(let members)? = MetadataValue(json: json)
        else {
            return nil
        }
        let object = Metadata(members: members)
        guard let collectors = Self.texts(object["collectors"]), let names = Self.texts(object["variables"])
        else { return nil }
        self.collectors = collectors
        self.names = names
        for (key, path) in [("token", \SessionConfiguration.token), ("optouturl", \.optOutURL)] {
            guard let value = object[key] else { continue }
            guard case .text(let text) = value else { return nil }
            self[keyPath: path] = text
        }
        switch object["optedout"] {
        case nil, .text("discard"): break
        case .text("send"): sendsOptedOut = true
        default: return nil
        }
        if let value = object["uploadinterval"] {
            guard case .number(let seconds) = value, (0.1...86_400).contains(seconds) else { return nil }
            uploadInterval = seconds
        }
    }

    /// Returns the collector address for a facility; nil if nothing is to be sent.
    func collector(of facility: String) -> String? { collectors[facility] ?? collectors["default"] }

    /// Returns the texts of an object by lowercase key; empty without a value, nil if there are values of other types.
    private static func texts(_ value: MetadataValue?) -> [String: String]? {
        guard let value else { return [:] }
        guard case .object(let members) = value else { return nil }
        var texts: [String: String] = [:]
        for member in members {
            guard case .text(let text) = member.value else { return nil }
            texts[member.key.lowercased()] = text
        }
        return texts
    }
}

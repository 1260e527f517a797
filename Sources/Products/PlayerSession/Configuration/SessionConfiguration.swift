import MarketProfiles

/// What the configuration says: where tags are sent to, how often, and what the app's words mean.
///
///     {"collectors": {"us": "https://collector.example.com/", "default": "…"}, "token": "…",
///      "uploadInterval": 10, "optOutURL": "https://…", "optedOut": "discard",
///      "variables": {"EpisodeName": "title"}}
///
/// Every member may be missing. A member of another type makes the whole invalid: half a configuration is none.
struct SessionConfiguration: Sendable, Hashable {
    /// The addresses of collectors by facility, in lower case.
    private(set) var collectors: [String: String] = [:]
    /// Sent to the collector with each batch.
    private(set) var token: String?
    /// How often what waits is sent, in seconds.
    private(set) var uploadInterval = 1.0
    /// The page where users choose.
    private(set) var optOutURL: String?
    /// Whether the tags of users who have opted out are sent, marked as such and without any id, or discarded.
    private(set) var sendsOptedOut = false
    /// What the keys of the app stand for, by the app's key in lower case.
    private(set) var names: [String: String] = [:]

    /// What may be read of one.
    static let maximumByteCount = 1 << 20

    /// That of a session that has none.
    init() {}

    /// The configuration of a JSON text; nil where it is none.
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

    /// The address for a facility; nil where nothing is to be sent.
    func collector(of facility: String) -> String? { collectors[facility] ?? collectors["default"] }

    /// The texts of an object by its keys in lower case; none where there is no value, nil where it has others.
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

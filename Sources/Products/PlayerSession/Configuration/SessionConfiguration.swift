import MarketProfiles
public import TagStore

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

    /// Returns the destination of the tags of a facility; nil if nothing is to be sent.
    ///
    /// - Parameter authoritiesFile: a PEM file of certificate authorities to trust; nil for the system's.
    func destination(of facility: String, authoritiesFile: String? = nil) -> UploadDestination? {
        guard let collector = collectors[facility] ?? collectors["default"] else { return nil }
        return UploadDestination(
            collector: collector, token: token, interval: uploadInterval, authoritiesFile: authoritiesFile)
    }

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

/// The options of a session: its storage, and the source of its configuration.
public struct SessionOptions: Sendable, Hashable {
    /// The folder of the buffer; sessions of one process may share it.
    public var directory: String
    /// The source of the configuration; without one, nothing leaves this device.
    public var configuration = ConfigurationSource.none
    /// Whether a duplicate of the previous tag is stored too.
    public var keepsRepeats = false
    /// The limits of the buffer, in size and age.
    public var store = StoreSettings()
    /// A PEM file of certificate authorities to trust instead of the system's; nil for the system's.
    public var authoritiesFile: String?
    /// Whether the folder keeps the user's choice and the ids of this device across launches.
    package var keepsIdentity = true

    /// Creates the default options, with the buffer in a folder.
    public init(directory: String) { self.directory = directory }
}

/// The source of a session's configuration.
public enum ConfigurationSource: Sendable, Hashable {
    /// No configuration.
    case none
    /// A file.
    case file(path: String)
    /// An `http` or `https` address; the last valid configuration is kept, and used if none can be fetched.
    case url(String)
}

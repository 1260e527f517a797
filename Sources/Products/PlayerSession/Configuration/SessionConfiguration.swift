import HTTPTransfer
public import TagStore
import TextForms

/// A problem of a configuration: an error of the guides, and its text.
package struct ConfigurationProblem: Error, Sendable, Hashable {
    /// 4, the configuration was not received, or 5, it has an error.
    let code: SessionErrorCode
    /// The key, if there is one, and the reason.
    package var text: String

    init(_ code: SessionErrorCode, _ text: String) {
        self.code = code
        self.text = text
    }

    /// Creates the problem of a key.
    init(key: String, _ reason: String) { self.init(.configurationJSON, "\(key): \(reason)") }
}

/// The configuration: the collectors, the upload interval, and the meaning of the app's keys.
///
///     {"collectors": {"us": "https://collector.example.com/", "default": "…"}, "token": "…",
///      "uploadInterval": 10, "optOutURL": "https://…", "optedOut": "discard",
///      "variables": {"EpisodeName": "title"}, "records": "all", "withhold": ["longitude"]}
///
/// A member of the wrong type makes the whole configuration invalid. An unknown key does not.
package struct SessionConfiguration: Sendable, Hashable {
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
    /// Whether records of the app, of assets and of their playback are sent; otherwise only tags.
    private(set) var sendsRecords = true
    /// The keys that no record has, in lower case.
    private(set) var withheldNames: Set<String> = []
    /// The standard names of the app's keys, by the app's key in lower case.
    private(set) var names: [String: String] = [:]
    /// The keys that are unknown, as given.
    private var unknownKeys: [String] = []

    /// The maximum size of a configuration, in bytes.
    static let maximumByteCount = 1 << 20
    /// The keys, as the documentation spells them.
    static let keys = [
        "collectors", "token", "uploadInterval", "optOutURL", "optedOut", "variables", "records", "withhold",
    ]
    /// The maximum number of problems, and of characters of a key or value, in texts.
    private static let maximumProblemCount = 8
    private static let maximumTextLength = 100

    /// Creates an empty configuration.
    package init() {}

    /// Parses a JSON configuration.
    package init(json: [UInt8]) throws(ConfigurationProblem) {
        guard json.count <= Self.maximumByteCount else {
            throw ConfigurationProblem(.configurationJSON, "it is larger than 1 MiB")
        }
        guard case .object(let members)? = MetadataValue(json: json) else {
            throw ConfigurationProblem(.configurationJSON, "it is not a JSON object")
        }
        let object = Metadata(members: members)
        collectors = try Self.texts(object["collectors"], of: "collectors")
        names = try Self.texts(object["variables"], of: "variables")
        for (key, path) in [("token", \SessionConfiguration.token), ("optOutURL", \.optOutURL)] {
            guard let value = object[key.lowercased()] else { continue }
            guard case .text(let text) = value else { throw ConfigurationProblem(key: key, "is not text") }
            self[keyPath: path] = text
        }
        switch object["optedout"] {
        case nil, .text("discard"): break
        case .text("send"): sendsOptedOut = true
        default: throw ConfigurationProblem(key: "optedOut", "is neither \"discard\" nor \"send\"")
        }
        switch object["records"] {
        case nil, .text("all"): break
        case .text("tags"): sendsRecords = false
        default: throw ConfigurationProblem(key: "records", "is neither \"all\" nor \"tags\"")
        }
        withheldNames = try Self.names(object["withhold"], of: "withhold")
        if let value = object["uploadinterval"] {
            guard case .number(let seconds) = value, (0.1...86_400).contains(seconds) else {
                throw ConfigurationProblem(
                    key: "uploadInterval", "is not a number of seconds from 0.1 to 86400")
            }
            uploadInterval = seconds
        }
        let known = Set(Self.keys.map { $0.lowercased() })
        unknownKeys = members.map(\.key).filter { !known.contains($0.lowercased()) }
    }

    /// Returns the problems that leave the rest of the configuration valid, at most a few.
    ///
    /// - Parameter facility: the facility of the session's app, which needs the address of a collector.
    func problems(for facility: String) -> [ConfigurationProblem] {
        var problems = unknownKeys.map { key in
            ConfigurationProblem(
                key: Self.shown(key), "is unknown; the keys are \(Self.keys.joined(separator: ", "))")
        }
        if let missing = missingCollector(for: facility) { problems.insert(missing, at: 0) }
        guard problems.count > Self.maximumProblemCount else { return problems }
        let more = problems.count - Self.maximumProblemCount
        return problems.prefix(Self.maximumProblemCount) + [
            ConfigurationProblem(
                .configurationJSON, DecimalText.count(more, "more key is", "more keys are") + " unknown")
        ]
    }

    /// Returns the reason why a facility has no collector; nil if it has one.
    private func missingCollector(for facility: String) -> ConfigurationProblem? {
        if collectors.isEmpty {
            return ConfigurationProblem(key: "collectors", "names no collector, so nothing is delivered")
        }
        guard let (key, address) = collector(of: facility) else {
            return ConfigurationProblem(
                key: "collectors",
                "has neither \"\(Self.shown(facility))\", the sfcode of the app, nor \"default\", "
                    + "so nothing is delivered")
        }
        guard !HTTPRequest.isAddress(address) else { return nil }
        return ConfigurationProblem(
            key: "collectors.\(Self.shown(key))",
            "\"\(Self.shown(HTTPRequest.withoutSecrets(address)))\" is not an http or https address, "
                + "so nothing is delivered")
    }

    private func collector(of facility: String) -> (key: String, address: String)? {
        for key in [facility, "default"] {
            if let address = collectors[key] { return (key, address) }
        }
        return nil
    }

    /// Returns a text of the configuration for an error, without control characters.
    private static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(maximumTextLength).map { scalar in
            scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns the destination of the tags of a facility; nil if nothing is to be sent.
    ///
    /// - Parameter authoritiesFile: a PEM file of certificate authorities to trust; nil for the system's.
    func destination(of facility: String, authoritiesFile: String? = nil) -> UploadDestination? {
        guard let address = collector(of: facility)?.address, HTTPRequest.isAddress(address) else {
            return nil
        }
        return UploadDestination(
            collector: address, token: token, interval: uploadInterval, authoritiesFile: authoritiesFile)
    }

    /// Returns the texts of a list in lower case; empty without a value.
    private static func names(
        _ value: MetadataValue?, of key: String
    ) throws(ConfigurationProblem) -> Set<String> {
        guard let value else { return [] }
        guard case .list(let elements) = value else { throw ConfigurationProblem(key: key, "is not a list") }
        var names: Set<String> = []
        for element in elements {
            guard case .text(let name) = element else {
                throw ConfigurationProblem(key: key, "has an element that is not text")
            }
            names.insert(name.lowercased())
        }
        return names
    }

    /// Returns the texts of an object by lowercase key; empty without a value.
    private static func texts(
        _ value: MetadataValue?, of key: String
    ) throws(ConfigurationProblem) -> [String: String] {
        guard let value else { return [:] }
        guard case .object(let members) = value else {
            throw ConfigurationProblem(key: key, "is not an object")
        }
        var texts: [String: String] = [:]
        for member in members {
            guard case .text(let text) = member.value else {
                throw ConfigurationProblem(key: "\(key).\(shown(member.key))", "is not text")
            }
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
    /// The file of the log of all calls; nil for standard error, and only if the app's information asks for a log.
    public var log: String?
    /// The receiver of events and errors, from the first one on; held weakly.
    public var delegate: (any MeasurementSessionDelegate)? {
        get { receiver.delegate }
        set { receiver = WeakDelegate(newValue) }
    }
    private(set) var receiver = WeakDelegate()
    /// The name of a replayed session in its log; nil for the session of an app.
    package var replayedInstance: String?
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
    /// An `http` or `https` address, in which `{appid}` is replaced by the id of the app.
    ///
    /// The last valid configuration is kept, and used if none can be fetched.
    case url(String)
}

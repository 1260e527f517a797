public import TagStore

/// Where a session keeps its tags, and where its configuration comes from.
public struct SessionOptions: Sendable, Hashable {
    /// The folder of the buffer; sessions of a process may share it.
    public var directory: String
    /// Where the configuration comes from; without one, nothing leaves this device.
    public var configuration = ConfigurationSource.none
    /// Whether a tag that is the last one once more is kept too.
    public var keepsRepeats = false
    /// How large and how old the buffer may grow.
    public var store = StoreSettings()
    /// A PEM file of the authorities that are trusted instead of the system's; nil for the system's.
    public var authoritiesFile: String?
    /// Whether the user's choice and the ids of this device are kept in the folder, over launches.
    package var keepsIdentity = true

    /// The usual options, with the buffer in a folder.
    public init(directory: String) { self.directory = directory }
}

/// Where the configuration of a session comes from.
public enum ConfigurationSource: Sendable, Hashable {
    /// There is none.
    case none
    /// A file.
    case file(path: String)
    /// An `http` or `https` address; what came last is kept, and holds where nothing can be fetched.
    case url(String)
}

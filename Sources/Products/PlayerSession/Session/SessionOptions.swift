public import TagStore

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

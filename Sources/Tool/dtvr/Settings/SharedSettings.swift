import HLSInput

// The settings that several commands take. A setting of one command is in the file of that command.

extension Setting {
    // MARK: Every command

    static let config = Setting(
        "config", .path("FILE"), help: "read settings from FILE instead of $XDG_CONFIG_HOME/dtvr/config")
    static let color = Setting(
        "color", .choice(["auto", "always", "never"]), default: "auto",
        help: "color the output; auto: on a terminal, unless NO_COLOR is set or TERM is dumb")

    // MARK: Results

    /// The format of the results, which each command restricts to its own.
    static let format = Setting("format", .choice([]), default: "text", help: "the format of the results")
    static let output = Setting("output", .path("FILE"), help: "write to FILE instead of standard output")

    /// Returns the format setting of a command with these formats.
    static func format(_ choices: [String]) -> Setting { format.adapted { $0.limit(to: choices) } }

    // MARK: Reading

    static let rendition = Setting(
        "rendition", .text("all|lowest|highest|audio|URI"), default: "lowest",
        help: "which renditions of a multivariant playlist to read, with the default audio of their group"
    )
    .adapted { $0.suggestions = RenditionChoice.words }
    static let showSecrets = Setting(
        "show-secrets", .toggle,
        help: """
            show whole addresses in reports, with users, passwords and queries; by default, a keyed hash replaces \
            each of these
            """)
    static let allowPrivate = Setting(
        "allow-private", .toggle,
        help: """
            allow playlists from public addresses, and playlists fetched through a proxy, to refer to private and \
            loopback addresses, and fetch their references through the proxy
            """)
    static let jobs = Setting(
        "jobs", .number(1...256),
        help: "the number of segments of an input to read in parallel; by default, the number of CPU cores")
    static let maxSegmentBytes = Setting(
        "max-segment-bytes", .byteCount(1...1_000_000_000_000), default: "1GiB",
        help: "the maximum size of a segment from a playlist, a directory or the network")

    // MARK: The buffer

    /// The maximum age of a tag in seconds: ten years.
    static let longestAge = 315_360_000.0

    static let store = Setting(
        "store", .path("DIR"), help: "the folder of the buffer; by default, $XDG_STATE_HOME/dtvr/store")
    static let maxAge = Setting(
        "max-age", .duration(0.001...longestAge), default: "10d", help: "the maximum time to keep a tag")
    static let maxBytes = Setting(
        "max-bytes", .byteCount(2_000_000...1_000_000_000_000), default: "30000000",
        help: "the maximum disk space of the buffer, including all its files")
    static let whenFull = Setting(
        "when-full", .choice(["evict-oldest", "refuse-newest"]), default: "evict-oldest",
        help: "which tags to drop when the buffer is full")
    static let wait = Setting(
        "wait", .duration(0...604_800), default: "30s",
        help: "how long to wait for a buffer that another process holds")

    // MARK: Collectors and servers

    static let collector = Setting(
        "collector", .text("URL"),
        help: "the address of the collector; without it, nothing leaves this machine")
    static let tokenFile = Setting(
        "token-file", .path("FILE"),
        help:
            "a file with the bearer token, which SIGHUP makes dtvr monitor read again; DTVR_TOKEN can hold the token "
            + "itself instead")
    static let cacert = Setting(
        "cacert", .path("FILE"),
        help: "trust the certificate authorities in FILE (PEM) instead of the system's")
    static let listen = Setting(
        "listen", .text("HOST:PORT"), default: "127.0.0.1:8271",
        help: "the address to listen on; port 0 picks a free port")

    // MARK: Tests

    static let fault = Setting(
        "fault", .text("FAULT"), help: "simulate a fault; 'list' prints the faults")
    static let channels = Setting(
        "channels", .path("FILE"), help: "follow the channels that FILE lists; SIGHUP reloads the file")
}

package import HTTPTransfer
package import StreamHealth

/// The operator's settings for one channel.
package struct ChannelSettings: Sendable, Hashable {
    /// The id of the channel in output and in the buffer: letters, digits, `-` and `_`.
    package var id: String

    /// The display name; defaults to the id.
    package var name: String

    /// The address of the multivariant or media playlist, as the operator wrote it.
    package var url: String

    /// The backup address, followed as a playlist and read when the primary fails; nil for none.
    package var backup: String?

    /// Whether the backup is read continuously and its tags are compared with those of the primary.
    package var comparesBackup = false

    /// The renditions that are followed.
    package var rendition = FollowedRendition.automatic

    /// Header fields for each request to the hosts of `url` and `backup`; their values are never printed.
    package var headers: [Header] = []

    /// The connection settings; the client certificate, like `headers`, is only used for the hosts of `url` and
    /// `backup`.
    package var connection = ConnectionSettings()

    /// The hours without alerts for missing tags; nil for none.
    package var quiet: QuietHours?

    /// Whether advertisement breaks are expected to carry tags.
    package var expectsTagsInBreaks = false

    /// The limits of the checks.
    package var policy: HealthPolicy

    /// A header field.
    package struct Header: Sendable, Hashable {
        /// The name of the field.
        package let name: String
        /// The value, with its variables replaced.
        package let value: String
    }

    /// Creates a channel with default settings.
    package init(id: String, url: String, policy: HealthPolicy = HealthPolicy()) {
        self.id = id
        self.url = url
        self.policy = policy
        name = id
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

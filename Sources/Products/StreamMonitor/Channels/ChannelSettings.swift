package import HTTPTransfer
package import StreamHealth

/// One channel that is monitored, as its operator describes it.
package struct ChannelSettings: Sendable, Hashable {
    /// What the channel is called in output and in the buffer: letters, digits, `-` and `_`.
    package var id: String

    /// Its name for people; the id where none is given.
    package var name: String

    /// The address of its multivariant or media playlist, as the operator gave it.
    package var url: String

    /// Where it is too: followed as a playlist, and read when the primary fails; nil for nowhere.
    package var backup: String?

    /// Whether the backup is read all the time, and its tags are compared with those of the primary.
    package var comparesBackup = false

    /// Which renditions are followed.
    package var rendition = FollowedRendition.automatic

    /// Header fields that go with each request to the hosts of `url` and `backup`; their values are never printed.
    package var headers: [Header] = []

    /// How it is connected to; the client certificate is for the hosts of `url` and `backup`, as the header fields are.
    package var connection = ConnectionSettings()

    /// The hours without an alert for missing tags; nil for none.
    package var quiet: QuietHours?

    /// Whether advertisement breaks are expected to carry tags too.
    package var expectsTagsInBreaks = false

    /// The limits that its checks go by.
    package var policy: HealthPolicy

    /// A header field.
    package struct Header: Sendable, Hashable {
        /// The field's name.
        package let name: String
        /// Its value, variables replaced.
        package let value: String
    }

    /// A channel with the usual settings.
    package init(id: String, url: String, policy: HealthPolicy = HealthPolicy()) {
        self.id = id
        self.url = url
        self.policy = policy
        name = id
    }

    /// How many characters an id has at most.
    static let maximumIDLength = 64

    /// Whether a text can be the id of a channel.
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

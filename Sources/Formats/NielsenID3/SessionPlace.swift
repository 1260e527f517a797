/// Where in a player's session a tag was handed over, and what was played then.
public struct SessionPlace: Sendable, Hashable {
    /// The id of the viewing session: random, and of nothing else.
    public var id: String

    /// How many tags the session kept before this one.
    public var order: UInt64

    /// The channel as the player named it; nil where it named none.
    public var channel: String?

    /// The id of the asset; nil where the player gave none.
    public var asset: String?

    /// The type of the asset, such as `content` or `midroll`; nil where the player gave none.
    public var assetType: String?

    /// The playhead when the tag was handed over, in seconds, or in Unix seconds for live; nil before the first.
    public var playhead: Double?

    /// The playhead at which the tag is presented, as the player gave it; nil where it gave none.
    public var mediaTime: Double?

    /// Whether playback came to the media time; true of a tag without one, which counts at once.
    public var isPresented: Bool

    /// The id that stands for the buffer's while the user has opted out, 32 hexadecimal digits; nil of a user who has not.
    ///
    /// It is made for that time, and says nothing of the device.
    public var optedOutStore: String?

    /// A place in a session, with the parts that are known.
    public init(
        id: String, order: UInt64, channel: String? = nil, asset: String? = nil, assetType: String? = nil,
        playhead: Double? = nil, mediaTime: Double? = nil, isPresented: Bool = true,
        optedOutStore: String? = nil
    ) {
        self.id = id
        self.order = order
        self.channel = channel
        self.asset = asset
        self.assetType = assetType
        self.playhead = playhead
        self.mediaTime = mediaTime
        self.isPresented = isPresented
        self.optedOutStore = optedOutStore
    }
}

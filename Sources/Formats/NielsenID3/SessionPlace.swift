/// The position in a player's session at which a tag was received, and the content that was playing.
public struct SessionPlace: Sendable, Hashable {
    /// The id of the viewing session: random and derived from nothing else; empty in the record of an app.
    public var id: String

    /// The number of tags that the session kept before this one; in another record, that of records of its kind.
    public var order: UInt64

    /// The id of the app session: random, from the initialization of the app to its end; nil before it.
    public var appSession: String?

    /// The id of the play of the asset: random; nil if the player described neither a channel nor an asset.
    public var assetPlay: String?

    /// The channel name that the player set; nil if it set none.
    public var channel: String?

    /// The id of the asset; nil if the player set none.
    public var asset: String?

    /// The type of the asset, such as `content` or `midroll`; nil if the player set none.
    public var assetType: String?

    /// The playhead when the tag was received, in seconds, or in Unix seconds for live; nil before the first playhead.
    public var playhead: Double?

    /// The playhead at which the tag is presented, as the player specified it; nil if it specified none.
    public var mediaTime: Double?

    /// Whether playback reached the media time; always true for a tag without a media time.
    public var isPresented: Bool

    /// The id that replaces the buffer's id during an opt-out, 32 hexadecimal digits; nil if the user has not opted
    /// out.
    ///
    /// It is generated for that period and does not identify the device.
    public var optedOutStore: String?

    /// Creates a position from the known parts.
    public init(
        id: String, order: UInt64, appSession: String? = nil, assetPlay: String? = nil,
        channel: String? = nil,
        asset: String? = nil, assetType: String? = nil, playhead: Double? = nil, mediaTime: Double? = nil,
        isPresented: Bool = true,
        optedOutStore: String? = nil
    ) {
        self.id = id
        self.order = order
        self.appSession = appSession
        self.assetPlay = assetPlay
        self.channel = channel
        self.asset = asset
        self.assetType = assetType
        self.playhead = playhead
        self.mediaTime = mediaTime
        self.isPresented = isPresented
        self.optedOutStore = optedOutStore
    }
}

import NielsenID3
import PlayerSession

/// The state of a player after the calls so far, as the rules need it.
struct PlayerTimeline: Sendable {
    /// The state of playback.
    enum Phase: Sendable, Hashable {
        case idle
        case playing
        case paused
        case stopped
        case background
        case ended
    }

    /// A position of playback, and the time at which it was reported.
    struct Position: Sendable, Hashable {
        /// The position; nil if the log has null in its place.
        let seconds: Double?
        let at: Double
    }

    /// The app's information; nil before the first `init`.
    private(set) var app: Metadata?
    /// The channel; nil before it is named.
    private(set) var channel: String?
    /// The current asset; nil before the first.
    private(set) var asset: Metadata? {
        didSet { type = Self.type(of: asset) }
    }
    /// The type of the current asset; nil if it has none.
    private(set) var type: AssetType?
    /// The content that was loaded last in this stream; nil before it.
    ///
    /// A page does not count as content.
    private(set) var content: Metadata? {
        didSet { isLive = Self.isLive(content) }
    }
    /// Whether the content is a live stream: its length is 0, or that of a day.
    private(set) var isLive = false
    /// The last position of that content; nil before its first.
    private(set) var contentPosition: Position?
    /// The last position of the current asset; nil before its first.
    private(set) var position: Position?
    /// The phase of playback, and the time of its start.
    private(set) var phase = Phase.idle
    private(set) var phaseStart = 0.0
    /// The last tag with a content id, and the time at which it was handed over.
    private(set) var lastTag: (tag: NielsenTag, at: Double)?
    /// Whether the user has opted out, so that calls are not measured, and a log has no values of them.
    private(set) var isOptedOut = false
    /// Whether the app has disabled measurement and enabled it again, and has called neither `play` nor `loadMetadata`
    /// since.
    private(set) var isEnabledAgain = false
    /// The time of the current call.
    var time = 0.0
    /// The market whose rules apply; nil if it is unknown.
    var market: Market?

    /// Whether the current asset is an advertisement.
    var isAd: Bool { type?.isAd ?? false }

    /// Whether the current asset is a page.
    var isPage: Bool { type == .static }

    /// Whether the current asset is audio.
    var isAudio: Bool {
        let flag = content?.text("isaudio")?.lowercased()
        return flag == "true" || flag == "1" || flag == "y" || Self.type(of: content) == .radio
    }

    static func type(of metadata: Metadata?) -> AssetType? {
        metadata?.text("type").flatMap { AssetType(rawValue: $0.lowercased()) }
    }

    static func isLive(_ content: Metadata?) -> Bool {
        guard let length = content?["length"]?.finiteNumber else { return false }
        return length == 0 || length == 86_400
    }

    /// Whether both are the same asset; another section of the same page is another one.
    static func isSame(_ one: Metadata?, _ other: Metadata) -> Bool {
        guard let one else { return false }
        guard type(of: one) == type(of: other), one.text("assetid") == other.text("assetid") else {
            return false
        }
        if type(of: one) == .static { return one.text("section") == other.text("section") }
        return index(of: one) == index(of: other)
    }

    private static func index(of ad: Metadata) -> String? { ad.text("adidx") ?? ad.text("adldx") }

    /// Follows an event.
    mutating func follow(_ event: PlayerEvent) {
        switch event {
        case .initialize(let information): app = information
        case .play(let information):
            if let channel = information.text("channelname"), channel != self.channel {
                if self.channel != nil { forgetContent() }
                self.channel = channel
            }
            enter(.playing)
        case .load(let metadata): load(metadata)
        case .loadWithheld:
            forgetContent()
            enter(.playing)
        case .update(let metadata): asset = (asset ?? Metadata()).updated(with: metadata)
        case .playhead(let seconds):
            if isPage { break }
            position = Position(seconds: seconds, at: time)
            if !isAd { contentPosition = position }
            // `pause` and `stop` come with a position, which resumes nothing.
            if phase != .background { enter(.playing) }
        case .tag(let tag):
            if tag.hasContent { lastTag = (tag, time) }
        case .pause: enter(.paused)
        case .stop: enter(.stopped)
        case .end:
            enter(.ended)
            forgetContent()
        // Audio continues in the background, and is measured there.
        case .background: if !isAudio { enter(.background) }
        case .foreground: if phase == .background { enter(.stopped) }
        case .choose(let isOut):
            guard isOut != isOptedOut else { break }
            isOptedOut = isOut
            // The next position is the first one of a new viewing session.
            position = nil
            contentPosition = nil
            lastTag = nil
        case .free:
            enter(.idle)
            forgetContent()
            app = nil
        }
    }

    /// Follows a call that reports no event of playback.
    mutating func follow(_ call: EvaluatedCall) {
        switch call.name {
        case .appDisableApi: isEnabledAgain = asset != nil || channel != nil
        case .play, .loadMetadata, .free: isEnabledAgain = false
        default: break
        }
    }

    /// Returns to the content, whose position a call reports after an advertisement without `loadMetadata` of it.
    mutating func returnToContent(before call: EvaluatedCall) {
        guard isAd, phase == .stopped, let content, call.interface != .tracked,
            case .playhead(let seconds?)? = call.events.first
        else { return }
        if call.name != .end, let last = position?.seconds, (last...last + 10).contains(seconds) { return }
        asset = content
        position = contentPosition
    }

    private mutating func load(_ metadata: Metadata) {
        if let channel = metadata.text("channelname"), channel != self.channel {
            if self.channel != nil { forgetContent() }
            self.channel = channel
        }
        if !Self.isSame(asset, metadata) || isAd { position = nil }
        asset = metadata
        if !isAd, !isPage {
            if !Self.isSame(content, metadata) { contentPosition = nil }
            content = metadata
        }
        enter(.playing)
    }

    private mutating func enter(_ next: Phase) {
        guard next != phase else { return }
        phase = next
        phaseStart = time
    }

    private mutating func forgetContent() {
        asset = nil
        content = nil
        contentPosition = nil
        position = nil
    }
}

extension NielsenTag {
    /// Whether the tag has a content id, and is not a description of the inserter.
    var hasContent: Bool { kind != .info && pcCID?.isNull == false }
}

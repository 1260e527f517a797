import NielsenID3

/// A viewing session, from the first call about a channel to its end, or to another channel.
struct ViewingSession: Sendable, Hashable {
    /// A random id, derived from nothing else.
    private let id: String
    /// The channel as the player named it; nil if it named none.
    fileprivate(set) var channel: String?
    /// Whether `play` was called.
    private(set) var hasPlay = false
    /// Whether there was any metadata.
    private var hasMetadata = false
    /// The number of records of played assets so far.
    private var playbackCount: UInt64 = 0
    /// Whether playback is stopped: `stop` was the last call about it.
    private(set) var isStopped = false
    /// Whether playback is paused: `pause` was the last call about it.
    private var isPaused = false
    /// Whether nothing has played since `stop`, although metadata may have been loaded.
    private(set) var isOver = false
    /// Whether nothing has played since `play` opened the session after `stop`.
    private(set) var isReopened = false
    /// The number of tags stored so far.
    private var tagCount: UInt64 = 0
    /// The owner identifier of the last stored tag.
    private var lastOwner: [UInt8]?
    /// Whether the app has returned from the background, and has not called `play` since.
    private(set) var isReturned = false
    /// Whether the first tag has been checked for missing calls.
    private var isFirstTagChecked = false

    fileprivate init(id: String, channel: String?) {
        self.id = id
        self.channel = channel
    }

    /// Creates a session that continues another one under a new id.
    fileprivate init(id: String, continuing other: ViewingSession) {
        self.init(id: id, channel: other.channel)
        hasPlay = other.hasPlay
        hasMetadata = other.hasMetadata
        isStopped = other.isStopped
        isPaused = other.isPaused
        isOver = other.isOver
        isFirstTagChecked = other.isFirstTagChecked
    }

    /// Adopts the calls made before the app moved to the background.
    fileprivate mutating func adoptCalls(of other: ViewingSession) {
        hasPlay = other.hasPlay
        hasMetadata = other.hasMetadata
    }

    // MARK: Calls

    /// Whether playback is interrupted.
    var isInterrupted: Bool { isStopped || isPaused }

    mutating func resume() {
        isStopped = false
        isPaused = false
    }

    /// Records a playhead or a tag, which resumes playback.
    mutating func recordPlayback() {
        resume()
        isOver = false
        isReopened = false
    }

    mutating func pause() { isPaused = true }

    mutating func stop() {
        isStopped = true
        isOver = true
    }

    /// Records that `play` was called.
    mutating func recordPlay() {
        hasPlay = true
        isReturned = false
    }

    /// Records that the app has returned from the background.
    fileprivate mutating func recordReturn() { isReturned = true }

    /// Records that `play` opens the session after `stop`.
    fileprivate mutating func recordReopening() {
        resume()
        isReopened = true
    }

    /// Records that there is metadata.
    mutating func recordMetadata() { hasMetadata = true }

    // MARK: Tags

    /// Prepares for a tag, which resumes playback: finds the calls that are missing before it.
    fileprivate mutating func expectTag(_ form: SessionCall.Form, _ step: inout SessionStep) {
        if isInterrupted, form != .tracked { step.find(.tagAfterStop) }
        recordPlayback()
        if isFirstTagChecked { return }
        isFirstTagChecked = true
        if form == .app, !hasPlay { step.find(.playMissing) }
        if !hasMetadata { step.find(.metadataMissing) }
    }

    /// Whether a tag is a duplicate of the previous one.
    func isRepeat(_ tag: NielsenTag) -> Bool { lastOwner == tag.ownerIdentifier }

    /// Forgets the previous tag: after a seek, a stop or another asset, an equal tag is another viewing.
    mutating func forgetLastTag() { lastOwner = nil }

    /// Counts a tag, and returns its place.
    mutating func add(_ tag: NielsenTag) -> SessionPlace {
        defer {
            tagCount += 1
            lastOwner = tag.ownerIdentifier
        }
        return SessionPlace(id: id, order: tagCount, channel: channel)
    }

    /// Counts a record of a played asset, and returns its place.
    mutating func addPlayback() -> SessionPlace {
        defer { playbackCount += 1 }
        return SessionPlace(id: id, order: playbackCount, channel: channel)
    }

    /// The place of a record that is not counted here.
    var place: SessionPlace { SessionPlace(id: id, order: 0, channel: channel) }
}

/// The viewing sessions of a player, one at a time.
struct Viewing: Sendable {
    /// The reason why the last viewing session ended.
    private enum Ending: Sendable, Hashable {
        case none
        case end
        /// The app moved to the background, and returns to this viewing session.
        case background(ViewingSession)
    }

    /// The open viewing session; nil if nothing is playing.
    ///
    /// Changes are made in place: a copy of it takes longer than the rest of most calls. An observer would copy it.
    var current: ViewingSession?
    /// Whether a viewing session is open; unlike a comparison of `current` with nil, it copies nothing.
    private(set) var isOpen = false
    private var ending = Ending.none
    /// The last channel named, for a tag that arrives while nothing is playing.
    private(set) var lastChannel: String?
    /// The number of viewing sessions opened so far.
    private(set) var count = 0
    private let makeID: @Sendable () -> String

    /// Creates the viewing sessions of a new session.
    ///
    /// - Parameter makeID: returns a unique id for each viewing session.
    init(makeID: @escaping @Sendable () -> String) { self.makeID = makeID }

    /// Whether the content has ended, so that an advertisement may still follow on the same channel.
    var hasEnded: Bool { current == nil && ending == .end }

    /// Opens a viewing session of a channel.
    mutating func open(_ channel: String?) { open(ViewingSession(id: makeID(), channel: channel)) }

    private mutating func open(_ session: ViewingSession) {
        current = session
        isOpen = true
        if let channel = session.channel { lastChannel = channel }
        count += 1
        ending = .none
    }

    /// Names the channel of the open viewing session.
    mutating func name(_ channel: String) {
        guard current != nil else { return }
        current?.channel = channel
        lastChannel = channel
    }

    /// Replaces the open viewing session by one under another id, so that they have no id in common.
    mutating func renew() {
        if let current { open(ViewingSession(id: makeID(), continuing: current)) }
    }

    /// Opens another viewing session after `stop`, in which the asset may continue.
    mutating func reopen() {
        renew()
        current?.recordReopening()
    }

    /// Closes the open viewing session, if any.
    ///
    /// - Parameter hasEnded: whether the content has ended.
    mutating func close(hasEnded: Bool = false) {
        current = nil
        isOpen = false
        ending = hasEnded ? .end : .none
    }

    /// Closes the open viewing session, if any, until the app is in the foreground again.
    mutating func enterBackground() {
        guard let current else { return }
        ending = .background(current)
        self.current = nil
        isOpen = false
    }

    /// Reopens the viewing session that the app left for the background, if any.
    mutating func enterForeground() {
        guard current == nil, case .background(let before) = ending else { return }
        open(ViewingSession(id: makeID(), continuing: before))
        current?.resume()
        current?.recordReturn()
    }

    /// Prepares for a tag: opens or resumes the viewing session, and finds the calls that are missing.
    mutating func expectTag(_ form: SessionCall.Form, _ step: inout SessionStep) {
        if !isOpen {
            let last = ending
            open(lastChannel)
            switch last {
            case .none: step.find(.tagBeforeStart)
            case .end: step.find(.tagAfterEnd)
            case .background(let before):
                step.find(.tagInBackground)
                current?.adoptCalls(of: before)
            }
        }
        current?.expectTag(form, &step)
    }
}

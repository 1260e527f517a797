import MarketProfiles
import NielsenID3

/// The logic of a session, as a value: handles a call, and returns its result and the actions to perform.
///
/// It is total: every state has a result for every call. A call that deviates from the guides is a finding, and has the
/// most useful effect.
struct SessionMachine: Sendable {
    /// The reason why the last viewing session ended.
    enum Ending: Sendable, Hashable {
        case none
        case end
        /// The app moved to the background, and returns to this viewing session.
        case background(ViewingSession)
    }

    var policy: SessionPolicy
    let makeID: @Sendable () -> String

    var app: AppIdentity?
    var isDisabledByApp = false
    var hasFailed = false
    /// Whether the session has ended, so that tags are discarded.
    var isFinished = false
    /// The id that replaces the buffer's id while the user has opted out; nil for a user who has not.
    var optedOutStore: String?
    var viewing: ViewingSession?
    var ending = Ending.none
    /// The last channel named, for a tag that arrives while nothing is playing.
    var lastChannel: String?
    var asset: PlayedAsset?
    var playhead = Playhead()
    var progress = AssetProgress()
    var held = HeldTags()
    var keptCount: UInt64 = 0
    /// The last asset loaded through the Simplified API.
    var tracked: TrackedAsset?
    /// The different values of `segA`, `segB` and `segC`, at most one more than allowed.
    var segments: Set<String> = []
    private(set) var counts = SessionCounts()
    /// The number of times each finding occurred.
    private(set) var findings: [SessionFinding: Int] = [:]

    /// Creates the machine of a new session.
    ///
    /// - Parameter makeID: returns a unique id for each viewing session.
    init(policy: SessionPolicy = SessionPolicy(), makeID: @escaping @Sendable () -> String) {
        self.policy = policy
        self.makeID = makeID
    }

    /// Whether the user has opted out.
    var isOptedOut: Bool { optedOutStore != nil }

    /// The state of the session.
    var state: SessionState {
        if isDisabledByApp || hasFailed { return .disabled }
        if app == nil { return .initial }
        return viewing == nil ? .idle : .processing
    }

    /// The validator for the market of the app.
    var validator: MetadataValidator {
        MetadataValidator(MarketProfile.profile(of: app?.facility ?? "us"))
    }

    /// Handles a call, at a time of a monotonic clock.
    mutating func handle(_ call: SessionCall, at now: Duration) -> SessionStep {
        var step = SessionStep()
        perform(call, at: now, &step)
        conclude(&step)
        return step
    }

    /// Applies a choice that the user made in another session.
    mutating func learn(optedOutStore store: String?) -> [SessionAction] {
        var step = SessionStep()
        if store != optedOutStore { go(to: store, &step) }
        conclude(&step)
        return step.actions
    }

    private mutating func conclude(_ step: inout SessionStep) {
        step.result.state = state
        counts.held = held.count
        for finding in step.result.findings { findings[finding, default: 0] += 1 }
    }

    /// Counts a finding that belongs to no single call.
    mutating func note(_ finding: SessionFinding) { findings[finding, default: 0] += 1 }

    mutating func perform(_ call: SessionCall, at now: Duration, _ step: inout SessionStep) {
        guard let name = call.name else {
            step.find(.callUnknown)
            step.result.outcome = .ignored
            return
        }
        if state == .disabled, !name.isHeardWhileDisabled {
            step.result.outcome = .discarded
            return
        }
        switch name {
        case .initialize: initialize(call, &step)
        case .play: play(call, at: now, &step)
        case .loadMetadata: loadMetadata(call, at: now, &step)
        case .staticStart: loadMetadata(call, type: .static, at: now, &step)
        case .updateMetadata: updateMetadata(call, &step)
        case .sendID3: sendID3(call, at: now, &step)
        case .playheadPosition, .setPlayheadPosition: setPlayhead(call, at: now, &step)
        case .pause: pause(call, at: now, &step)
        case .stop: stop(call, at: now, &step)
        case .end, .staticEnd: end(call, at: now, &step)
        case .setVolume: requireNumber(call, &step)
        case .setMute: requireFlag(call, &step)
        case .updateOTT: requireObject(call, &step)
        case .trackViewability: requireObject(call, &step)
        case .appDisableApi: disable(call, &step)
        case .userOptOut: optOut(call, &step)
        case .appInBackground: enterBackground(&step)
        case .appInForeground: enterForeground(&step)
        case .processEvent: processEvent(call, &step)
        case .trackEvent: track(call, at: now, &step)
        case .ggPM: perform(call.ofBrowser, at: now, &step)
        case .free: free(&step)
        case .optOutStatus, .optOutURL, .getLastEvent, .getLastOccurredEvent, .getLastOccurredError,
            .getMeterVersion, .deviceId, .firstPartyId:
            break
        }
    }

    // MARK: Shared operations

    /// Opens a viewing session.
    mutating func open(_ channel: String?, form: SessionCall.Form) {
        viewing = ViewingSession(id: makeID(), channel: channel, form: form)
        if let channel { lastChannel = channel }
        counts.sessions += 1
        ending = .none
    }

    /// Closes the viewing session; held tags will not be presented.
    mutating func close(_ reason: Ending, _ step: inout SessionStep) {
        flush(&step)
        summarize(&step)
        viewing = nil
        ending = reason
    }

    /// Releases all held tags as not presented.
    mutating func flush(_ step: inout SessionStep) {
        for tag in held.takeAll() { flush(tag, &step) }
    }

    mutating func flush(_ tag: KeptTag, _ step: inout SessionStep) {
        counts.flushed += 1
        step.find(.tagNotPresented)
        step.actions.append(.flush(tag.released(isPresented: false)))
    }

    /// Counts a tag that was handed over, by its outcome.
    mutating func count(_ outcome: CallOutcome) {
        counts.handed += 1
        switch outcome {
        case .stored, .held: counts.stored += 1
        case .repeat: counts.repeats += 1
        case .ignored: counts.ignored += 1
        case .discarded: counts.discarded += 1
        case .invalid, .done, .error, .unreadable, .queued: counts.invalid += 1
        }
    }
}

extension CallName {
    /// Whether a disabled session still handles the call.
    ///
    /// Calls with a tag are handled, to count the tag.
    fileprivate var isHeardWhileDisabled: Bool {
        switch self {
        case .initialize, .appDisableApi, .free, .userOptOut, .sendID3, .trackEvent, .ggPM, .optOutStatus,
            .optOutURL, .getLastEvent, .getLastOccurredEvent, .getLastOccurredError, .getMeterVersion,
            .deviceId, .firstPartyId:
            true
        default: false
        }
    }
}

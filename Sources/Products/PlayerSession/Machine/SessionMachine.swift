import MarketProfiles
import NielsenID3

/// What a session knows and does, as a value: it takes a call and gives an answer and what is to be done.
///
/// It is total: every state has an answer to every call. A call that the guides would not have allowed is a finding,
/// and does what is most useful.
struct SessionMachine: Sendable {
    /// What ended the last viewing session.
    enum Ending: Sendable, Hashable {
        case none
        case end
        /// The app went to the background; what it had is what it returns to.
        case background(ViewingSession)
    }

    var policy: SessionPolicy
    let makeID: @Sendable () -> String

    var app: AppIdentity?
    var isDisabledByApp = false
    var hasFailed = false
    /// Whether the session has ended: tags are discarded from now on.
    var isFinished = false
    /// What stands for the buffer's id while the user has opted out; nil of a user who has not.
    var optedOutStore: String?
    var viewing: ViewingSession?
    var ending = Ending.none
    /// The channel that was named last, for a tag that comes when nothing is played.
    var lastChannel: String?
    var asset: PlayedAsset?
    var playhead = Playhead()
    var progress = AssetProgress()
    var held = HeldTags()
    var keptCount: UInt64 = 0
    /// The asset of the Simplified API that was loaded last.
    var tracked: TrackedAsset?
    /// The different values of `segA`, `segB` and `segC`, as many as are allowed and one more.
    var segments: Set<String> = []
    private(set) var counts = SessionCounts()
    /// How often each finding was made.
    private(set) var findings: [SessionFinding: Int] = [:]

    /// A session that nobody has called.
    ///
    /// - Parameter makeID: gives an id that nothing else has, for each viewing session.
    init(policy: SessionPolicy = SessionPolicy(), makeID: @escaping @Sendable () -> String) {
        self.policy = policy
        self.makeID = makeID
    }

    /// Whether the user has opted out.
    var isOptedOut: Bool { optedOutStore != nil }

    /// Where the session is.
    var state: SessionState {
        if isDisabledByApp || hasFailed { return .disabled }
        if app == nil { return .initial }
        return viewing == nil ? .idle : .processing
    }

    /// The tables of the market of the app.
    var validator: MetadataValidator {
        MetadataValidator(MarketProfile.profile(of: app?.facility ?? "us"))
    }

    /// Takes a call, at a time of a clock that only runs forward.
    mutating func handle(_ call: SessionCall, at now: Duration) -> SessionStep {
        var step = SessionStep()
        perform(call, at: now, &step)
        conclude(&step)
        return step
    }

    /// Takes over what the user chose in another session.
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

    /// Notes a finding that no call has of itself.
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

    // MARK: What the parts share

    /// Opens a viewing session.
    mutating func open(_ channel: String?, form: SessionCall.Form) {
        viewing = ViewingSession(id: makeID(), channel: channel, form: form)
        if let channel { lastChannel = channel }
        counts.sessions += 1
        ending = .none
    }

    /// Closes the viewing session; what is held will not be presented.
    mutating func close(_ reason: Ending, _ step: inout SessionStep) {
        flush(&step)
        summarize(&step)
        viewing = nil
        ending = reason
    }

    /// Lets go of what is held: it will not be presented.
    mutating func flush(_ step: inout SessionStep) {
        for tag in held.takeAll() { flush(tag, &step) }
    }

    mutating func flush(_ tag: KeptTag, _ step: inout SessionStep) {
        counts.flushed += 1
        step.find(.tagNotPresented)
        step.actions.append(.flush(tag.released(isPresented: false)))
    }

    /// Counts what became of a tag that was handed over.
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
    /// Whether a session that is switched off still does what the call asks.
    ///
    /// What brings a tag is heard, to count the tag.
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

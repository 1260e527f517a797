import ID3v2
import NielsenID3

/// The logic of a session, as a value: handles a call, and returns its result and the effects to perform.
///
/// It is total: every state has a result for every call. A call that deviates from the guides is a finding, and has the
/// most useful effect.
struct SessionMachine: Sendable {
    private var policy: SessionPolicy
    private var app = AppStatus()
    private var playback: Playback
    private var tally = SessionCounts()
    /// The number of times each finding occurred.
    private(set) var findings: [SessionFinding: Int] = [:]
    /// The last finding of each kind and key, and their number.
    private(set) var details: [FindingSubject: (finding: PlayerFinding, count: Int)] = [:]
    /// The maximum number of elements of `details`: an app may make up keys.
    private static let maximumDetailCount = 256
    /// The level of the log that the app's information names; nil if it names none.
    private(set) var logLevel: LogLevel?
    /// The time of the last call, by both clocks.
    private var now = (time: Duration.zero, wall: WallTime(unixSeconds: 0))

    /// Creates the machine of a new session.
    ///
    /// - Parameter makeID: returns a unique id for each viewing session.
    init(policy: SessionPolicy = SessionPolicy(), makeID: @escaping @Sendable () -> String) {
        self.policy = policy
        playback = Playback(makeID: makeID)
    }

    /// The standard names of the app's keys, by the app's key in lower case.
    var names: [String: String] { policy.names }

    /// The user's choice.
    var choice: OptOutChoice { playback.choice }

    /// The channel of the open viewing session; nil if it has none.
    var channel: String? { playback.channel }

    /// The state of the session.
    var state: SessionState { app.state(isViewing: playback.isViewing) }

    /// The number of tags handed over, by outcome.
    var counts: SessionCounts {
        var counts = tally
        playback.count(in: &counts)
        return counts
    }

    /// Handles a call, at a time of a monotonic clock.
    ///
    /// - Parameter wall: the time by the wall clock, for records.
    mutating func handle(
        _ call: SessionCall, at time: Duration, wall: WallTime = WallTime(unixSeconds: 0)
    ) -> SessionStep {
        now = (time, wall)
        var step = newStep()
        step.isWithheld = step.isOptedOut && call.hasNull
        perform(call, &step)
        if step.isOptedOut, call.hasNull {
            step.forgetWithheldValues(of: call, isDiscarded: choice.discards(by: policy))
        }
        complete(&step)
        return step
    }

    /// Applies a choice that the user made in another session, or in an earlier launch.
    mutating func adopt(_ choice: OptOutChoice) -> SessionOutput {
        var step = newStep()
        if choice.store != self.choice.store { playback.adopt(choice, &step) }
        complete(&step)
        return step.output
    }

    /// Applies a choice that the user made elsewhere, as a log says.
    mutating func choose(isOut: Bool) -> SessionOutput {
        var step = newStep()
        playback.choose(isOut: isOut, &step)
        complete(&step)
        return step.output
    }

    /// Applies a configuration.
    mutating func configure(_ configuration: SessionConfiguration) {
        policy.names = configuration.names
        policy.sendsOptedOut = configuration.sendsOptedOut
        policy.keepsRecords = configuration.sendsRecords
        policy.withheldNames = configuration.withheldNames
    }

    /// Whether nothing is recorded of an app that follows its guide, because that of Ireland opts all users out.
    var recordsNothing: Bool { app.namedFacility == "ire" && !policy.sendsOptedOut }

    /// Ends the session, and discards later tags.
    mutating func finish() { app.finish() }

    /// Counts a finding, and returns it without its value for a user who has opted out.
    mutating func count(_ found: PlayerFinding) -> PlayerFinding {
        findings[found.id, default: 0] += 1
        let finding = choice.isOptedOut ? found.withoutValue : found
        let subject = FindingSubject(id: finding.id, key: finding.key)
        if details[subject] != nil || details.count < Self.maximumDetailCount {
            details[subject] = (finding, (details[subject]?.count ?? 0) + 1)
        }
        return finding
    }

    private func newStep() -> SessionStep {
        var step = SessionStep(
            policy: policy, facility: policy.facility ?? app.namedFacility, at: now.time, wall: now.wall)
        step.isOptedOut = choice.isOptedOut
        return step
    }

    private mutating func complete(_ step: inout SessionStep) {
        step.result.state = state
        for detail in step.result.details { step.perform(.reportFinding(count(detail))) }
    }

    private mutating func perform(_ call: SessionCall, _ step: inout SessionStep) {
        guard let name = call.name else {
            step.find(.callUnknown)
            step.result.outcome = .unknown
            return
        }
        if state == .disabled, !name.isHandledWhileDisabled {
            step.result.outcome = .discarded
        } else {
            perform(name, call, &step)
        }
        guard name.hasContent else { return }
        let isKept = state != .disabled && !choice.discards(by: policy)
        if !isKept { step.discard() }
    }

    private mutating func perform(_ name: CallName, _ call: SessionCall, _ step: inout SessionStep) {
        if !name.isQuestion { playback.follow(&step) }
        step.interface = name == .trackEvent ? .tracked : app.isBrowser ? .browser : call.form.interface
        if app.isUnchecked, name.showsInterface { app.checkInformation(&step) }
        switch name {
        case .initialize: initialize(call, &step)
        case .play: playback.play(call, &step)
        case .loadMetadata: playback.loadMetadata(call, &step)
        case .staticStart: playback.loadMetadata(call, type: .static, &step)
        case .updateMetadata: playback.updateMetadata(call, &step)
        case .sendID3: sendID3(call, &step)
        case .playheadPosition, .setPlayheadPosition:
            playback.setPlayhead(call.argument(0), &step)
        case .pause: playback.pause(call, &step)
        case .stop: playback.stop(call, &step)
        case .end, .staticEnd: playback.end(call, &step)
        case .setVolume: playback.change(DeviceStatus.volume(call.argument(0), &step), &step)
        case .setMute: playback.change(DeviceStatus.mute(call.argument(0), &step), &step)
        case .updateOTT: playback.change(DeviceStatus.screen(call.argument(0), &step), &step)
        case .trackViewability: playback.trackViewability(call, &step)
        case .appDisableApi: disable(call, &step)
        case .userOptOut: optOut(call, &step)
        case .appInBackground: enterBackground(&step)
        case .appInForeground: playback.enterForeground(&step)
        case .processEvent: processEvent(call, &step)
        case .trackEvent: track(call, &step)
        case .ggPM: perform(call.ofBrowser, &step)
        case .free: shutDown(&step)
        case .registerLifeCycleObserver, .optOutStatus, .optOutURL, .getLastEvent, .getLastOccurredEvent,
            .getLastOccurredError,
            .getMeterVersion, .deviceId, .firstPartyId:
            break
        }
    }

    // MARK: The app

    private mutating func initialize(_ call: SessionCall, _ step: inout SessionStep) {
        let given = step.metadata(call.argument(0))
        // Guide 000, "DCR Italy Audio Browser", "Initialization API call": `nlsQ`, with `apid`.
        let isBrowser = call.isOfBrowser || AppStatus.isOfBrowser(given)
        step.interface = isBrowser ? .browser : .app
        let metadata = given.map(AppStatus.withUsualID)
        let isOut = (given?.text("uoo") ?? given?.text("optout")).flatMap { OptOutChoice.isOut(text: $0) }
        if let isOut { step.isOptedOut = isOut }
        guard let identity = app.initialize(call.argument(0), metadata, &step), let metadata else { return }
        step.initializedApp = identity
        chooseLog(metadata, &step)
        // Before the app session, which has the choice.
        if let isOut { choose(isOut: isOut, &step) }
        playback.begin(metadata, market: app.namedFacility, &step)
        step.write(.admit(deleting: choice.isOptedOut))
        if let flag = metadata["enablefpid"] {
            step.request(IdentityRequest(wantsFirstPartyID: flag.isOn ?? true))
        }
    }

    private mutating func chooseLog(_ metadata: Metadata, _ step: inout SessionStep) {
        logLevel = nil
        // `nol_sdkDebug` is the name in the browser.
        guard let text = metadata.text("nol_devdebug") ?? metadata.text("nol_sdkdebug") else { return }
        logLevel = LogLevel(name: text)
        if logLevel == nil { step.find(.keyValue) }
    }

    private mutating func shutDown(_ step: inout SessionStep) {
        playback.shutDown(&step)
        app.shutDown()
        step.perform(.shutDown)
    }

    private mutating func disable(_ call: SessionCall, _ step: inout SessionStep) {
        guard let isDisabled = call.argument(0)?.isOn else {
            step.find(
                .valueType, value: call.argument(0), expected: "true or false",
                source: "guide 002, 5.4 appDisableApi")
            step.fail(.emptyValue)
            return
        }
        if app.disable(isDisabled) { playback.close(&step) }
    }

    private mutating func enterBackground(_ step: inout SessionStep) {
        playback.enterBackground(&step)
        step.perform(.upload)
    }

    private mutating func processEvent(_ call: SessionCall, _ step: inout SessionStep) {
        let value = call.argument(0)
        let type = value?.members.flatMap { Metadata(members: $0).text("type") } ?? value?.scalarText
        switch type?.lowercased() {
        case "blur", "appclose", "appinbackground": enterBackground(&step)
        case "focus", "appinforeground": playback.enterForeground(&step)
        default:
            step.find(.callUnknown)
            step.result.outcome = .unknown
        }
    }

    // MARK: The user's choice

    private mutating func optOut(_ call: SessionCall, _ step: inout SessionStep) {
        guard let address = call.argument(0)?.scalarText, let isOut = OptOutChoice.isOut(address: address)
        else {
            step.result.outcome = .ignored
            return
        }
        choose(isOut: isOut, &step)
    }

    /// Applies the user's choice, from now on and across launches.
    private mutating func choose(isOut: Bool, _ step: inout SessionStep) {
        step.isOptedOut = isOut
        playback.choose(isOut: isOut, &step)
        step.request(IdentityRequest(optedOutStore: .some(choice.store)))
    }

    // MARK: Tags

    private mutating func sendID3(_ call: SessionCall, _ step: inout SessionStep) {
        var mediaTime: Double?
        if let value = call.argument(1) {
            mediaTime = Playhead.seconds(value.finiteNumber)?.seconds
            if mediaTime == nil {
                step.find(.valueType, value: value, expected: "seconds", source: "this library")
            }
        }
        let tags = call.tags ?? ParsedTag.tags(in: call.argument(0))
        handle(tags, mediaTime: mediaTime, form: call.form, &step)
    }

    /// Handles parsed tags; the outcome of the call is the best one of any tag.
    private mutating func handle(
        _ tags: [ParsedTag], mediaTime: Double? = nil, form: SessionCall.Form, _ step: inout SessionStep
    ) {
        step.result.outcome = .invalid
        for tag in tags {
            let outcome = handle(tag, mediaTime: mediaTime, form: form, &step)
            tally.count(outcome)
            if outcome.tagRank < step.result.outcome.tagRank { step.result.outcome = outcome }
        }
    }

    private mutating func handle(
        _ tag: ParsedTag, mediaTime: Double?, form: SessionCall.Form, _ step: inout SessionStep
    ) -> CallOutcome {
        if app.isFinished || state == .disabled || choice.discards(by: policy) || step.isWithheld {
            return .discarded
        }
        switch tag {
        case .other: return .ignored
        case .empty: step.find(.tagEmpty)
        case .invalid: step.find(.tagInvalid)
        case .tooLong: step.find(.tagTooLong)
        case .nielsen(let tag):
            if app.hasFailed { step.find(.tagQuarantined) }
            return playback.store(tag, mediaTime: mediaTime, form: form, &step)
        }
        step.report(.id3Data)
        return .invalid
    }

    // MARK: The Simplified API

    /// Translates an event, which describes everything, into the equivalent calls.
    private mutating func track(_ call: SessionCall, _ step: inout SessionStep) {
        guard let data = step.requiredMetadata(call.argument(0), or: .metadataJSON) else { return }
        let event = TrackedEvent(data, names: step.policy.names)
        if let text = event.choice {
            if let isOut = OptOutChoice.isOut(text: text) {
                choose(isOut: isOut, &step)
            } else {
                step.find(
                    .valueType, key: "optout", value: .text(text),
                    expected: "nielsenappsdk://1 or nielsenappsdk://0",
                    source: "guide 003, Handling JSON metadata")
            }
        }
        let isDisabled = state == .disabled
        if isDisabled {
            step.result.outcome = .discarded
        } else {
            playback.follow(event, &step)
            if let screen = event.screen { playback.change(DeviceStatus.screen(screen, &step), &step) }
            if let playhead = event.playhead { playback.setPlayhead(playhead, &step) }
        }
        if let tag = event.tag { handle(ParsedTag.tags(in: tag), form: .tracked, &step) }
        if !isDisabled { playback.conclude(event, &step) }
    }
}

extension CallOutcome {
    /// The rank of the outcome of a tag; a call with several tags has the outcome of the lowest rank.
    fileprivate var tagRank: Int {
        switch self {
        case .stored: 0
        case .held: 1
        case .repeat: 2
        case .discarded: 3
        case .ignored: 4
        case .invalid, .lost, .done, .error, .unreadable, .queued, .unknown: 5
        }
    }
}

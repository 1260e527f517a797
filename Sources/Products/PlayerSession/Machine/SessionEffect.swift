import ID3v2

/// A write to the buffer of the folder.
enum SessionWrite: Sendable, Hashable {
    /// Stores a record for delivery.
    case store(SessionRecord)
    /// Stores a tag, and holds it under a number until it is released.
    case hold(SessionTag, as: UInt64)
    /// Releases the tag with a number for delivery, as presented, or unchanged if it is nil.
    case release(UInt64, as: SessionTag?)
    /// Keeps the records of the session that follow in quarantine, because the user's choice may be unknown.
    case quarantine
    /// Admits all quarantined records of the folder to delivery, or deletes those of a user who has opted out.
    case admit(deleting: Bool)
}

/// Any other effect of a call.
enum SessionEffect: Sendable, Hashable {
    /// Loads the configuration of an app at a collection facility.
    case loadConfiguration(AppIdentity)
    /// Starts delivery from the buffer.
    case deliver(to: UploadDestination)
    /// Sends the waiting tags at once.
    case upload
    /// Reports an error of the guides, with its cause.
    case report(SessionErrorCode, String)
    /// Reports a problem of the configuration.
    case reportConfiguration(ConfigurationProblem)
    /// Reports a deviation from the guides.
    case reportFinding(PlayerFinding)
    /// Reports that nothing is recorded, because the guide of Ireland opts all users out.
    case nothingRecorded
    /// Reports that the session has started.
    case started
    /// Reports that the session was shut down.
    case shutDown
}

extension SessionEffect {
    /// The notification that is the effect, without its time; nil for any other effect.
    var notification: SessionNotification? {
        switch self {
        case .report(let code, let text): SessionNotification(.error, code.rawValue, text)
        case .reportConfiguration(let problem):
            SessionNotification(.error, problem.code.rawValue, problem.text)
        case .reportFinding(let finding): SessionNotification(finding)
        case .nothingRecorded: .nothingRecorded
        case .started: SessionNotification(.event, SessionNotification.startup, "started")
        case .shutDown: SessionNotification(.event, SessionNotification.shutdown, "shut down")
        case .loadConfiguration, .deliver, .upload: nil
        }
    }
}

/// The effects of a call, each kind in order.
struct SessionOutput: Sendable {
    /// The writes, which are enqueued before the next call is handled, in the order of the calls.
    var writes: [SessionWrite] = []
    /// The request to change the identity of the folder, which is applied before the next call is handled.
    var identity = IdentityRequest()
    /// The other effects, which are performed after that.
    var effects: [SessionEffect] = []
    /// The lines of the session's log, which are enqueued with the writes.
    var logLines: [UInt8] = []
    /// Whether the folder must begin to perform the writes that have been enqueued.
    var beginsWriting = false
    /// Streams to finish, for callers that wait until calls are answered at once.
    var waiting: [AsyncStream<Void>.Continuation] = []

    mutating func append(_ other: SessionOutput) {
        writes += other.writes
        identity.merge(other.identity)
        effects += other.effects
        logLines += other.logLines
        beginsWriting = beginsWriting || other.beginsWriting
        waiting += other.waiting
    }
}

extension SessionOutput {
    /// Enqueues the writes; returns whether the queue for the disk had no room for a tag.
    ///
    /// - Parameter enqueue: nil to leave the writes to the caller.
    mutating func enqueue(with enqueue: SessionCore.Enqueue?) -> Bool {
        guard let enqueue, !writes.isEmpty else { return false }
        let added = enqueue(writes)
        writes = []
        beginsWriting = beginsWriting || added.begins
        return added.hasLostTag
    }
}

/// The settings of a session, from the configuration and the app's developer.
struct SessionPolicy: Sendable, Hashable {
    /// Whether a duplicate of the previous tag is stored too.
    var keepsRepeats = false
    /// Whether the tags of a user who has opted out are stored, and sent as such; otherwise they are discarded.
    var sendsOptedOut = false
    /// The standard names of the app's keys, by the app's key in lower case.
    var names: [String: String] = [:]
    /// Whether records other than tags are stored.
    var keepsRecords = true
    /// The collection facility whose rules apply; nil for that of the app.
    var facility: String?
    /// The platform whose guide applies, if the market has one for it; nil for the one of the interface.
    var platform: Platform?
    /// The keys that no record has, in lower case.
    var withheldNames: Set<String> = []
}

/// One call in progress: the context in which it is handled, and its result and effects so far.
struct SessionStep: ~Copyable, Sendable {
    let policy: SessionPolicy
    /// The collection facility that the app named, which decides the rules of its metadata; nil if it named none.
    var facility: String?
    /// Whether the user has opted out, so that the call may come from a log with null in place of values.
    var isOptedOut = false
    /// The interface of the call, which decides the rules where a market has several.
    var interface = PlayerInterface.app
    /// The time of the call, on a monotonic clock.
    let time: Duration
    /// The time of the call by the wall clock, which records state and nothing depends on.
    let wall: WallTime
    var result = CallResult()
    /// Whether the call has null in place of values, and the user had opted out before it.
    var isWithheld = false
    /// The app that the call has initialized, if any.
    var initializedApp: AppIdentity?
    private(set) var output = SessionOutput()

    init(policy: SessionPolicy, facility: String?, at time: Duration, wall: WallTime) {
        self.policy = policy
        self.facility = facility
        self.time = time
        self.wall = wall
    }

    var writes: [SessionWrite] { output.writes }
    var effects: [SessionEffect] { output.effects }

    /// Enqueues the writes of the call; its outcome is `lost` if the queue for the disk has no room for a tag.
    mutating func enqueue(with enqueue: SessionCore.Enqueue?) {
        if output.enqueue(with: enqueue) { result.outcome = .lost }
    }

    mutating func write(_ write: SessionWrite) { output.writes.append(write) }

    mutating func perform(_ effect: SessionEffect) { output.effects.append(effect) }

    mutating func request(_ request: IdentityRequest) { output.identity.merge(request) }

    mutating func log(_ lines: [UInt8]) { output.logLines += lines }

    /// Reports a finding, about a key and a value if it concerns them.
    mutating func find(
        _ finding: SessionFinding, key: String? = nil, value: MetadataValue? = nil, expected: String? = nil,
        source: String? = nil
    ) {
        result.details.append(
            PlayerFinding(finding, key: key, value: value, expected: expected, source: source))
    }

    /// Reports that content of the call is not kept.
    mutating func drop() {
        find(.notMeasured)
        if result.outcome == .done { result.outcome = .ignored }
    }

    /// Reports that nothing of the call is kept, because the user has opted out or the session is disabled.
    mutating func discard() {
        guard result.outcome == .done || result.outcome == .discarded else { return }
        result.outcome = .discarded
        find(.notMeasured)
    }

    /// Reports an error that leaves the call without effect.
    ///
    /// - Parameter text: the cause; nil for the description of the error.
    mutating func fail(_ code: SessionErrorCode, _ text: String? = nil) {
        result.outcome = .error
        report(code, text)
    }

    /// Reports an error; the call still has its effect.
    mutating func report(_ code: SessionErrorCode, _ text: String? = nil) {
        result.code = code
        perform(.report(code, text ?? code.summary))
    }

    /// Removes the findings about values that the log of the call does not have.
    ///
    /// - Parameter isDiscarded: whether nothing of the call is kept, with or without its values.
    mutating func forgetWithheldValues(of call: SessionCall, isDiscarded: Bool) {
        let before = result.details.count
        let isOfUnknownType =
            call.name == .trackEvent && metadata(call.argument(0))?.hasNull("type") ?? false
        result.details.removeAll { finding in
            switch finding.id {
            // The unknown name is a value of a known call.
            case .callUnknown: call.invokedName != nil
            case .keyMissing: isOfUnknownType
            case .notMeasured: !isDiscarded
            default: finding.id.isAboutValue
            }
        }
        guard result.details.count < before else { return }
        result.code = nil
        output.effects.removeAll { if case .report = $0 { true } else { false } }
        if [.error, .invalid, .ignored, .unknown].contains(result.outcome) { result.outcome = .discarded }
    }

    // MARK: Metadata

    /// Parses metadata with the app's names of keys; nil if the value is neither an object nor JSON text of one.
    func metadata(_ value: MetadataValue?) -> Metadata? {
        value.flatMap { Metadata($0, names: policy.names) }
    }

    /// Parses the metadata of an argument; reports an error if the argument is not metadata.
    mutating func requiredMetadata(_ value: MetadataValue?, or code: SessionErrorCode) -> Metadata? {
        if let metadata = metadata(value) { return metadata }
        find(.valueType)
        fail(code)
        return nil
    }

    /// Validates the metadata of an asset against the rules of the app's market.
    mutating func validate(asset metadata: Metadata) {
        find(validator.violations(ofAsset: metadata), in: metadata)
    }

    /// Validates metadata that corrects or completes other metadata.
    mutating func validate(part metadata: Metadata) {
        find(validator.violations(ofPart: metadata), in: metadata)
    }

    /// Validates a screen against the values of the guides.
    mutating func validate(screen metadata: Metadata) {
        find(validator.violations(ofScreen: metadata), in: metadata)
    }

    /// Validates the information of a channel, which `play` passes.
    mutating func validate(channel information: Metadata) {
        find(validator.violations(ofChannel: information), in: information)
    }

    /// Validates a playhead: the guides ask for a whole number, and for a string in an event.
    mutating func validate(playhead value: MetadataValue) {
        // Looks up the rules only for a value that may break them: this is the most frequent call.
        if let number = value.finiteNumber, number != number.rounded(), profile.playhead.isWhole {
            find(
                .valueType, key: "playheadPosition", value: value, expected: "a whole number",
                source: profile.playhead.source.description)
        } else if case .tracked = interface, case .number = value, let source = profile.stringValues {
            find(
                .valueType, key: "playheadPosition", value: value, expected: "a JSON string",
                source: source.description)
        }
    }

    /// Reports violations by metadata.
    ///
    /// - Parameter isOfApp: whether they are about the information of the app.
    mutating func find(_ violations: [MetadataViolation], in metadata: Metadata, isOfApp: Bool = false) {
        for violation in violations where !isWithheld(violation, in: metadata) {
            result.details.append(PlayerFinding(violation, isOfApp: isOfApp))
        }
    }

    /// Returns whether a value is null because the log of a user who has opted out has none, or the type that requires
    /// it is.
    private func isWithheld(_ violation: MetadataViolation, in metadata: Metadata) -> Bool {
        isOptedOut && violation.kind == .missing
            && [violation.key.lowercased(), "type"].contains { metadata.hasNull($0) }
    }

    /// Returns the channel that metadata names, limited to the room that a record has next to its tag; nil if it names
    /// none.
    mutating func channelName(in metadata: Metadata?) -> String? {
        guard let value = metadata?["channelname"] else { return nil }
        guard let channel = value.scalarText else {
            find(.valueType, key: "channelName", value: value, expected: "text")
            return nil
        }
        if channel.count > 32 { find(.channelTooLong, key: "channelName", value: value) }
        return channel.isEmpty ? nil : String(channel.prefix(PlayedAsset.maximumTextLength))
    }

    /// The rules of the app's market.
    var profile: MarketProfile {
        if let platform = policy.platform, let market = facility.flatMap({ Market(rawValue: $0) }),
            let profile = MarketProfile.profile(of: market, platform: platform, interface: interface)
        {
            return profile
        }
        return MarketProfile.profile(of: facility, interface: interface)
    }

    private var validator: MetadataValidator { MetadataValidator(profile) }
}

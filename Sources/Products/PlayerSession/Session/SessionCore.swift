import HostSystem
import ID3v2

/// The state of a session behind its lock: the machine, and the calls that wait for data to load.
struct SessionCore: Sendable {
    /// The data that calls wait for.
    private enum Gate: Sendable, Hashable {
        case open
        /// The user's choice has not been read yet.
        case identity
        /// The configuration has not arrived yet.
        case configuration
    }

    /// A call, and the time at which it was made, by both clocks.
    private struct QueuedCall: Sendable {
        let call: SessionCall
        let time: Duration
        let wall: WallTime
    }

    /// Enqueues writes for the folder, in order; returns whether it must begin to perform them, and whether a tag was
    /// lost because the queue is full.
    typealias Enqueue = @Sendable ([SessionWrite]) -> (begins: Bool, hasLostTag: Bool)

    /// The maximum number of queued calls; a full queue is handled without the missing data.
    static let maximumQueuedCount = 4_096
    /// The maximum size of the arguments of queued calls, in bytes.
    static let maximumQueuedByteCount = 4 << 20

    private let options: SessionOptions
    private var machine: SessionMachine
    private var gate: Gate
    private var queue: [QueuedCall] = []
    private var queuedByteCount = 0
    /// Finished when the gate opens.
    private var waiting: [AsyncStream<Void>.Continuation] = []
    private var identity: SessionIdentity?
    private var configuration = SessionConfiguration()
    /// The first problem of the configuration; nil without one.
    private var configurationProblem: String?
    /// Whether the session has ended.
    private(set) var isFinished = false
    /// Whether an app id has been received.
    private var isInitialized = false
    private var log: SessionLog
    /// Enqueues the writes of each call before its line is logged; nil to return them to the caller.
    var enqueue: Enqueue?
    /// The result of the end of the session; nil before.
    var ending: SessionEnding?
    /// The last event; nil before the first.
    private(set) var lastEvent: SessionNotification?
    /// The last error; nil before the first.
    private(set) var lastError: SessionNotification?
    /// The last event or error; nil before the first.
    private(set) var lastNotification: SessionNotification?

    /// Creates the state of a new session.
    ///
    /// - Parameter makeID: returns a unique id for each viewing session.
    init(options: SessionOptions, log: SessionLog, makeID: @escaping @Sendable () -> String) {
        self.options = options
        self.log = log
        machine = SessionMachine(
            policy: SessionPolicy(keepsRepeats: options.keepsRepeats),
            makeID: makeID)
        gate = options.keepsIdentity ? .identity : .open
    }

    // MARK: Answers

    var state: SessionState { machine.state }
    var counts: SessionCounts { machine.counts }
    var findings: [SessionFinding: Int] { machine.findings }
    var findingDetails: [(finding: PlayerFinding, count: Int)] {
        machine.details.sorted {
            ($0.key.id.rawValue, $0.key.key ?? "") < ($1.key.id.rawValue, $1.key.key ?? "")
        }
        .map(\.value)
    }
    var isOptedOut: Bool { machine.choice.isOptedOut }
    var optOutURL: String? { configuration.optOutURL }

    /// The random id of the device; nil until it is read, and for a user who has opted out.
    var deviceID: String? { isOptedOut ? nil : identity?.nuid }

    /// The first-party id; nil if the app disables it, until it is read, and for a user who has opted out.
    var firstPartyID: String? { isOptedOut ? nil : identity?.firstPartyID }

    /// The delivery of a session without a collector, with the reason.
    var undelivered: SessionDelivery {
        let reason =
            if options.configuration == .none {
                "the options of the session name no configuration"
            } else if !isInitialized {
                "the session is not initialized with an app id, so its configuration is not loaded"
            } else if gate == .configuration {
                "the configuration is being loaded"
            } else {
                configurationProblem ?? "the configuration names no collector for this session"
            }
        return SessionDelivery(.off, reason: reason)
    }

    // MARK: Calls

    /// Whether the log may need the arguments of a call, now or once the queued calls are made.
    var needsArguments: Bool { log.level != nil || gate != .open }

    /// Answers a call, or queues it.
    mutating func handle(
        _ call: SessionCall, at time: Duration, wall: WallTime = WallTime(unixSeconds: 0)
    ) -> (result: CallResult, output: SessionOutput) {
        guard gate == .open else {
            queue.append(QueuedCall(call: call, time: time, wall: wall))
            queuedByteCount += call.byteCount
            var result = CallResult()
            result.outcome = .queued
            result.state = machine.state
            guard queue.count >= Self.maximumQueuedCount || queuedByteCount > Self.maximumQueuedByteCount
            else { return (result, SessionOutput()) }
            let finding = machine.count(PlayerFinding(.queueOverflow))
            var output = openGate(isForced: true)
            output.effects.insert(.reportFinding(finding), at: 0)
            return (result, output)
        }
        let step = perform(call, at: time, wall: wall)
        return (step.result, step.output)
    }

    /// Makes a call, and closes the gate if it needs the configuration.
    private mutating func perform(
        _ call: SessionCall, at time: Duration, wall: WallTime, isForced: Bool = false
    ) -> SessionStep {
        let wasOptedOut = isOptedOut
        var step = machine.handle(call, at: time, wall: wall)
        step.enqueue(with: enqueue)
        if call.name == .initialize || call.name == .ggPM { log.adopt(machine.logLevel) }
        if log.level != nil {
            step.log(
                log.line(
                    call, step.result, at: time, wasOptedOut: wasOptedOut, isOptedOut: isOptedOut,
                    names: machine.names))
        }
        guard let app = step.initializedApp else { return step }
        isInitialized = true
        if options.configuration == .none || configuration != SessionConfiguration() {
            step.perform(.started)
            if machine.recordsNothing { step.perform(.nothingRecorded) }
        } else {
            step.perform(.loadConfiguration(app))
            configurationProblem = nil
            if !isForced { gate = .configuration }
        }
        return step
    }

    /// Answers the queued calls in order, until one of them closes the gate again.
    ///
    /// - Parameter isForced: whether to answer all of them without waiting, because the queue is full.
    private mutating func openGate(isForced: Bool = false) -> SessionOutput {
        gate = .open
        var output = SessionOutput()
        var count = 0
        while count < queue.count, gate == .open {
            let next = queue[count]
            let step = perform(next.call, at: next.time, wall: next.wall, isForced: isForced)
            output.append(step.output)
            count += 1
        }
        queuedByteCount -= queue.prefix(count).reduce(0) { $0 + $1.call.byteCount }
        queue.removeFirst(count)
        if gate == .open {
            output.waiting = waiting
            waiting = []
        }
        return output
    }

    /// Finishes a stream once calls are answered at once; returns false if they already are.
    mutating func finishWhenReady(_ stream: AsyncStream<Void>.Continuation) -> Bool {
        guard gate != .open else { return false }
        waiting.append(stream)
        return true
    }

    /// Discards all later tags.
    mutating func finish() {
        machine.finish()
        isFinished = true
    }

    // MARK: Data

    /// Adopts the current identity of the folder once it is read, and answers the calls that wait for it.
    mutating func load(_ loaded: SessionIdentity) -> SessionOutput {
        var output = adopt(loaded)
        if gate == .identity { output.append(openGate()) }
        return output
    }

    /// Adopts the identity of the folder after another session has changed it.
    mutating func adopt(_ changed: SessionIdentity) -> SessionOutput {
        identity = changed
        return enqueued(machine.adopt(OptOutChoice(store: changed.optedOutStore)))
    }

    private func enqueued(_ output: SessionOutput) -> SessionOutput {
        var output = output
        _ = output.enqueue(with: enqueue)
        return output
    }

    /// Applies a choice that the user made elsewhere, as a log says.
    mutating func choose(isOut: Bool) -> SessionOutput {
        enqueued(machine.choose(isOut: isOut))
    }

    /// Records the identity after a change of this session.
    mutating func record(_ changed: SessionIdentity?) { identity = changed }

    /// Adopts the outcome of loading a configuration, and answers the calls that wait for it.
    mutating func load(_ outcome: ConfigurationLoader.Outcome, for app: AppIdentity) -> SessionOutput {
        var output = SessionOutput()
        let isKnown = outcome.problems.first?.text == configurationProblem
        configurationProblem = outcome.problems.first?.text
        // Each attempt may fail in the same way.
        if !isKnown { output.effects += outcome.problems.map { .reportConfiguration($0) } }
        if let loaded = outcome.configuration {
            configuration = loaded
            machine.configure(loaded)
            output.effects.append(.started)
            if let destination = loaded.destination(
                of: app.facility, authoritiesFile: options.authoritiesFile)
            {
                output.effects.append(.deliver(to: destination))
            }
        }
        if machine.recordsNothing, !isKnown || outcome.configuration != nil {
            output.effects.append(.nothingRecorded)
        }
        if gate == .configuration { output.append(openGate()) }
        return output
    }

    /// Records a notification as the last one.
    mutating func record(_ notification: SessionNotification) {
        if notification.kind != .finding { lastNotification = notification }
        switch notification.kind {
        case .event: lastEvent = notification
        case .error: lastError = notification
        case .finding: break
        }
    }
}

import HostSystem

/// The state of a session behind its lock: the machine, and the calls that wait for data to load.
struct SessionCore: Sendable {
    /// The data that calls wait for.
    enum Gate: Sendable, Hashable {
        case open
        /// The user's choice has not been read yet.
        case identity
        /// The configuration has not arrived yet.
        case configuration
    }

    /// The maximum number of queued calls; a full queue is handled without the missing data.
    static let maximumQueuedCount = 4_096

    var machine: SessionMachine
    var gate: Gate
    private(set) var queue: [QueuedCall] = []
    var identity: SessionIdentity?
    var configuration = SessionConfiguration()
    var lastEvent: SessionNotification?
    var lastError: SessionNotification?
    var lastNotification: SessionNotification?
    let waitsForConfiguration: Bool

    /// A call, and the time at which it was made.
    struct QueuedCall: Sendable {
        let call: SessionCall
        let time: Duration
    }

    init(machine: SessionMachine, gate: Gate, waitsForConfiguration: Bool) {
        self.machine = machine
        self.gate = gate
        self.waitsForConfiguration = waitsForConfiguration
    }

    /// Answers a call, or queues it.
    mutating func take(_ call: SessionCall, at now: Duration) -> (
        result: CallResult, actions: [SessionAction]
    ) {
        guard gate == .open else {
            queue.append(QueuedCall(call: call, time: now))
            var result = CallResult()
            result.outcome = .queued
            result.state = machine.state
            guard queue.count >= Self.maximumQueuedCount else { return (result, []) }
            machine.note(.queueOverflow)
            return (result, open(through: true))
        }
        let step = machine.handle(call, at: now)
        closeGate(for: step)
        return (step.result, step.actions)
    }

    /// Answers the queued calls in order, until one of them closes the gate again.
    ///
    /// - Parameter isForced: whether to answer all of them without waiting, because the queue is full.
    mutating func open(through isForced: Bool = false) -> [SessionAction] {
        gate = .open
        var actions: [SessionAction] = []
        var index = 0
        while index < queue.count, gate == .open {
            let step = machine.handle(queue[index].call, at: queue[index].time)
            if !isForced { closeGate(for: step) }
            actions += step.actions
            index += 1
        }
        queue.removeFirst(index)
        return actions
    }

    private mutating func closeGate(for step: SessionStep) {
        guard waitsForConfiguration, configuration == SessionConfiguration() else { return }
        for case .configure in step.actions { gate = .configuration }
    }

    mutating func note(_ notification: SessionNotification) {
        lastNotification = notification
        switch notification.kind {
        case .event: lastEvent = notification
        case .error: lastError = notification
        }
    }
}

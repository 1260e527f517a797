import HostSystem
package import TagStore

/// Replays logs of calls on real sessions, with a clock that follows the logs.
package final class CallReplay {
    /// The speed at which the time of a log passes.
    package enum Speed: Sendable, Hashable {
        /// No waiting.
        case maximum
        /// A multiple of the recorded speed.
        case times(Double)
    }

    private let buffer: TagBuffer
    private let options: SessionOptions
    private let speed: Speed
    private let clock = ReplayClock()
    private var sessions: [String: MeasurementSession] = [:]
    /// The summary of the sessions of finished logs.
    private var ended = ReplaySummary()
    private var callCount = 0
    private var unreadableCount = 0

    /// Creates a replay into a buffer that the caller opens and closes.
    ///
    /// - Parameters:
    ///   - configuration: the configuration source of every session.
    ///   - log: the file of the log that the sessions write; nil for none.
    package init(
        buffer: TagBuffer, configuration: ConfigurationSource = .none, directory: String,
        speed: Speed = .maximum, keepsRepeats: Bool = false, log: String? = nil
    ) {
        self.buffer = buffer
        var options = SessionOptions(directory: directory)
        options.configuration = configuration
        options.log = log
        options.keepsRepeats = keepsRepeats
        // A log must not change the choice of this machine's user.
        options.keepsIdentity = false
        self.options = options
        self.speed = speed
    }

    /// Makes the call of a line, and returns its result.
    package func perform(_ line: CallLogLine) async -> ReplayedCall {
        let step = clock.move(to: line.at)
        if case .times(let factor) = speed, step > .zero {
            do throws(CancellationError) {
                try await SystemClock().sleep(for: step / factor)
            } catch {
                // A cancelled task makes no further call.
            }
        }
        let session = session(line.instance)
        guard let session, case .call(let name, let arguments) = line.content else {
            unreadableCount += 1
            var result = CallResult()
            result.outcome = .unreadable
            if let session { result.state = session.state }
            return ReplayedCall(line: line, result: result)
        }
        callCount += 1
        if let isOut = line.isOptedOut { session.choose(isOut: isOut) }
        let result = session.call(SessionCall(named: name, arguments))
        // Waits only after `init` with a configuration, and for a bounded time.
        await session.waitUntilReady()
        await session.waitForRoom()
        return ReplayedCall(line: line, result: result)
    }

    /// The summary of all calls so far.
    package var summary: ReplaySummary {
        var summary = ended
        for session in sessions.values { summary.add(session) }
        summary.callCount = callCount
        summary.unreadableCount = unreadableCount
        return summary
    }

    /// Ends the log: held tags will not be presented, and everything is on the disk on return.
    package func finish() async {
        ended = summary
        for session in sessions.values { await session.finish() }
        sessions = [:]
    }

    /// Returns the session of an instance; nil if the log has too many instances.
    private func session(_ name: String) -> MeasurementSession? {
        if let known = sessions[name] { return known }
        guard sessions.count < CallEvaluation.maximumSessionCount else { return nil }
        var options = options
        options.replayedInstance = name
        let session = MeasurementSession(options: options, clock: clock, buffer: buffer)
        sessions[name] = session
        return session
    }
}

extension ReplaySummary {
    fileprivate mutating func add(_ session: MeasurementSession) {
        counts.add(session.counts)
        for (finding, count) in session.findings { findings[finding, default: 0] += count }
    }
}

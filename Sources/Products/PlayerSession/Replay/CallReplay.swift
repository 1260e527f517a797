import HostSystem
package import TagStore

/// Makes the calls of logs to real sessions, on a clock that goes by the logs.
package final class CallReplay {
    /// How fast the time of a log passes.
    package enum Speed: Sendable, Hashable {
        /// Without waiting.
        case maximum
        /// So many times as fast as it was.
        case times(Double)
    }

    private let buffer: TagBuffer
    private let options: SessionOptions
    private let speed: Speed
    private let clock = ReplayClock()
    private var sessions: [String: MeasurementSession] = [:]
    /// The summary of the sessions of logs that have ended.
    private var ended = ReplaySummary()
    private var callCount = 0
    private var unreadableCount = 0

    /// A replay into a buffer that somebody else has opened, and closes.
    ///
    /// - Parameter configuration: of every session.
    package init(
        buffer: TagBuffer, configuration: ConfigurationSource = .none, directory: String,
        speed: Speed = .maximum
    ) {
        self.buffer = buffer
        var options = SessionOptions(directory: directory)
        options.configuration = configuration
        // A log is not the user of this machine.
        options.keepsIdentity = false
        self.options = options
        self.speed = speed
    }

    /// Makes the call of a line, and says what became of it.
    package func perform(_ line: CallLogLine) async -> ReplayedCall {
        let step = clock.move(to: line.at)
        if case .times(let factor) = speed, step > .zero {
            do throws(CancellationError) {
                try await SystemClock().sleep(for: step / factor)
            } catch {
                // Whoever cancels the task makes no further call.
            }
        }
        let session = session(line.instance)
        guard case .call(let name, let arguments) = line.content else {
            unreadableCount += 1
            var result = CallResult()
            result.outcome = .unreadable
            result.state = session.state
            return ReplayedCall(line: line, result: result)
        }
        callCount += 1
        let result = session.call(SessionCall(named: name, arguments))
        // Only after `init`, where there is a configuration; it takes a bounded time.
        await session.waitUntilReady()
        return ReplayedCall(line: line, result: result)
    }

    /// What became of all calls so far.
    package var summary: ReplaySummary {
        var summary = ended
        for session in sessions.values { summary.add(session) }
        summary.callCount = callCount
        summary.unreadableCount = unreadableCount
        return summary
    }

    /// Ends the log: what is held will not be presented, and everything is on the disk when it returns.
    package func finish() async {
        ended = summary
        for session in sessions.values { await session.finish() }
        sessions = [:]
    }

    private func session(_ name: String) -> MeasurementSession {
        if let known = sessions[name] { return known }
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

package import HostSystem
import NielsenID3
import Synchronization

/// Runs a program of the operator for each alert that is raised or cleared: in order for each channel and check.
package final class AlertCommand: AlertOutput {
    /// The maximum run time of a program.
    private static let timeLimit = Duration.seconds(30)
    /// The maximum numbers of programs that run at once and of alerts that are queued.
    private static let maximumRunningCount = 4
    private static let maximumWaitingCount = 100

    /// The input for one run of the program.
    private struct Call: Sendable {
        let sentence: String
        let input: [UInt8]
        /// The channel or host and the check; the programs of one subject run one after the other.
        let subject: String
    }

    private struct State {
        var waiting: [Call] = []
        var runningCount = 0
        /// The subjects of the running programs.
        var busy: Set<String> = []
        /// The running programs, by a serial number.
        var running: [Int: ChildProgram] = [:]
        var nextNumber = 0
        var isStopped = false
        /// The callers of `stop` that wait for the last program to exit.
        var watchers: [CheckedContinuation<Void, Never>] = []

        /// Removes and returns the first queued call whose subject has no running program.
        mutating func takeNext() -> Call? {
            guard let index = waiting.firstIndex(where: { !busy.contains($0.subject) }) else { return nil }
            busy.insert(waiting[index].subject)
            return waiting.remove(at: index)
        }
    }

    private let path: String
    private let environment: [String: String]
    private let clock: any HostClock
    private let problem: ProblemLatch
    private let overflow: ProblemLatch
    private let state = Mutex(State())

    /// The environment variables that a program inherits; none of them can hold a token.
    private static let variables = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR",
    ]

    /// Creates a runner for the program at a path.
    ///
    /// - Parameters:
    ///   - environment: The environment of this process; the program inherits only those in `variables`.
    ///   - note: Called once for each problem, and once when it is over.
    package init(
        path: String, environment: [String: String], clock: any HostClock = .system,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.environment = environment.filter { Self.variables.contains($0.key) }
        self.clock = clock
        problem = ProblemLatch(end: "the alert command works again", note: note)
        overflow = ProblemLatch(note: note)
    }

    /// Runs the program, with a sentence as its argument and the JSON as its input; does not wait for the program.
    package func send(_ change: AlertChange, as message: AlertMessage) {
        let call = Call(
            sentence: change.sentence, input: Array("\(message.body)\n".utf8),
            subject: "\(change.alert.subject) \(change.alert.check.rawValue)")
        enum Admission { case runs, waits, none }
        let admission = state.withLock { state -> Admission in
            if state.isStopped { return .waits }
            if state.runningCount < Self.maximumRunningCount, !state.busy.contains(call.subject) {
                state.runningCount += 1
                state.busy.insert(call.subject)
                return .runs
            }
            if state.waiting.count >= Self.maximumWaitingCount { return .none }
            state.waiting.append(call)
            return .waits
        }
        switch admission {
        case .waits: break
        case .runs: Task { await work(call) }
        case .none: overflow.set("the alert command is too slow: it does not run for further alerts")
        }
    }

    /// Waits until all programs have exited; kills those that still run after `limit`.
    package func stop(within limit: Duration) async {
        let deadline = Task {
            do throws(CancellationError) {
                try await clock.sleep(for: limit)
                killAll()
            } catch {
                // All exited in time.
            }
        }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.runningCount > 0 { state.watchers.append(continuation) }
                return state.runningCount == 0
            }
            if isIdle { continuation.resume() }
        }
        deadline.cancel()
    }

    private func killAll() {
        let programs = state.withLock { state in
            state.isStopped = true
            state.waiting = []
            return state.running.values.map { $0 }
        }
        for program in programs { program.kill() }
    }

    /// Runs the program for an alert and then for the queued ones.
    private func work(_ call: Call) async {
        var call = call
        while true {
            await run(call)
            let (next, watchers) = state.withLock { state -> (Call?, [CheckedContinuation<Void, Never>]) in
                state.busy.remove(call.subject)
                if let next = state.takeNext() { return (next, []) }
                state.runningCount -= 1
                guard state.runningCount == 0 else { return (nil, []) }
                defer { state.watchers = [] }
                return (nil, state.watchers)
            }
            for watcher in watchers { watcher.resume() }
            guard let next else {
                if !watchers.isEmpty { overflow.set(nil) }
                return
            }
            call = next
        }
    }

    private func run(_ call: Call) async {
        let program: ChildProgram
        do throws(SystemError) {
            program = try ChildProgram(
                path: path, arguments: [call.sentence], environment: environment, input: call.input)
        } catch {
            return problem.set("the alert command cannot be run: \(error.reason)")
        }
        let (number, isStopped) = state.withLock { state in
            state.nextNumber += 1
            state.running[state.nextNumber] = program
            return (state.nextNumber, state.isStopped)
        }
        if isStopped { program.kill() }
        let deadline = Task {
            do throws(CancellationError) {
                try await clock.sleep(for: Self.timeLimit)
            } catch {
                return false
            }
            program.kill()
            return true
        }
        let ending = await program.ending()
        deadline.cancel()
        state.withLock { $0.running[number] = nil }
        if await deadline.value {
            return problem.set("the alert command was killed: it ran for more than 30 s")
        }
        switch ending {
        case .status(0), .unknown: problem.set(nil)
        case .status(let status): problem.set("the alert command failed with status \(status)")
        case .signal(let number): problem.set("the alert command was terminated by signal \(number)")
        }
    }
}

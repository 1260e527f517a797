package import HostSystem
import StreamHealth
import Synchronization
import TextForms

/// Runs a program that the operator named for each alert that is raised or cleared.
package final class AlertCommand: Sendable {
    /// How long a program may run.
    private static let timeLimit = Duration.seconds(30)
    /// How many run at once, and how many alerts wait for that.
    private static let maximumRunningCount = 4
    private static let maximumWaitingCount = 100

    /// What one run of the program is given.
    private struct Call: Sendable {
        let sentence: String
        let input: [UInt8]
    }

    private struct State {
        var waiting: [Call] = []
        var runningCount = 0
        /// The programs that run, by an arbitrary number.
        var running: [Int: ChildProgram] = [:]
        var nextNumber = 0
        var isStopped = false
        /// Who waits until nothing runs.
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let path: String
    private let environment: [String: String]
    private let clock: any HostClock
    private let problem: StandingProblem
    private let overflow: StandingProblem
    private let state = Mutex(State())

    /// The variables that a program gets: none in which a token may be.
    private static let variables = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR",
    ]

    /// A program by its path.
    ///
    /// - Parameters:
    ///   - environment: the variables of this process, of which the program gets only those that say where it is.
    ///   - note: told what is wrong, once.
    package init(
        path: String, environment: [String: String], clock: any HostClock = .system,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.path = path
        self.environment = environment.filter { Self.variables.contains($0.key) }
        self.clock = clock
        problem = StandingProblem(end: "the alert command works again", note: note)
        overflow = StandingProblem(note: note)
    }

    /// Runs the program where an event is an alert; does not wait for it.
    package func observe(_ event: MonitorEvent) {
        guard let sentence = event.alertSentence else { return }
        var writer = JSONWriter()
        event.writeLine(to: &writer)
        let call = Call(sentence: sentence, input: writer.bytes)
        enum Place { case runs, waits, none }
        let place = state.withLock { state -> Place in
            if state.isStopped { return .waits }
            if state.runningCount < Self.maximumRunningCount {
                state.runningCount += 1
                return .runs
            }
            if state.waiting.count >= Self.maximumWaitingCount { return .none }
            state.waiting.append(call)
            return .waits
        }
        switch place {
        case .waits: break
        case .runs: Task { await work(call) }
        case .none: overflow.set("the alert command is too slow: alerts are dropped that it would be run for")
        }
    }

    /// Waits until every program has ended, at most so long; then kills those that run.
    package func stop(within limit: Duration) async {
        let deadline = Task {
            do throws(CancellationError) {
                try await clock.sleep(for: limit)
                killAll()
            } catch {
                // All ended in time.
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

    /// Runs the program for an alert, then for those that wait.
    private func work(_ call: Call) async {
        var call = call
        while true {
            await run(call)
            let (next, watchers) = state.withLock { state -> (Call?, [CheckedContinuation<Void, Never>]) in
                if !state.waiting.isEmpty { return (state.waiting.removeFirst(), []) }
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
            return problem.set("the alert command ran for longer than 30 s and was killed")
        }
        switch ending {
        case .status(0), .unknown: problem.set(nil)
        case .status(let status): problem.set("the alert command failed with status \(status)")
        case .signal(let number): problem.set("the alert command was ended by signal \(number)")
        }
    }
}

import FoundationEssentials
import Glibc
import HostSystem
import TagDelivery

/// The entry point of the tool: parses the arguments, runs the command and exits with its status.
@main
enum DTVR {
    static let version = Uploader.version

    /// Runs the command on another thread, and waits for signals on the main thread.
    ///
    /// The runtime's own main loop would let the signals kill the process.
    static func main() {
        Console.prepareStreams()
        Interruption.shared.watch()
        let work = Task.detached {
            await run(
                Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
        }
        Interruption.shared.onRequest { work.cancel() }
        // Threads, such as that of the transfers, may still use what the exit handlers of libraries would free.
        Task.detached { _exit(await work.value.rawValue) }
        Interruption.shared.takeSignals()
    }

    private static func run(_ arguments: [String], environment: [String: String]) async -> ExitStatus {
        let request: Invocation.Request
        do throws(UsageError) {
            request = try Invocation.parse(arguments, environment: environment, readFile: configurationText)
        } catch {
            Console(environment: environment).noteLines(error.text)
            return .usage
        }
        let console: Console
        var status = ExitStatus.done
        switch request {
        case .version:
            console = Console(environment: environment)
            console.print("dtvr \(version)")
        case .help(let command):
            console = Console(environment: environment)
            let help = HelpText(terminalWidth: console.width)
            console.print(command.map(help.command) ?? help.overview(version: version))
        case .perform(let invocation):
            console = Console(color: invocation[.color] ?? "auto", environment: environment)
            Interruption.shared.beforeHardEnd { [console] in console.flush() }
            status = await perform(invocation, environment: environment, console: console)
        }
        return end(status, console)
    }

    /// Flushes the output, and changes the status if output was lost.
    private static func end(_ status: ExitStatus, _ console: Console) -> ExitStatus {
        console.endProgress()
        console.flush()
        if console.isOutputAbandoned {
            console.note("standard output is stalled: its last lines were dropped")
            return status.withLostOutput
        }
        guard let failure = console.outputFailure else { return status }
        console.note("standard output cannot be written: \(failure.reason)")
        return status.withLostOutput
    }

    private static func perform(
        _ invocation: Invocation, environment: [String: String], console: Console
    ) async -> ExitStatus {
        if Interruption.shared.isRequested { return .interrupted }
        let context = CommandContext(invocation: invocation, environment: environment, console: console)
        do throws(UsageError) {
            return try await invocation.command.init(context).perform()
        } catch {
            console.flush()
            console.noteLines(error.text)
            return .usage
        }
    }

    private static func configurationText(at path: String) throws(UsageError) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        guard let text = String(data: data, encoding: .utf8) else {
            throw UsageError("the configuration file '\(path)' is not UTF-8")
        }
        return text
    }
}

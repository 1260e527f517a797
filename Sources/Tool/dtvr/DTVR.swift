import Foundation

/// The tool's entry: takes the call apart, runs the command and ends with its status.
@main
enum DTVR {
    static let version = "0.1.0"

    static func main() async {
        Interruption.shared.watch()
        let status = await run(
            Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
        exit(status.rawValue)
    }

    private static func run(_ arguments: [String], environment: [String: String]) async -> ExitStatus {
        let request: Invocation.Request
        do throws(UsageError) {
            request = try Invocation.parse(arguments, environment: environment, readFile: configurationText)
        } catch {
            FileHandle.standardError.write(Data((error.text + "\n").utf8))
            return .usage
        }
        switch request {
        case .version:
            print("dtvr \(version)")
            return .done
        case .help(let command):
            print(command.map(HelpText.command) ?? HelpText.overview(version: version))
            return .done
        case .perform(let invocation):
            let console = Console(color: invocation[.color] ?? "auto", environment: environment)
            let status = await perform(invocation, environment: environment, console: console)
            console.endProgress()
            console.flush()
            return status
        }
    }

    private static func perform(
        _ invocation: Invocation, environment: [String: String], console: Console
    ) async -> ExitStatus {
        let context = CommandContext(invocation: invocation, environment: environment, console: console)
        do throws(UsageError) {
            switch invocation.command {
            case .run: return try await RunCommand(context).perform()
            case .scan: return try await ScanCommand(context).perform()
            case .check: return try await CheckCommand(context).perform()
            case .tag: return try TagCommand(context).perform()
            case .store: return try await StoreCommand(context).perform()
            case .upload: return try await UploadCommand(context).perform()
            case .collect: return try await CollectCommand(context).perform()
            case .synth: return try SynthCommand(context).perform()
            case .completions: return try CompletionsCommand(context).perform()
            }
        } catch {
            console.flush()
            FileHandle.standardError.write(Data((error.text + "\n").utf8))
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

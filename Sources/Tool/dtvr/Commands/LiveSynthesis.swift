import Foundation
import StreamSynthesis

/// `dtvr synth --live`: serves live channels until it is stopped or `--duration` has passed.
struct LiveSynthesis {
    private let context: CommandContext
    private let port: UInt16

    init(_ context: CommandContext, port: UInt16) {
        self.context = context
        self.port = port
    }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.refuseOperands()
        try context.refuse([.fault, .overwrite], "cannot be combined with --live")
        let settings = settings()
        let script = try script(channelCount: settings.channelCount)
        let server: LiveServer
        do throws(SynthesisError) {
            server = try LiveServer(try SyntheticOrigin(settings, script: script), port: port)
        } catch {
            switch error {
            case .cancelled: return .interrupted
            case .setting, .notServing: throw context.usageError(error.description)
            default:
                context.console.note(error.description)
                return .output
            }
        }
        defer { server.stop() }
        // Scripts that start the server wait for these lines to learn the port.
        for url in server.urls { context.console.print(url) }
        context.console.flush()
        if context.console.outputFailure != nil { return .output }
        Interruption.shared.becomeService()
        context.console.limitWaitForNotes()
        await waitForEnd()
        return .done
    }

    private func settings() -> LiveSettings {
        let call = context.invocation
        var settings = LiveSettings()
        settings.channelCount = call.number(.channels) ?? 1
        if let seed = call.number(.seed) { settings.seed = UInt64(seed) }
        if let container = call[.container].flatMap(SynthesisSettings.Container.init) {
            settings.container = container
        }
        settings.renditions[0].bitrate = call.number(.bitrate).map { $0 * 1_000 }
        return settings
    }

    private func script(channelCount: Int) throws(UsageError) -> LiveScript {
        guard let path = context.invocation[.script] else { return .empty }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw context.usageError("--script: cannot read '\(path)'")
        }
        do throws(SynthesisError) {
            return try LiveScript(
                parsing: String(decoding: data, as: UTF8.self), channelCount: channelCount)
        } catch {
            throw context.usageError("--script: \(path): \(error)")
        }
    }

    /// Returns when the user interrupts, or after `--duration`.
    private func waitForEnd() async {
        guard let seconds = context.invocation.seconds(.duration) else {
            await Interruption.shared.wait()
            return
        }
        do {
            try await Task.sleep(for: .seconds(seconds))
        } catch {
            // The user interrupted.
        }
    }
}

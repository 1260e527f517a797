import StreamSynthesis
import TextForms

/// `dtvr synth`: writes a stream with synthetic tags, or serves a live one.
struct SynthCommand {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        if context.invocation[.fault] == "list" {
            let width = SynthesisFault.allCases.map(\.id.count).max() ?? 0
            for fault in SynthesisFault.allCases {
                let gap = String(repeating: " ", count: width - fault.id.count)
                context.console.print("\(fault.id)\(gap)  \(fault.change)")
            }
            return .done
        }
        if context.invocation[.script] == "list" {
            context.console.print(LiveScript.grammar)
            return .done
        }
        if let port = context.invocation.number(.live) {
            return try await LiveSynthesis(context, port: UInt16(clamping: port)).perform()
        }
        for name in [SettingName.channels, .script] where context.invocation[name] != nil {
            throw context.usageError("--\(name.rawValue) requires --live")
        }
        try context.requireOperands("folder")
        guard context.operands.count == 1 else {
            throw context.usageError("unexpected argument '\(context.operands[1])': name only one folder")
        }
        let folder = context.operands[0]
        let bar = ProgressBar("Making \(folder)", on: context.console)
        do throws(SynthesisError) {
            let report = try StreamSynthesizer(try settings()).write(to: folder) { share in
                bar.show(Int(share * 100), of: 100, "percent")
            }
            bar.end()
            let size = ByteCountText.text(report.byteCount)
            context.console.print(
                "\(folder)/index.m3u8: \(report.files.count) files, \(size), \(report.tags.count) synthetic tags"
            )
            return .done
        } catch {
            bar.end()
            switch error {
            case .cancelled: return .interrupted
            case .unknownFault(let id):
                let known = SynthesisFault.allCases.map(\.id)
                throw context.usageError(error.description + Suggestion.text(for: id, among: known))
            case .setting, .faultNeeds, .faultNeedsDuration:
                throw context.usageError(error.description)
            default:
                context.console.note(error.description)
                return .output
            }
        }
    }

    private func settings() throws(SynthesisError) -> SynthesisSettings {
        let call = context.invocation
        var settings = SynthesisSettings()
        if let kilobits = call.number(.bitrate) {
            settings = .bulk(bitrate: kilobits * 1_000, duration: settings.duration)
        }
        // Apply the fault first: explicit options override the settings that it implies.
        if let fault = call[.fault] { settings.show(try SynthesisFault.named(fault)) }
        if let duration = call.seconds(.duration) { settings.duration = duration }
        if let seed = call.number(.seed) { settings.seed = UInt64(seed) }
        if let name = call[.container], let container = SynthesisSettings.Container(rawValue: name) {
            settings.use(container)
        }
        settings.overwrite = call.isOn(.overwrite)
        return settings
    }
}

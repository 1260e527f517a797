import FoundationEssentials
import StreamSynthesis
import TextForms

/// `dtvr synth`: writes a stream with synthetic tags, or serves a live one.
struct SynthCommand: Command {
    static let declaration = CommandDeclaration(
        "synth",
        summary: "make a test stream with synthetic tags, or serve live ones",
        operands: "DIR | --live PORT",
        description: """
            Writes H.264, AAC and timed ID3 with synthetic tags that pass every check, or with one --fault. With \
            --live, it serves endless channels instead, prints the address of each on a line, and runs until it is \
            stopped or for --duration.
            """,
        details: [
            """
            DIR/index.m3u8 is a multivariant playlist; the variants and the audio are in folders next to it. The \
            same settings produce the same tags. The pictures and the sound of a stream of more than three minutes \
            repeat, except with --bitrate; its tags and times continue.
            """
        ],
        settings: [
            .duration, .bitrate, .container, .seed,
            .fault.adapted {
                $0.help = "make a stream that fails the check with this id; 'list' prints the faults"
                $0.suggestions = ["list"] + SynthesisFault.allCases.map(\.id)
            },
            .overwrite, .live,
            .channels.adapted {
                $0.kind = .number(1...10_000)
                $0.help = "with --live: the number of channels; by default, 1"
            },
            .script,
        ],
        examples: [
            CommandExample("dtvr synth demo", "a two-minute stream that passes every check"),
            CommandExample(
                "dtvr synth --fault time.gap faulty", "a stream that fails the check time.gap"),
            CommandExample(
                "dtvr synth --container fmp4 --duration 30s short", "fragmented MP4 with event messages"),
            CommandExample(
                "dtvr synth --live 8080 --channels 200",
                "live channels http://127.0.0.1:8080/ch1/index.m3u8 to ch200"),
            CommandExample(
                "dtvr synth --live 8080 --script faults.txt",
                "with a file of scripted faults, such as: at 30s for 20s channel 1: late-playlist 8s"),
        ])

    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        if context.invocation[.fault] == "list" {
            try refuseStream(with: .fault)
            let width = SynthesisFault.allCases.map(\.id.count).max() ?? 0
            for fault in SynthesisFault.allCases {
                let gap = String(repeating: " ", count: width - fault.id.count)
                context.console.print("\(fault.id)\(gap)  \(fault.change)")
            }
            return .done
        }
        if context.invocation[.script] == "list" {
            try refuseStream(with: .script)
            context.console.print(LiveScript.grammar)
            return .done
        }
        if let port = context.invocation.number(.live) {
            return try await LiveSynthesis(context, port: UInt16(clamping: port)).perform()
        }
        try context.refuse([.channels, .script], "requires --live")
        try context.requireOperands("folder")
        guard context.operands.count == 1 else {
            throw context.usageError("unexpected argument '\(context.operands[1])': name only one folder")
        }
        if context.invocation[.container] == SynthesisSettings.Container.packedAudio.rawValue {
            try context.refuse(
                [.bitrate], "requires --container ts or fmp4: packed audio has no video to pad")
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
                "\(folder)/index.m3u8: \(DecimalText.count(report.files.count, "file")), \(size), "
                    + DecimalText.count(report.tags.count, "synthetic tag")
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

    /// Throws a usage error if the command line names a folder, or has a flag besides the one that prints a list.
    private func refuseStream(with setting: Setting) throws(UsageError) {
        try context.refuseOperands()
        let others: [Setting] = [
            .duration, .bitrate, .container, .seed, .fault, .overwrite, .live, .channels, .script,
        ]
        try context.refuse(
            others.filter { $0.name != setting.name }, "cannot be combined with \(setting.flag) list")
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

extension Setting {
    static let duration = Setting(
        "duration", .duration(0.001...172_800),
        help: """
            the length of the stream; by default, 120s or the length that the fault needs; with --live, how long to \
            serve
            """)
    static let bitrate = Setting(
        "bitrate", .number(64...50_000), help: "pad the first rendition, or live channels, to N kbit/s")
    static let container = Setting(
        "container", .choice(["ts", "fmp4", "packed-audio"]),
        help: """
            the format of the segments; by default, ts or the format that the fault needs; --live does not support \
            packed-audio
            """)
    static let seed = Setting(
        "seed", .number(0...Int(Int32.max)),
        help: "the seed for the random parts of the tags; by default, the seed of media/demo")
    static let overwrite = Setting(
        "overwrite", .toggle, help: "write into a folder that contains other files")
    static let live = Setting(
        "live", .number(0...65_535, shownAs: "PORT"),
        help: "instead of writing files, serve live channels on this port of 127.0.0.1; 0 picks a free port")
    static let script = Setting(
        "script", .path("FILE"),
        help: "with --live: a file with one fault or outage per line; 'list' prints the syntax")
}

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

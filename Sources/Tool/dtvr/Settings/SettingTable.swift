import CollectorService
import HLSInput
import NielsenID3
import StreamHealth
import StreamMonitor
import StreamSynthesis

/// The names of the settings; a name is the configuration key, and the flag without its dashes.
enum SettingName: String, CaseIterable, Sendable {
    case config
    case color
    case format
    case all
    case rendition
    case allowPrivate = "allow-private"
    case jobs
    case maxSegmentBytes = "max-segment-bytes"
    case store
    case maxAge = "max-age"
    case maxBytes = "max-bytes"
    case whenFull = "when-full"
    case olderThan = "older-than"
    case dead
    case wait
    case output
    case collector
    case tokenFile = "token-file"
    case cacert
    case follow
    case listen
    case listenTokenFile = "listen-token-file"
    case directory = "dir"
    case certificate
    case key
    case duration
    case bitrate
    case container
    case seed
    case fault
    case overwrite
    case live
    case channels
    case script
    case against
    case owners
    case explain
    case list
    case checkConfig = "check-config"
    case alertWebhook = "alert-webhook"
    case alertKeyFile = "alert-key-file"
    case alertCommand = "alert-command"
    case playerConfig = "player-config"
    case speed
    case timeout
}

extension SettingName {
    /// The maximum age of a tag in seconds: ten years.
    private static let longestAge = 315_360_000.0

    /// The definition of the setting: its kind, commands, default and help.
    var setting: Setting {
        switch self {
        case .config:
            make(
                .path("FILE"), CommandName.allCases,
                "read settings from FILE instead of $XDG_CONFIG_HOME/dtvr/config")
        case .color:
            make(
                .choice(["auto", "always", "never"]), CommandName.allCases, default: "auto",
                "color the output; auto: on a terminal, unless NO_COLOR is set")
        case .format:
            make(
                .choice(["text", "jsonl", "csv", "json", "html", "junit"]),
                [.scan, .check, .tag, .store, .monitor, .replay],
                default: "text", "the format of the results")
        case .all:
            make(.toggle, [.scan], "also print the tags of other owners (text and jsonl)")
        case .rendition:
            make(
                .text("all|lowest|highest|audio|URI"), [.run, .scan, .check, .monitor], default: "lowest",
                "which renditions of a multivariant playlist to read, with the default audio of their group")
        case .allowPrivate:
            make(
                .toggle, [.run, .scan, .check, .monitor],
                "allow playlists from public addresses, and playlists fetched through a proxy, to refer to private "
                    + "and loopback addresses, and fetch their references through the proxy")
        case .jobs:
            make(
                .number(1...256), [.run, .scan, .check],
                "the number of segments of an input to read in parallel; by default, the number of CPU cores")
        case .maxSegmentBytes:
            make(
                .byteCount(1...1_000_000_000_000), [.run, .scan, .check], default: "1GiB",
                "the maximum size of a segment from a playlist, a directory or the network")
        case .store:
            make(
                .path("DIR"), [.run, .store, .upload, .monitor, .replay],
                "the folder of the buffer; by default, $XDG_STATE_HOME/dtvr/store")
        case .maxAge:
            make(
                .duration(0.001...Self.longestAge), [.run, .store, .upload, .monitor, .replay],
                default: "10d",
                "the maximum time to keep a tag")
        case .maxBytes:
            make(
                .byteCount(2_000_000...1_000_000_000_000), [.run, .store, .upload, .monitor, .replay],
                default: "30000000",
                "the maximum disk space of the buffer, including all its files")
        case .whenFull:
            make(
                .choice(["evict-oldest", "refuse-newest"]), [.run, .store, .upload, .monitor, .replay],
                default: "evict-oldest",
                "which tags to drop when the buffer is full")
        case .olderThan:
            make(
                .duration(0...Self.longestAge), [.store],
                "prune: delete the tags that have been waiting longer than this")
        case .dead:
            make(
                .toggle, [.store],
                "list, export, prune: apply to the dead letters instead of the waiting tags")
        case .wait:
            make(
                .duration(0...604_800), [.run, .store, .upload, .monitor, .replay], default: "30s",
                "how long to wait for a buffer that another process holds")
        case .output:
            make(.path("FILE"), [.check, .store], "write to FILE instead of standard output")
        case .collector:
            make(
                .text("URL"), [.run, .upload, .monitor, .replay],
                "the address of the collector; without it, nothing leaves this machine")
        case .tokenFile:
            make(
                .path("FILE"), [.run, .upload, .collect, .monitor, .replay],
                "a file with the bearer token; DTVR_TOKEN can hold the token itself instead")
        case .cacert:
            make(
                .path("FILE"), [.run, .scan, .check, .upload, .monitor, .replay],
                "trust the certificate authorities in FILE (PEM) instead of the system's")
        case .follow:
            make(
                .toggle, [.upload],
                "keep running, and send new tags as they arrive; other commands can use the buffer at the same time"
            )
        case .listen:
            make(
                .text("HOST:PORT"), [.collect, .monitor], default: "127.0.0.1:8271",
                "the address to listen on; port 0 picks a free port")
        case .listenTokenFile:
            make(
                .path("FILE"), [.monitor],
                "require the token in FILE for requests to --listen; with a token, clients can also make changes, "
                    + "and --listen accepts any address")
        case .directory:
            make(.path("DIR"), [.collect], default: "dtvr-collected", "the folder to store the tags in")
        case .certificate:
            make(.path("FILE"), [.collect], "serve HTTPS with the certificate in FILE (PEM)")
        case .key:
            make(.path("FILE"), [.collect], "the private key of the certificate (PEM)")
        case .duration:
            make(
                .duration(0.001...172_800), [.synth],
                "the length of the stream; by default, 120s or the length that the fault needs; with --live, how long "
                    + "to serve"
            )
        case .bitrate:
            make(.number(64...50_000), [.synth], "pad the first rendition, or live channels, to N kbit/s")
        case .container:
            make(
                .choice(["ts", "fmp4", "packed-audio"]), [.synth],
                "the format of the segments; by default, ts or the format that the fault needs; --live does not "
                    + "support packed-audio")
        case .seed:
            make(
                .number(0...Int(Int32.max)), [.synth],
                "the seed for the random parts of the tags; by default, the seed of media/demo")
        case .fault:
            make(
                .text("FAULT"), [.synth, .collect],
                "simulate a fault; 'list' prints the faults")
        case .overwrite:
            make(.toggle, [.synth], "write into a folder that contains other files")
        case .live:
            make(
                .number(0...65_535, shownAs: "PORT"), [.synth],
                "instead of writing files, serve live channels on this port of 127.0.0.1; 0 picks a free port"
            )
        case .channels:
            make(
                .text("FILE|N"), [.monitor, .synth],
                "monitor: follow the channels that FILE lists; synth: the number of channels")
        case .script:
            make(
                .path("FILE"), [.synth],
                "with --live: a file with one fault or outage per line; 'list' prints the syntax")
        case .against:
            make(
                .text("INPUT"), [.check],
                "compare the tags with those of another input, such as the same stream before a packager")
        case .owners:
            make(
                .path("FILE|-"), [.check],
                "compare the tags with the owner identifiers in a text file, such as the log of a player")
        case .explain:
            make(
                .choice(
                    ["all", "list"] + (CheckID.all + CheckID.ofMonitorOnly).map(\.rawValue),
                    shownAs: "ID|all|list"), [.check],
                "instead of checking, explain what the check with this id means and what to do; list: same as --list"
            )
        case .checkConfig:
            make(.toggle, [.monitor], "validate the channel file, report the first error, and exit")
        case .alertWebhook:
            make(
                .text("URL"), [.monitor],
                "send each alert by POST to URL when it is raised and when it is cleared, as the object that --format "
                    + "jsonl prints")
        case .alertKeyFile:
            make(
                .path("FILE"), [.monitor],
                "sign the requests to --alert-webhook with the key in FILE (HMAC-SHA-256)")
        case .alertCommand:
            make(
                .path("PROGRAM"), [.monitor],
                "run PROGRAM for each alert that is raised or cleared; its argument is a sentence, and its standard "
                    + "input is the object that --format jsonl prints")
        case .playerConfig:
            make(
                .path("FILE"), [.replay],
                "the configuration of the sessions (JSON), such as the meaning of the app's keys")
        case .speed:
            make(
                .text("N|max"), [.replay], default: "max",
                "the replay speed as a multiple of the speed of the log; max: without waiting")
        case .timeout:
            make(
                .duration(0...604_800), [.replay], default: "20s",
                "how long to try to deliver; undelivered tags stay in the buffer")
        case .list:
            make(
                .toggle, [.check],
                "instead of checking, list the checks: id, worst status, meaning, and limits with their defaults"
            )
        }
    }

    /// Returns the setting in the form for a command; some settings differ between commands.
    func setting(of command: CommandName) -> Setting {
        var setting = setting
        switch (self, command) {
        case (.format, .scan), (.format, .tag): setting.take(["text", "jsonl", "csv"])
        case (.format, .check): setting.take(["text", "json", "csv", "html", "junit"])
        case (.channels, .synth):
            setting.kind = .number(1...10_000)
            setting.help = "with --live: the number of channels; by default, 1"
        case (.channels, .monitor):
            setting.kind = .path("FILE")
            setting.help = "follow the channels that FILE lists; SIGHUP reloads the file"
        case (.format, .monitor):
            setting.take(["text", "jsonl"])
            setting.help =
                "the format of the output; text is a table on a terminal, and one line per event otherwise"
        case (.rendition, .monitor):
            setting.kind = .text("auto|all|lowest|highest|audio|URI")
            setting.defaultText = "auto"
            setting.suggestions = FollowedRendition.words
            setting.help =
                "which renditions of a multivariant playlist to follow; auto: the cheapest that carries tags"
        case (.maxBytes, .monitor):
            setting.defaultText = nil
            setting.help =
                "the maximum disk space of the buffer; by default, 30 MB per channel, up to half of the free disk space"
        case (.listen, .monitor):
            setting.kind = .text("ADDR:PORT")
            setting.defaultText = nil
            setting.help =
                "serve metrics and the state of the channels over HTTP at this address; without --listen-token-file, "
                + "it must be a loopback address; port 0 picks a free port"
        case (.format, .replay): setting.take(["text", "jsonl"])
        case (.format, .store):
            setting.take(["text", "json"])
            setting.help = "the format of the status"
        case (.rendition, .run), (.rendition, .scan): setting.suggestions = RenditionChoice.words
        case (.fault, .synth):
            setting.help = "make a stream that fails the check with this id; 'list' prints the faults"
            setting.suggestions = ["list"] + SynthesisFault.allCases.map(\.id)
        case (.fault, .collect):
            setting.help = "simulate these faults, separated by spaces; 'list' prints the faults"
            setting.suggestions = ["list"] + ScriptedFault.forms
        case (.output, .store): setting.help = "export: write to FILE instead of standard output"
        case (.rendition, .check):
            setting.defaultText = "all"
            setting.suggestions = RenditionChoice.words
            setting.help =
                "which renditions of a multivariant playlist to read; all: every variant, and the default audio of "
                + "its group"
        default: break
        }
        return setting
    }

    private func make(
        _ kind: Setting.Kind, _ commands: [CommandName], default defaultText: String? = nil, _ help: String
    ) -> Setting {
        Setting(rawValue, kind, for: Set(commands), default: defaultText, help: help)
    }
}

extension Setting {
    /// Creates the setting of a check limit, for the commands in which the limit has an effect.
    init(_ limit: HealthLimit) {
        let commands: Set<CommandName> =
            if limit.isOfSingleTags { [.run, .scan, .check, .tag, .monitor] } else if limit.isOfLiveInputOnly
            {
                [.monitor]
            } else {
                limit == .findings ? [.check] : [.run, .check, .monitor]
            }
        let value = Int(exactly: limit.defaultValue).map { "\($0)" } ?? "\(limit.defaultValue)"
        let isTime = limit.unit == "s"
        self.init(
            limit.name, isTime ? .duration(0...1_000_000) : .number(0...1_000_000),
            for: commands,
            default: isTime ? "\(value)s" : value, help: limit.help, isLimit: true)
    }
}

/// All settings of the tool: the named ones, then the limits of the checks.
enum SettingTable {
    /// The settings in the order of the help.
    static let all: [Setting] =
        SettingName.allCases.map(\.setting)
        + (HealthLimit.all + HealthLimit.ofMonitorOnly).map { Setting($0) }

    private static let settingOfName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Returns a setting in its general form, or nil if the name is unknown.
    static func setting(named name: String) -> Setting? { settingOfName[name] }

    /// Returns a setting in the form for a command, or nil if the command does not accept it.
    static func setting(named name: String, of command: CommandName) -> Setting? {
        guard let setting = settingOfName[name], setting.commands.contains(command) else { return nil }
        return SettingName(rawValue: name)?.setting(of: command) ?? setting
    }

    /// Returns the settings of a command, in the form for that command.
    static func settings(of command: CommandName) -> [Setting] {
        all.compactMap { setting(named: $0.name, of: command) }
    }
}

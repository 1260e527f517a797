import StreamHealth

/// The settings of the tool by name; the name is the flag without its dashes, and the configuration key.
enum SettingName: String, CaseIterable, Sendable {
    case config
    case color
    case format
    case all
    case rendition
    case allowPrivate = "allow-private"
    case jobs
    case store
    case maxAge = "max-age"
    case maxBytes = "max-bytes"
    case whenFull = "when-full"
    case olderThan = "older-than"
    case output
    case collector
    case tokenFile = "token-file"
    case cacert
    case follow
    case listen
    case directory = "dir"
    case certificate
    case key
    case duration
    case bitrate
    case container
    case seed
    case fault
    case overwrite
    case against
    case owners
    case explain
    case list
    case limitFindings = "limit-findings"
    case limitOwnerMinimumDuration = "limit-owner-minimum-duration"
    case limitCountMinimumDuration = "limit-count-minimum-duration"
    case limitCountGrace = "limit-count-grace"
    case limitCountInterval = "limit-count-interval"
    case limitRepeatAge = "limit-repeat-age"
    case limitInfoDelay = "limit-info-delay"
    case limitGap = "limit-gap"
    case limitOverlap = "limit-overlap"
    case limitLongestTag = "limit-longest-tag"
    case limitShortestTag = "limit-shortest-tag"
    case limitRateDrift = "limit-rate-drift"
    case limitRateTags = "limit-rate-tags"
    case limitRateWindow = "limit-rate-window"
    case limitAudioSync = "limit-audio-sync"
    case limitWallClock = "limit-wall-clock"
    case limitInfoInterval = "limit-info-interval"
    case limitInfoMinimumDuration = "limit-info-minimum-duration"
    case limitNullRun = "limit-null-run"
    case limitOffsetWarn = "limit-offset-warn"
    case limitOffsetFail = "limit-offset-fail"
    case limitRenditionTime = "limit-rendition-time"
    case limitSilence = "limit-silence"
}

extension SettingName {
    /// The table: what each setting is, for whom, and what holds unless it is set.
    var setting: Setting {
        switch self {
        case .config:
            make(
                .path("FILE"), CommandName.allCases,
                "read settings from FILE instead of $XDG_CONFIG_HOME/dtvr/config")
        case .color:
            make(
                .choice(["auto", "always", "never"]), CommandName.allCases, default: "auto",
                "colour the output; auto: on a terminal, unless NO_COLOR is set")
        case .format:
            make(
                .choice(["text", "jsonl", "csv", "json", "html", "junit"]), [.scan, .check, .tag, .store],
                default: "text", "how results are printed")
        case .all:
            make(.toggle, [.scan], "print the tags of other owners too (text and jsonl)")
        case .rendition:
            make(
                .text("all|lowest|highest|audio|URI"), [.run, .scan, .check], default: "lowest",
                "which renditions of a multivariant playlist to read, with the default audio of their group")
        case .allowPrivate:
            make(
                .toggle, [.run, .scan, .check],
                "let a playlist from a public address name private and loopback addresses")
        case .jobs:
            make(
                .number(1...256), [.scan, .check],
                "how many segments of an input are read at once; one a core unless set")
        case .store:
            make(
                .path("DIR"), [.run, .store, .upload],
                "the folder of the buffer ($XDG_STATE_HOME/dtvr/store unless set)")
        case .maxAge:
            make(
                .duration, [.run, .store, .upload], default: "10d",
                "how long a tag is kept at most")
        case .maxBytes:
            make(
                .byteCount, [.run, .store, .upload], default: "30000000",
                "how much disk the buffer takes at most, everything together")
        case .whenFull:
            make(
                .choice(["evict-oldest", "refuse-newest"]), [.run, .store, .upload], default: "evict-oldest",
                "what gives way when the buffer is full")
        case .olderThan:
            make(.duration, [.store], "prune: delete the tags that have waited longer than this")
        case .output:
            make(.path("FILE"), [.check, .store], "write to FILE instead of standard output")
        case .collector:
            make(.text("URL"), [.run, .upload], "the collector; without one nothing leaves this machine")
        case .tokenFile:
            make(
                .path("FILE"), [.run, .upload, .collect],
                "the file with the bearer token; or DTVR_TOKEN holds the token itself")
        case .cacert:
            make(
                .path("FILE"), [.run, .scan, .check, .upload],
                "certificate authorities to trust, in PEM, instead of the system's")
        case .follow:
            make(.toggle, [.upload], "keep running, and send what comes")
        case .listen:
            make(
                .text("HOST:PORT"), [.collect], default: "127.0.0.1:8271",
                "the address to listen at; port 0 takes a free one")
        case .directory:
            make(.path("DIR"), [.collect], default: "dtvr-collected", "the folder where tags are kept")
        case .certificate:
            make(.path("FILE"), [.collect], "the server's certificate in PEM: HTTPS instead of HTTP")
        case .key:
            make(.path("FILE"), [.collect], "the certificate's private key in PEM")
        case .duration:
            make(.duration, [.synth], "how long the stream is; 120s, or what suits the fault, unless set")
        case .bitrate:
            make(.number(64...50_000), [.synth], "fill the first rendition up to N kbit/s")
        case .container:
            make(
                .choice(["ts", "fmp4", "packed-audio"]), [.synth],
                "what the segments are; ts, or what suits the fault, unless set")
        case .seed:
            make(
                .number(0...Int(Int32.max)), [.synth],
                "what the random parts of the tags follow from; that of media/demo unless set")
        case .fault:
            make(
                .text("FAULT"), [.synth, .collect],
                "go wrong on purpose. synth: fail the check with this id; collect: misbehave in these ways, "
                    + "parted by blanks. 'list' prints what there is")
        case .overwrite:
            make(.toggle, [.synth], "write into a folder that holds other files")
        case .against:
            make(
                .text("INPUT"), [.check],
                "compare the tags with those of another input, such as the same stream before a packager")
        case .owners:
            make(
                .path("FILE|-"), [.check],
                "compare the tags with the owner identifiers in a text, such as the log of a player")
        case .explain:
            make(
                .choice(["all", "list"] + CheckID.allCases.map(\.rawValue), shownAs: "ID|all|list"), [.check],
                "instead of checking, say what the check with this id means and what to do; list: what there is"
            )
        case .list:
            make(
                .toggle, [.check],
                "instead of checking, list the checks: id, worst status, meaning, and limits with their defaults"
            )
        case .limitFindings: make(.findings)
        case .limitOwnerMinimumDuration: make(.ownerMinimumDuration)
        case .limitCountMinimumDuration: make(.countMinimumDuration)
        case .limitCountGrace: make(.countGrace)
        case .limitCountInterval: make(.countInterval)
        case .limitRepeatAge: make(.repeatAge)
        case .limitInfoDelay: make(.infoDelay)
        case .limitGap: make(.gap)
        case .limitOverlap: make(.overlap)
        case .limitLongestTag: make(.longestTag)
        case .limitShortestTag: make(.shortestTag)
        case .limitRateDrift: make(.rateDrift)
        case .limitRateTags: make(.rateTags)
        case .limitRateWindow: make(.rateWindow)
        case .limitAudioSync: make(.audioSync)
        case .limitWallClock: make(.wallClock)
        case .limitInfoInterval: make(.infoInterval)
        case .limitInfoMinimumDuration: make(.infoMinimumDuration)
        case .limitNullRun: make(.nullRun)
        case .limitOffsetWarn: make(.offsetWarn)
        case .limitOffsetFail: make(.offsetFail)
        case .limitRenditionTime: make(.renditionTime)
        case .limitSilence: make(.silence)
        }
    }

    /// Whether it is a limit that checks judge by.
    var isLimit: Bool { HealthLimit(rawValue: rawValue) != nil }

    /// The setting as one command has it: a few differ from command to command.
    func setting(of command: CommandName) -> Setting {
        var setting = setting
        switch (self, command) {
        case (.format, .scan), (.format, .tag): setting.kind = .choice(["text", "jsonl", "csv"])
        case (.format, .check): setting.kind = .choice(["text", "json", "csv", "html", "junit"])
        case (.format, .store):
            setting.kind = .choice(["text", "json"])
            setting.help = "how status is printed"
        case (.output, .store): setting.help = "export: write to FILE instead of standard output"
        case (.rendition, .check):
            setting.defaultText = "all"
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

    private func make(_ limit: HealthLimit) -> Setting {
        let value = Int(exactly: limit.defaultValue).map { "\($0)" } ?? "\(limit.defaultValue)"
        return limit.unit == "s"
            ? make(.duration, [.check], default: "\(value)s", limit.summary)
            : make(.number(0...1_000_000), [.check], default: value, limit.summary)
    }
}

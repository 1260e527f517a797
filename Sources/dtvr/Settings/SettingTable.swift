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
                .choice(["text", "jsonl", "csv", "json"]), [.scan, .tag, .store], default: "text",
                "how results are printed: text, jsonl or csv; store status: text or json")
        case .all:
            make(.toggle, [.scan], "print the tags of other owners too (text and jsonl)")
        case .rendition:
            make(
                .text("all|lowest|highest|audio|URI"), [.run, .scan], default: "lowest",
                "which renditions of a multivariant playlist to read, with the default audio of their group")
        case .allowPrivate:
            make(
                .toggle, [.run, .scan],
                "let a playlist from a public address name private and loopback addresses")
        case .jobs:
            make(
                .number(1...256), [.scan],
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
            make(.path("FILE"), [.store], "export: write to FILE instead of standard output")
        case .collector:
            make(.text("URL"), [.run, .upload], "the collector; without one nothing leaves this machine")
        case .tokenFile:
            make(
                .path("FILE"), [.run, .upload, .collect],
                "the file with the bearer token; or DTVR_TOKEN holds the token itself")
        case .cacert:
            make(
                .path("FILE"), [.run, .scan, .upload],
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
        }
    }

    private func make(
        _ kind: Setting.Kind, _ commands: [CommandName], default defaultText: String? = nil, _ help: String
    ) -> Setting {
        Setting(rawValue, kind, for: Set(commands), default: defaultText, help: help)
    }
}

/// An example command line and its purpose.
struct CommandExample: Sendable {
    let call: String
    let purpose: String

    init(_ call: String, _ purpose: String) {
        self.call = call
        self.purpose = purpose
    }
}

extension CommandName {
    /// The example command lines of the command.
    ///
    /// Addresses at example.com are placeholders; the rest works verbatim.
    var examples: [CommandExample] {
        switch self {
        case .run:
            [
                CommandExample(
                    "dtvr run --collector https://collector.example.com/ main.m3u8",
                    "read a presentation and upload its tags"),
                CommandExample(
                    "dtvr run --store tags recording/",
                    "only buffer the tags of a folder of segments, in a separate buffer"),
            ]
        case .scan:
            [
                CommandExample("dtvr scan main.m3u8", "the tags as a table"),
                CommandExample(
                    "dtvr scan --format jsonl main.m3u8 > tags.jsonl", "one JSON object for each tag"),
                CommandExample(
                    "dtvr scan --all - < segment.ts", "also the tags of other owners, from a pipe"),
            ]
        case .check:
            [
                CommandExample(
                    "dtvr check main.m3u8", "every variant and its audio, compared with each other"),
                CommandExample(
                    "dtvr check --format html --output report.html main.m3u8",
                    "a self-contained page with plots"),
                CommandExample(
                    "dtvr check --format junit live/*.m3u8",
                    "one test case for each check, for continuous integration"),
                CommandExample(
                    "dtvr check --against origin/main.m3u8 edge/main.m3u8",
                    "the tags that were lost between the two"),
                CommandExample(
                    "dtvr check --owners player.log main.m3u8", "compared with the tags in a player log"),
                CommandExample(
                    "dtvr check --limit-gap 12s --rendition lowest main.m3u8", "with your own limit"),
                CommandExample(
                    "dtvr check --explain time.gap", "what a check means, and what to do when it fails"),
            ]
        case .monitor:
            [
                CommandExample(
                    "dtvr monitor https://cdn.example.com/one/master.m3u8", "one live channel, as a table"),
                CommandExample(
                    "dtvr monitor --channels tv --collector https://collector.example.com/",
                    "all channels of a file, with upload of their tags"),
                CommandExample(
                    "dtvr monitor --channels tv --check-config", "the first error in a channel file"),
                CommandExample(
                    "dtvr monitor --channels tv --listen 127.0.0.1:9464",
                    "metrics for Prometheus at http://127.0.0.1:9464/metrics"),
                CommandExample(
                    "dtvr monitor --channels tv --alert-webhook https://alerts.example/",
                    "a request for each alert that is raised or cleared"),
                CommandExample(
                    "dtvr monitor --channels tv --format jsonl",
                    "one JSON line for every tag and every change"),
            ]
        case .tag:
            [
                CommandExample("dtvr tag < player.log", "every owner identifier in a log"),
                CommandExample(
                    "dtvr tag --format jsonl - < player.log",
                    "the same as JSON objects, with the line and column of each identifier"),
            ]
        case .store:
            [
                CommandExample("dtvr store status", "the waiting tags, and the lost tags by cause"),
                CommandExample(
                    "dtvr store export --output tags.ndjson",
                    "the waiting tags as a collector would receive them"
                ),
                CommandExample("dtvr store list --dead", "the tags that a collector permanently refused"),
                CommandExample(
                    "dtvr store prune --older-than 3d", "delete the tags that are older than three days"),
            ]
        case .upload:
            [
                CommandExample(
                    "dtvr upload --collector https://collector.example.com/", "send the waiting tags"),
                CommandExample(
                    "dtvr upload --follow --collector https://collector.example.com/",
                    "send new tags as they arrive, until stopped"),
            ]
        case .collect:
            [
                CommandExample(
                    "dtvr collect --listen 127.0.0.1:8271 --dir collected",
                    "receive tags on the loopback interface"),
                CommandExample(
                    "dtvr collect --fault status=503@first=3",
                    "answer the first three requests with status 503"),
            ]
        case .synth:
            [
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
            ]
        case .replay:
            [
                CommandExample("dtvr replay calls.jsonl", "the outcome of each call, as a table"),
                CommandExample(
                    "dtvr replay --format jsonl --store replayed calls.jsonl",
                    "the same as JSON lines, with the tags in a separate buffer"),
                CommandExample(
                    "dtvr replay --collector https://collector.example.com/ calls.jsonl",
                    "replay the calls and deliver the tags"),
            ]
        case .completions:
            [CommandExample("source <(dtvr completions bash)", "completions for this bash session")]
        case .manual:
            [
                CommandExample("dtvr manual dtvr-scan.1 | man -l -", "show a page that is not installed"),
                CommandExample("dtvr manual", "the names of the pages"),
            ]
        }
    }
}

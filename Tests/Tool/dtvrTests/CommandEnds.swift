import Testing

/// The unusual ends of a command, with calls that reach them.
struct CommandEnds: Sendable {
    /// A call, and the exit status of its end.
    ///
    /// `CommandScene` replaces the words in capital letters.
    struct Call: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32

        init(_ arguments: [String], _ status: Int32) {
            self.arguments = arguments
            self.status = status
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    /// An end of a command.
    enum End: Sendable {
        /// Calls that reach it.
        case calls([Call])
        /// The name of a test that reaches it.
        case tested(by: String)
        /// The reason why the command cannot end in this way.
        case impossible(String)

        var calls: [Call] {
            if case .calls(let calls) = self { calls } else { [] }
        }

        static func exits(_ status: Int32, _ calls: [String]...) -> End {
            .calls(calls.map { Call($0, status) })
        }

        static func + (first: End, second: End) -> End { .calls(first.calls + second.calls) }
    }

    /// SIGINT or SIGTERM while the command waits.
    let interrupted: End
    /// An input that fails while it is read.
    let brokenInput: End
    /// Standard output on a full disk; the status is that with a pipe whose reader has ended.
    let closedOutput: End
    /// Tags that are in memory only at the end.
    let lostInMemory: End

    /// All ends.
    var all: [End] { [interrupted, brokenInput, closedOutput, lostInMemory] }

    // MARK: The table

    static let segment = Tool.demo + "/v360/seg00001.ts"

    private static let appendsNothing = End.impossible("it adds no tags to a buffer")
    private static let readsNothing = End.impossible("it reads no input")
    private static let inOutputTests = End.tested(by: "OutputTests")
    private static let held = ["--store", "HELD", "--wait", "600s"]
    private static let ledger = ["--ledger", "postgres://PEER/dtvr"]

    /// The ends of the commands that only read inputs.
    private static func reading(_ command: String) -> CommandEnds {
        CommandEnds(
            interrupted: .exits(130, [command, "FIFO"], [command, "http://PEER/a.m3u8"]),
            brokenInput: .exits(
                3, [command, "--inputs", "BROKEN"], [command, segment, "--inputs", "BROKEN"],
                [command, "BROKEN"]),
            closedOutput: inOutputTests, lostInMemory: appendsNothing)
    }

    /// The ends of an action on a buffer.
    private static func store(_ action: String, _ more: String...) -> CommandEnds {
        CommandEnds(
            interrupted: .exits(130, ["store", action] + more + held),
            brokenInput: .tested(by: "store_withADamagedRow_exitsWith4_andNamesIt"),
            closedOutput: action == "retry"
                ? .exits(0, ["store", action, "--store", "STORE"]) : inOutputTests,
            lostInMemory: .impossible("a change that cannot be written is an error"))
    }

    /// The ends of an action on a database.
    private static func ledger(_ action: String, _ more: String...) -> CommandEnds {
        CommandEnds(
            interrupted: .exits(130, ["ledger", action] + more + ledger),
            brokenInput: .exits(4, ["ledger", action] + more + ["--ledger", "postgres://127.0.0.1:1/dtvr"]),
            closedOutput: .tested(by: "LedgerOutputTests, with a database"),
            lostInMemory: appendsNothing)
    }

    /// The ends of a command that prints a text.
    private static func printing(_ call: String...) -> CommandEnds {
        CommandEnds(
            interrupted: .exits(130, call + ["STALLED"]), brokenInput: readsNothing,
            closedOutput: inOutputTests, lostInMemory: appendsNothing)
    }

    /// The ends of each command, or of its actions; a flag follows the name for another mode of operation.
    static let all: [String: CommandEnds] = [
        "run": CommandEnds(
            interrupted: .exits(
                130, ["run", "FIFO", "--store", "NEW"], ["run", "http://PEER/a.m3u8", "--store", "NEW"],
                ["run", segment] + held, ["run", segment, "--store", "NEW", "--collector", "http://PEER/"]),
            brokenInput: .exits(
                3, ["run", "--inputs", "BROKEN", "--store", "NEW"],
                ["run", segment, "--inputs", "BROKEN", "--store", "NEW"],
                ["run", "BROKEN", "--store", "NEW"]),
            closedOutput: inOutputTests, lostInMemory: .exits(4, ["run", segment, "--store", "FULL"])),
        "scan": reading("scan"),
        "check": reading("check"),
        "monitor": CommandEnds(
            interrupted: .exits(0, ["monitor", "http://PEER/a.m3u8", "--store", "NEW"])
                + .exits(
                    130, ["monitor", "http://PEER/a.m3u8"] + held,
                    ["monitor", "--check-config", "--connect", "http://PEER/a.m3u8"]),
            brokenInput: .exits(
                2, ["monitor", "--channels", "BROKEN", "--store", "NEW"],
                ["monitor", "--check-config", "--channels", "BROKEN"],
                [
                    "monitor", "http://PEER/a.m3u8", "--store", "NEW", "--collector", "http://PEER/",
                    "--token-file", "BROKEN",
                ]),
            closedOutput: inOutputTests,
            lostInMemory: .exits(4, ["monitor", "STATION", "--format", "jsonl", "--store", "FULL"])),
        "tag": CommandEnds(
            interrupted: .exits(130, ["tag", "FIFO"], ["tag", "-"]),
            brokenInput: .exits(3, ["tag", "BROKEN"]),
            closedOutput: inOutputTests, lostInMemory: appendsNothing),
        "store status": CommandEnds(
            interrupted: .impossible("it does not wait"),
            brokenInput: .tested(by: "store_withADamagedRow_exitsWith4_andNamesIt"),
            closedOutput: inOutputTests, lostInMemory: appendsNothing),
        "store list": store("list"),
        "store export": store("export"),
        "store retry": store("retry"),
        "store prune": store("prune", "--older-than", "1h"),
        "store verify": store("verify"),
        "upload": CommandEnds(
            interrupted: .exits(
                130, ["upload", "--store", "STORE", "--collector", "http://PEER/"],
                ["upload", "--collector", "http://PEER/"] + held),
            brokenInput: .exits(
                2, ["upload", "--store", "STORE", "--collector", "http://PEER/", "--token-file", "BROKEN"]),
            closedOutput: .exits(0, ["upload", "--store", "EMPTY", "--collector", "http://PEER/"]),
            lostInMemory: appendsNothing),
        "upload --follow": CommandEnds(
            interrupted: .exits(0, ["upload", "--follow", "--store", "STORE", "--collector", "http://PEER/"])
                + .exits(130, ["upload", "--follow", "--collector", "http://PEER/"] + held),
            brokenInput: .exits(
                2,
                [
                    "upload", "--follow", "--store", "STORE", "--collector", "http://PEER/", "--token-file",
                    "BROKEN",
                ]),
            closedOutput: .exits(
                0, ["upload", "--follow", "--store", "EMPTY", "--collector", "http://PEER/"]),
            lostInMemory: .exits(
                4, ["upload", "--follow", "--store", "FULL", "--collector", "http://PEER/"])),
        "collect": CommandEnds(
            interrupted: .exits(0, ["collect", "--listen", "127.0.0.1:0", "--dir", "NEW"]),
            brokenInput: .exits(2, ["collect", "--dir", "NEW", "--token-file", "BROKEN"]),
            closedOutput: inOutputTests, lostInMemory: .impossible("it acknowledges only what is on disk")),
        "ledger init": ledger("init"),
        "ledger migrate": ledger("migrate"),
        "ledger status": ledger("status"),
        "ledger report": ledger("report"),
        "ledger prune": ledger("prune", "--retention", "30d"),
        "ledger import": CommandEnds(
            interrupted: .exits(130, ["ledger", "import", "LINES"] + ledger),
            brokenInput: .exits(3, ["ledger", "import", "BREAKING"] + ledger),
            closedOutput: .exits(0, ["ledger", "import", "INVALID"] + ledger),
            lostInMemory: appendsNothing),
        "synth": CommandEnds(
            interrupted: .exits(130, ["synth", "NEW", "--duration", "36h"]), brokenInput: readsNothing,
            closedOutput: inOutputTests, lostInMemory: appendsNothing),
        "synth --live": CommandEnds(
            interrupted: .exits(0, ["synth", "--live", "0"]),
            brokenInput: .exits(2, ["synth", "--live", "0", "--script", "BROKEN"]),
            closedOutput: .exits(0, ["synth", "--live", "0", "--duration", "1s"]),
            lostInMemory: appendsNothing),
        "replay": CommandEnds(
            interrupted: .exits(
                130, ["replay", "FIFO"], ["replay", ReplayTests.trace] + held),
            brokenInput: .exits(3, ["replay", "BROKEN"]), closedOutput: inOutputTests,
            lostInMemory: .exits(4, ["replay", ReplayTests.trace, "--store", "FULL"])),
        "certify": CommandEnds(
            interrupted: .exits(
                130, ["certify", "FIFO"], ["certify", "--against", "http://PEER/a.m3u8", CertifyTests.good]),
            brokenInput: .exits(
                3, ["certify", "BROKEN"], ["certify", "--against", "BROKEN", CertifyTests.good]),
            closedOutput: inOutputTests, lostInMemory: appendsNothing),
        "completions": printing("completions", "bash"),
        "manual": printing("manual"),
    ]
}

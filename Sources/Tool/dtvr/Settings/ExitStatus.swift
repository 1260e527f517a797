/// The exit statuses of the tool.
enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    case checkFailed = 1
    case usage = 2
    case noInput = 3
    case store = 4
    case delivery = 5
    case output = 6
    case interrupted = 130

    /// The meaning of the status, for the help text.
    var meaning: String {
        switch self {
        case .done: "done"
        case .checkFailed: "a check failed, or --strict refused the verdict"
        case .usage: "usage error"
        case .noInput: "no input could be read"
        case .store: "the buffer or the ledger could not be used"
        case .delivery: "tags could not be delivered, or were permanently refused"
        case .output: "output could not be written"
        case .interrupted: "interrupted"
        }
    }

    /// Whether every command can end with the status.
    var isOfEveryCommand: Bool {
        switch self {
        case .done, .usage, .output, .interrupted: true
        case .checkFailed, .noInput, .store, .delivery: false
        }
    }

    /// The status of a command that also lost output.
    ///
    /// Failures of the buffer or of delivery, usage errors and interruption take precedence.
    var withLostOutput: ExitStatus {
        switch self {
        case .done, .checkFailed, .noInput, .output: .output
        case .usage, .store, .delivery, .interrupted: self
        }
    }
}

/// The exit statuses of the tool.
enum ExitStatus: Int32, Sendable, CaseIterable {
    case done = 0
    case checkFailed = 1
    case usage = 2
    case noInput = 3
    case store = 4
    case delivery = 5
    case interrupted = 130
}

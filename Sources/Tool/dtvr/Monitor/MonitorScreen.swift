import HostSystem
import StreamMonitor
import Synchronization
import TextForms

/// The display of the monitor: a table that is redrawn on a terminal, lines or JSON otherwise.
final class MonitorScreen: Sendable {
    private let console: Console
    private let output: LiveOutput
    private let environment: [String: String]
    private let form: Form
    private let isDrawn = Mutex(false)
    private let log = Mutex(EventLog())

    private enum Form {
        case table
        case lines
        case json
    }

    /// Creates the display of a command.
    init(_ context: CommandContext) {
        let console = context.console
        self.console = console
        environment = context.environment
        output = LiveOutput { bytes in
            console.print(bytes: bytes)
            // A reader that follows the output expects each event immediately.
            console.flush()
        } note: { text in
            console.note(text)
        }
        form =
            if context.format == "jsonl" { .json } else { console.width == nil ? .lines : .table }
    }

    /// Prints an event, unless the display is a table.
    func show(_ event: MonitorEvent) {
        switch form {
        case .table: return
        case .lines: print(log.withLock { $0.lines(of: event) })
        case .json:
            var writer = JSONWriter()
            event.writeLine(to: &writer)
            output.print(writer.bytes)
        }
    }

    /// Draws the table every second until the task is cancelled, and then a last time.
    func redraw(_ monitor: LiveMonitor) async {
        guard case .table = form else { return }
        while !Task.isCancelled {
            // Skip a redraw while the reader has not consumed the previous table.
            if output.isIdle { draw(monitor) }
            do {
                try await Task.sleep(for: .seconds(1))
            } catch {
                break
            }
        }
        draw(monitor)
    }

    /// Writes the remaining output, or abandons it if the reader is stalled.
    func finish() {
        if case .lines = form { print(log.withLock { $0.finish() }) }
        if !output.finish(within: 2) { console.abandonOutput() }
    }

    private func print(_ lines: [String]) {
        for line in lines { output.print(Array(line.utf8) + [0x0A]) }
    }

    private func draw(_ monitor: LiveMonitor) {
        let summary = monitor.summary
        let table = ChannelTable(
            width: TerminalSize.width(environment: environment) ?? TerminalSize.minimumWidth,
            height: TerminalSize.height)
        let lines = table.lines(
            of: monitor.snapshots, summary: summary,
            buffer: "\(summary.waitingCount) waiting, \(summary.deliveredCount) delivered",
            now: SystemClock().unixMilliseconds)
        let isFirst = isDrawn.withLock { isDrawn in
            defer { isDrawn = true }
            return !isDrawn
        }
        // Move to the top left corner, overwrite each line, and clear the lines below.
        let start = isFirst ? "\u{1B}[2J\u{1B}[H" : "\u{1B}[H"
        let text = lines.map { "\($0)\u{1B}[K\n" }.joined()
        output.print(Array("\(start)\(text)\u{1B}[J".utf8))
    }
}

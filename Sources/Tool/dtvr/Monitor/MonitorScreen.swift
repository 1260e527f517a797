import HostSystem
import StreamMonitor
import Synchronization
import TextForms

/// What the monitor shows: a table that is redrawn on a terminal, lines elsewhere.
final class MonitorScreen: Sendable {
    private let console: Console
    private let form: Form
    private let isDrawn = Mutex(false)

    private enum Form {
        case table(width: Int)
        case lines
        case json
    }

    /// The screen of a command.
    init(_ context: CommandContext) {
        console = context.console
        form =
            if context.format == "jsonl" { .json } else {
                context.console.width.map { .table(width: $0) } ?? .lines
            }
    }

    /// Shows an event where there is no table.
    func show(_ event: MonitorEvent) {
        switch form {
        case .table: return
        case .lines: if let line = event.textLine { console.print(line) }
        case .json:
            var writer = JSONWriter()
            event.writeLine(to: &writer)
            console.print(bytes: writer.bytes)
        }
        // Whoever reads along wants it now.
        console.flush()
    }

    /// Draws the table once a second until the task is cancelled, and once more then.
    func redraw(_ monitor: LiveMonitor) async {
        guard case .table(let width) = form else { return }
        while !Task.isCancelled, !console.isOutputClosed {
            draw(monitor, width)
            do {
                try await Task.sleep(for: .seconds(1))
            } catch {
                break
            }
        }
        draw(monitor, width)
    }

    private func draw(_ monitor: LiveMonitor, _ width: Int) {
        let summary = monitor.summary
        let table = ChannelTable(width: width, height: TerminalSize.height)
        let lines = table.lines(
            of: monitor.snapshots, summary: summary,
            buffer: "\(summary.waitingCount) waiting, \(summary.deliveredCount) delivered",
            now: SystemClock().unixMilliseconds)
        let isFirst = isDrawn.withLock { isDrawn in
            defer { isDrawn = true }
            return !isDrawn
        }
        // To the corner, each line over the one before, and nothing left below.
        let start = isFirst ? "\u{1B}[2J\u{1B}[H" : "\u{1B}[H"
        let text = lines.map { "\($0)\u{1B}[K\n" }.joined()
        console.print(bytes: Array("\(start)\(text)\u{1B}[J".utf8))
        console.flush()
    }
}

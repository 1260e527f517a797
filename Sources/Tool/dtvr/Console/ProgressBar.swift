import Synchronization

/// A progress bar, or a count if the amount of work is unknown, redrawn at most ten times a second.
final class ProgressBar: Sendable {
    private let console: Console
    private let title: String
    private let started = ContinuousClock.now
    private let drawn = Mutex(ContinuousClock.Instant?.none)

    init(_ title: String, on console: Console) {
        self.title = title
        self.console = console
    }

    /// Shows `done` of `total`, with the unit of the count.
    func show(_ done: Int, of total: Int, _ unit: String) {
        show(share: total > 0 ? Double(done) / Double(total) : 0, "\(done) of \(total) \(unit)")
    }

    /// Shows the number of bytes that are done; `total` is nil if their number is unknown.
    func showBytes(_ done: Int, of total: Int?) {
        guard let total, total > 0 else { return showCount(ByteCountText.text(done)) }
        let text = "\(ByteCountText.text(min(done, total))) of \(ByteCountText.text(total))"
        show(share: Double(done) / Double(total), text)
    }

    /// Shows what is done of an unknown amount of work.
    func showCount(_ text: String) {
        guard console.showsProgress, isDue() else { return }
        console.progress("\(title)  \(text)")
    }

    private func show(share: Double, _ text: String) {
        guard console.showsProgress, isDue() else { return }
        let share = min(1, share)
        let filled = Int(share * 24)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
        let percent = Int(share * 100)
        console.progress("\(title) \(bar) \(percent) %  \(text)\(remaining(share))")
    }

    /// Removes the bar.
    func end() { console.endProgress() }

    private func remaining(_ share: Double) -> String {
        let elapsed = started.duration(to: .now) / .seconds(1)
        guard share > 0.02, elapsed > 2 else { return "" }
        let seconds = Int(elapsed / share * (1 - share))
        return seconds < 90 ? "  \(seconds) s left" : "  \(seconds / 60) min left"
    }

    private func isDue() -> Bool {
        let now = ContinuousClock.now
        return drawn.withLock { drawn in
            if let last = drawn, last.duration(to: now) < .milliseconds(100) { return false }
            drawn = now
            return true
        }
    }
}

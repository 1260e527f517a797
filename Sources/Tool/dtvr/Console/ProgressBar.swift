import Synchronization

/// A progress bar, or a count if the amount of work is unknown, redrawn at most ten times a second.
final class ProgressBar: Sendable {
    private struct State {
        var drawn: ContinuousClock.Instant?
        /// The text after the title, without the state of a part.
        var text = ""
    }

    private let console: Console
    private let title: String
    /// The bar of the whole work, if this bar is that of a part of it.
    private let whole: ProgressBar?
    private let started = ContinuousClock.now
    private let state = Mutex(State())

    /// Creates a bar; the bar of a part adds its count to the line of the whole.
    init(_ title: String, on console: Console, partOf whole: ProgressBar? = nil) {
        self.title = title
        self.console = console
        self.whole = whole
    }

    /// The seconds since the bar was created.
    var elapsedSeconds: Double { started.duration(to: .now) / .seconds(1) }

    /// Shows `done` of `total`, with the unit of the count.
    ///
    /// - Parameter skipped: The part of `done` that took no time.
    func show(_ done: Int, of total: Int, _ unit: String, skipped: Int = 0) {
        let share = total > 0 ? Double(done) / Double(total) : 0
        let rest = total - skipped
        let worked = rest > 0 ? Double(done - skipped) / Double(rest) : share
        show(share: share, worked: worked, "\(done) of \(total) \(unit)")
    }

    /// Shows the number of bytes that are done; `total` is nil if their number is unknown.
    func showBytes(_ done: Int, of total: Int?) {
        guard let total, total > 0 else { return showCount(ByteCountText.text(done)) }
        let text = "\(ByteCountText.text(min(done, total))) of \(ByteCountText.text(total))"
        let share = Double(done) / Double(total)
        show(share: share, worked: share, text)
    }

    /// Shows what is done of an unknown amount of work.
    func showCount(_ text: String) {
        guard console.showsProgress else { return }
        if let whole { return whole.draw(part: text) }
        draw(" \(text)")
    }

    /// Shows a share, and the time left by the share of the work that takes time.
    private func show(share: Double, worked: Double, _ text: String) {
        guard console.showsProgress else { return }
        if let whole { return whole.draw(part: text) }
        let share = min(1, share)
        let filled = Int(share * 24)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
        let percent = Int(share * 100)
        draw("\(bar) \(percent) %  \(text)\(remaining(min(1, worked)))")
    }

    /// Removes the bar; the bar of a part leaves that of the whole.
    func end() {
        if whole == nil { console.endProgress() }
    }

    private func remaining(_ share: Double) -> String {
        let elapsed = elapsedSeconds
        guard share > 0.02, elapsed > 2 else { return "" }
        let seconds = Int(elapsed / share * (1 - share))
        return seconds < 90 ? "  \(seconds) s left" : "  \(seconds / 60) min left"
    }

    private func draw(_ text: String) {
        drawIfDue { state in
            state.text = text
            return text
        }
    }

    private func draw(part: String) {
        drawIfDue { state in "\(state.text)  \(part)" }
    }

    private func drawIfDue(_ change: (inout State) -> String) {
        let now = ContinuousClock.now
        let text = state.withLock { state -> String? in
            let text = change(&state)
            if let last = state.drawn, last.duration(to: now) < .milliseconds(100) { return nil }
            state.drawn = now
            return text
        }
        if let text { console.progress(title, text) }
    }
}

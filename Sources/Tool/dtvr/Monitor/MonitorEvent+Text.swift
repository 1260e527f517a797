import NielsenID3
import StreamHealth
import StreamMonitor
import TextForms

extension MonitorEvent {
    /// The event as one line of text; nil for tags, which are too frequent.
    var textLine: String? {
        let what: String
        switch kind {
        case .tag: return nil
        case .state(let from, let to, let reason):
            what = "state    \(from.rawValue) -> \(to.rawValue)" + (reason.isEmpty ? "" : ": \(reason)")
        case .alert(let change, _):
            let alert = change.alert
            what =
                "alert    \(change.word): \(alert.severity.rawValue) \(alert.check.rawValue): \(alert.detail)"
        case .finding(let check, let finding):
            what = "finding  \(finding.status.rawValue) \(check.rawValue): \(finding.detail)"
        case .summary(let summary):
            what =
                "summary  \(ChannelTable.text(of: summary)); \(summary.waitingCount) waiting, "
                + "\(summary.deliveredCount) delivered, \(summary.lostCount) lost"
        }
        let seconds = time / 1_000
        let line = "\(RFC3339.tableText(unixSeconds: seconds)) UTC  \(channel ?? "all")  \(what)"
        return PrintableText.of(line)
    }
}

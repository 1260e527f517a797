import NielsenID3
import StreamHealth
import TextForms

extension MonitorEvent {
    /// A one-line description of an alert for a person; nil for other events.
    var alertSentence: String? {
        guard case .alert(let notice) = kind else { return nil }
        let sentence =
            switch notice {
            case .channel(let action, let alert):
                "Alert \(action.word) for \(alert.channel): \(alert.check.rawValue) (\(alert.severity.rawValue)): "
                    + alert.detail
            case .host(let action, let alert):
                "Alert \(action.word) for \(alert.host): \(alert.check.rawValue) (\(alert.severity.rawValue)): "
                    + alert.detail
            }
        return String(PrintableText.of(sentence).prefix(Self.maximumSentenceLength))
    }

    /// The maximum length of the description, in characters.
    private static let maximumSentenceLength = 1_000
}

extension ChannelAlert.Action {
    fileprivate var word: String {
        switch self {
        case .raise: "raised"
        case .clear: "cleared"
        }
    }
}

import NielsenID3
import StreamHealth
import TextForms

extension MonitorEvent {
    /// An alert as a sentence for a person, in one line; nil for what is no alert.
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

    /// The longest sentence, in characters.
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

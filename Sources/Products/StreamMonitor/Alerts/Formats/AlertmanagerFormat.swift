import NielsenID3
import TextForms

/// Alertmanager: `POST /api/v2/alerts`, as its `openapi.yaml` describes it (`postableAlerts`).
extension [AlertNotice] {
    /// Writes alerts as a list.
    ///
    /// An open alert has no end: Alertmanager keeps it for its `resolve_timeout`.
    func writeAlertmanager(to writer: inout JSONWriter) {
        writer.beginArray()
        for notice in self { notice.writeAlertmanager(to: &writer) }
        writer.endArray()
    }
}

extension AlertNotice {
    fileprivate func writeAlertmanager(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("labels")
        writer.beginObject()
        // The labels identify the alert, so they have nothing that changes while it is open, such as a name.
        writer.write("alertname", alert.check.rawValue)
        writer.write("severity", urgency)
        if let channel = alert.channel { writer.write("channel", channel) }
        if case .host(let host, _) = alert.scope { writer.write("host", host) }
        if !facts.instance.isEmpty { writer.write("instance", facts.instance) }
        writer.endObject()
        writer.key("annotations")
        writer.beginObject()
        writer.write("summary", "\(subject): \(alert.check.rawValue)")
        let annotations = [
            ("description", detail), ("name", facts.name), ("address", facts.address),
            ("channels", channelText),
            ("what_to_do", advice), ("page", facts.page), ("runbook_url", facts.documentation),
            ("evidence", evidence),
        ]
        for (name, text) in annotations {
            guard let text, !text.isEmpty else { continue }
            writer.key(escaping: name)
            writer.value(text)
        }
        writer.endObject()
        writer.key("startsAt")
        writer.value(time: alert.since)
        if isCleared {
            writer.key("endsAt")
            // Alertmanager refuses an end before the start.
            writer.value(time: Swift.max(time, alert.since))
        }
        if let page = facts.page { writer.write("generatorURL", page) }
        writer.endObject()
    }
}

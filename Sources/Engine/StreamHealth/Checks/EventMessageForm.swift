package import NielsenID3
import TimedMedia

extension CheckID {
    /// `carriage.emsg-form`.
    package static let emsgForm = CheckID("carriage.emsg-form")
}

/// `carriage.emsg-form`: scheme, value and version of an event message are those of a form in use, and a repeated id
/// repeats the data too.
struct EventMessageForm: SegmentCheck {
    static let declaration = CheckDeclaration(
        .emsgForm, worst: .warn,
        notRun: "No Nielsen tag came in an event message box.",
        expectation: "Event message boxes have the scheme, value, version and id that players expect",
        title: "An event message departs from the forms in use",
        meaning: """
            In fMP4 a tag travels in an `emsg` box whose scheme, value and version say that it is ID3. This box has a tag in
            it, but in a form that players may not look for; or two boxes have the same id and different tags, of which
            a player may keep only the first.
            """,
        appearance: """
            Expected is `https://aomedia.org/emsg/ID3` with version 1, or `www.nielsen.com:id3:v1` with value `1`
            (DASH). Found was another scheme or value, version 0 where 1 is the rule, or a repeated id.
            `dtvr scan --format jsonl` shows them as `scheme`, `value`, `emsg_version` and `emsg_id`.
            """,
        cause: """
            Packagers made before the CMAF rule wrote schemes of their own (`http://www.id3.org/`,
            `https://developer.apple.com/streaming/emsg-id3`). A counter of ids that starts again with every segment
            repeats them.
            """,
        action: """
            Set the packager's ID3 scheme to `https://aomedia.org/emsg/ID3` and version 1, and find out whether your players
            accept what is there: hls.js for one reads any scheme that contains `/emsg/ID3` or `/emsg-id3`. Ids must
            differ wherever the message does.
            """)

    /// The forms in which Nielsen tags are carried.
    private static let forms: [Form] = [
        Form(scheme: "https://aomedia.org/emsg/ID3", value: nil, versions: [1]),
        Form(scheme: "www.nielsen.com:id3:v1", value: "1", versions: [0, 1]),
        Form(scheme: "https://developer.apple.com/streaming/emsg-id3", value: nil, versions: [1]),
        Form(scheme: "http://www.id3.org/", value: nil, versions: [0]),
    ]

    private struct Form {
        let scheme: String
        /// What the value must be; nil for any.
        let value: String?
        let versions: [UInt8]
    }

    mutating func check(_ reading: SegmentReading, into ledger: inout CheckLedger) {
        for tag in reading.tags {
            guard case .eventMessage(let event) = tag.occurrence.carriage else { continue }
            ledger.markRun(Self.id)
            guard let detail = Self.departure(of: event) else { continue }
            ledger.report(Self.id, .warn, at: tag.place, detail)
        }
        let changed = reading.facts.changedEventMessages
        for id in changed.first {
            ledger.report(
                Self.id, .warn, at: reading.place,
                "event message \(id) comes again with other data: players take it for a repeat and drop it")
        }
        ledger.count(Self.id, .warn, violations: changed.count - changed.first.count)
    }

    /// In what an event message departs from the forms in use; nil where in nothing.
    private static func departure(of event: Carriage.EventMessage) -> String? {
        guard let form = forms.first(where: { $0.scheme == event.schemeIDURI }) else {
            return
                "the event message has the scheme \"\(Self.beginning(of: event.schemeIDURI))\", which no player looks for: "
                + "expected one of \(forms.map(\.scheme).joined(separator: ", "))"
        }
        if let value = form.value, event.value != value {
            return
                "the event message of scheme \(form.scheme) has the value \"\(Self.beginning(of: event.value))\": "
                + "expected \"\(value)\""
        }
        guard form.versions.contains(event.version) else {
            return "the event message of scheme \(form.scheme) has version \(event.version): "
                + "expected \(form.versions.map { "\($0)" }.joined(separator: " or "))"
        }
        return nil
    }

    /// As much of a box's text as a sentence has room for.
    private static func beginning(of text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(80)))
    }
}

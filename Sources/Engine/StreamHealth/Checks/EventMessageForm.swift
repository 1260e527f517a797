package import NielsenID3
import ID3v2

extension CheckID {
    /// `carriage.emsg-form`.
    package static let emsgForm = CheckID("carriage.emsg-form")
}

/// `carriage.emsg-form`: the scheme, value and version of an event message are a known form, and a repeated id repeats
/// the data too.
struct EventMessageForm: SegmentCheck {
    static let declaration = CheckDeclaration(
        .emsgForm, worst: .warn,
        notRun: "No Nielsen tag came in an event message box.",
        expectation: "Event message boxes have the scheme, value, version and id that players expect",
        title: "An event message is not in a form that players expect",
        meaning: """
            In fMP4, a tag travels in an `emsg` box whose scheme, value and version identify it as ID3. Either this box
            carries a tag in a form that players may not recognize, or two boxes have the same id but different tags. In
            the second case, a player may keep only the first.
            """,
        appearance: """
            Expected is `https://aomedia.org/emsg/ID3` with version 1, or `www.nielsen.com:id3:v1` with value `1`
            (DASH). Found was another scheme or value, version 0 where version 1 is required, or a repeated id. `dtvr
            scan --format jsonl` shows them as `scheme`, `value`, `emsg_version` and `emsg_id`.
            """,
        cause: """
            Packagers that predate the CMAF rule use their own schemes (`http://www.id3.org/`,
            `https://developer.apple.com/streaming/emsg-id3`). Ids repeat if the packager restarts its counter with
            every segment.
            """,
        action: """
            Set the packager's ID3 scheme to `https://aomedia.org/emsg/ID3` with version 1, and check whether your
            players accept the current form: hls.js, for example, reads any scheme that contains `/emsg/ID3` or
            `/emsg-id3`. Different messages must have different ids.
            """)

    /// The forms that carry Nielsen tags.
    private static let forms: [Form] = [
        Form(scheme: "https://aomedia.org/emsg/ID3", value: nil, versions: [1]),
        Form(scheme: "www.nielsen.com:id3:v1", value: "1", versions: [0, 1]),
        Form(scheme: "https://developer.apple.com/streaming/emsg-id3", value: nil, versions: [1]),
        Form(scheme: "http://www.id3.org/", value: nil, versions: [0]),
    ]

    private struct Form {
        let scheme: String
        /// The required value; nil if any value is valid.
        let value: String?
        let versions: [UInt8]
    }

    mutating func check(_ content: CheckedSegment, into ledger: inout CheckLedger) {
        for tag in content.tags {
            guard case .eventMessage(let event) = tag.occurrence.carriage else { continue }
            ledger.markRun(Self.id)
            guard let detail = Self.departure(of: event) else { continue }
            ledger.report(Self.id, .warn, at: tag.place, detail)
        }
        let changed = content.facts.changedEventMessages
        for id in changed.first {
            ledger.report(
                Self.id, .warn, at: content.place,
                "event message \(id) is repeated with different data: players drop it as a duplicate")
        }
        ledger.count(Self.id, .warn, violations: changed.count - changed.first.count)
    }

    /// Describes how an event message differs from the known forms, or returns nil if it does not.
    private static func departure(of event: Carriage.EventMessage) -> String? {
        guard let form = forms.first(where: { $0.scheme == event.schemeIDURI }) else {
            return
                "the event message has the scheme \"\(Self.beginning(of: event.schemeIDURI))\", which players do not "
                + "recognize: expected one of \(forms.map(\.scheme).joined(separator: ", "))"
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

    /// The first 80 characters of a text from a box, to keep findings short.
    private static func beginning(of text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(80)))
    }
}

import NielsenID3
import PlayerSession
import StreamHealth

/// `metadata.adloadtype`: in Italy adloadtype is 2.
struct MetadataAdLoadType: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("metadata.adloadtype"), on: [.playback], isOfMarket: true, worst: .fail,
        notRun: "The log has no content metadata of Italy.",
        expectation: "In Italy adloadtype is 2",
        title: "adloadtype is not 2",
        meaning: """
            All content in Italy is measured with dynamic advertisements, also that of broadcasts.
            """,
        appearance: """
            `adloadtype` other than 2 in content metadata.
            """,
        cause: """
            The value of another market.
            """,
        action: """
            Pass `adloadtype` 2.
            """,
        source: "guide 000, DCR Italy Video iOS SDK, Create Content Metadata")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .load(let metadata) = event, player.market == .it, let value = metadata.text("adloadtype")
        else { return }
        findings.run()
        // `metadata.values` has any other value.
        if value == "1" { findings.find("adloadtype is 1") }
    }
}

/// `metadata.audio`: isAudio is never set for video.
struct MetadataAudio: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("metadata.audio"), on: [.call, .playback], worst: .fail,
        notRun: "The log has no content with isAudio: play audio.",
        expectation: "isAudio is never set for video",
        title: "isAudio is set for content that has a picture",
        meaning: """
            isAudio moves the content to the audio ratings. Video with it is lost there.
            """,
        appearance: """
            isAudio is true, and the app reports the size or the visibility of a picture.
            """,
        cause: """
            The flag of the audio player is passed by the video player, too.
            """,
        action: """
            Set isAudio for audio streams only.
            """,
        source: "guide 001, Create Content Metadata; guide 000, DCR Italy AUDIO iOS SDK")

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if case .load(let metadata) = event, metadata["isaudio"] != nil { findings.run() }
    }

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard call.name == .trackViewability, player.isAudio else { return }
        findings.run()
        findings.find("trackViewability reports a picture, and the content is audio")
    }
}

extension FindingRule {
    /// `metadata.keys`: the metadata has the keys that the market requires for its type.
    static let metadataKeys = FindingRule(
        declaration: CheckDeclaration(
            CheckID("metadata.keys"), on: [.call], isOfMarket: true, worst: .fail,
            notRun: "The log has no metadata: play content.",
            expectation: "The metadata has the keys that the market requires for its type",
            title: "A required key is missing",
            meaning: """
                An asset without a required key is not credited, or credited to nothing.
                """,
            appearance: """
                The finding `key.missing` of `loadMetadata`.
                """,
            cause: """
                The content management system has no value, or the app uses the keys of another market.
                """,
            action: """
                Add the key; the guide of the market has a table for each type of asset.
                """,
            source: "guides 001 and 003 to 004, the tables of metadata; guide 000, the page of the market"),
        sentences: [
            "key.missing": "a key is missing that the market requires for this asset"
        ],
        applies: { $0.events.contains(where: \.describesAsset) })
}

extension FindingRule {
    /// `metadata.sections`: in Norway an app has at most 25 sections.
    static let metadataSections = FindingRule(
        declaration: CheckDeclaration(
            CheckID("metadata.sections"), on: [.call], isOfMarket: true, worst: .fail,
            notRun: "The log has no section of an app in Norway: open a page.",
            expectation: "In Norway an app has at most 25 sections",
            title: "An app has more than 25 sections",
            meaning: """
                Values beyond the limit are not reported apart.
                """,
            appearance: """
                The finding `key.value` of `section`, after 25 different values.
                """,
            cause: """
                The address or the title of the page is passed as its section.
                """,
            action: """
                Use the parts of the app, not its pages.
                """,
            source: "guide 001, Aggregation Limits"),
        sentences: ["key.value": "the section is the 26th"],
        judges: { finding, _ in finding.isOfSection },
        applies: { call in
            call.events.contains { event in
                if case .load(let metadata) = event { metadata.text("section") != nil } else { false }
            }
        })
}

extension FindingRule {
    /// `metadata.spelling`: keys are spelled as in the guides.
    static let metadataSpelling = FindingRule(
        declaration: CheckDeclaration(
            CheckID("metadata.spelling"), on: [.call], worst: .warn,
            notRun: "The log has no metadata: play content.",
            expectation: "Keys are spelled as in the guides",
            title: "The capitals of a key differ from those in the guides",
            meaning: """
                This library does not tell capitals apart. Others may ignore the key.
                """,
            appearance: """
                The finding `key.case`.
                """,
            cause: """
                A typing error.
                """,
            action: """
                Spell the key as the guide does.
                """,
            source: "guide 001, Configure Metadata; guide 002, 5.3"),
        sentences: [
            "key.case": "the capitals of a key differ from those in the guides"
        ],
        applies: { call in
            call.events.contains(where: \.describesAsset) || call.name == .play || call.name == .initialize
        })
}

/// `metadata.static`: a static asset has a section.
struct MetadataStatic: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("metadata.static"), on: [.call], worst: .fail,
        notRun: "The log has no static asset: open a page.",
        expectation: "A static asset has a section",
        title: "A static asset has no section",
        meaning: """
            A page is counted by its section. Without one the page view belongs to nothing.
            """,
        appearance: """
            `loadMetadata` or `staticStart` of type static without `section`: a warning if the guide of the market \
            does not require it.
            """,
        cause: """
            The metadata of content is passed for a page.
            """,
        action: """
            Pass `section`, with the name of the part of the app.
            """,
        source: "guide 001, Configure Static Metadata; guide 003, Static Metadata")

    mutating func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        for case .load(let metadata) in call.events where PlayerTimeline.type(of: metadata) == .static {
            findings.run()
            // The guide of some markets requires the key: `metadata.keys` has it.
            let isFound = call.result.details.contains {
                $0.id.rawValue == "key.missing" && $0.key == "section"
            }
            guard metadata.text("section") == nil, !isFound else { continue }
            // The guide of Poland passes static metadata, and does not require the key.
            findings.find("the static asset has no section", as: player.market == nil ? nil : .warn)
        }
    }
}

extension FindingRule {
    /// `metadata.values`: the values of the metadata have the form that the market requires.
    static let metadataValues = FindingRule(
        declaration: CheckDeclaration(
            CheckID("metadata.values"), on: [.call], isOfMarket: true, worst: .fail,
            notRun: "The log has no metadata: play content.",
            expectation: "The values of the metadata have the form that the market requires",
            title: "A value of the metadata is invalid",
            meaning: """
                A value that is too long or of another form is cut off or refused on its way, so that records of one \
                asset do not match.
                """,
            appearance: """
                The findings `key.length`, `key.alphabet`, `key.airdate`, `key.value`, `value.type` and \
                `channel.too-long`.
                """,
            cause: """
                Values are passed as the content management system has them.
                """,
            action: """
                Convert the value to the form in the table of the guide.
                """,
            source: "guides 001 and 003 to 004, the tables of metadata; guide 000, the page of the market"),
        sentences: [
            "key.length": "a value is longer than the market allows",
            "key.alphabet": "an id has characters that the market does not allow",
            "key.airdate": "airdate is not a date in a form of the guides",
            "key.value": "a value is not one that the market allows",
            "value.type": "a value has the wrong type",
            "channel.too-long": "the name of the channel has more than 32 characters",
        ],
        judges: { finding, _ in
            !finding.isOfApp && !finding.isOfPlayhead && !finding.isOfSection && !finding.isOfDevice
        },
        applies: { call in
            switch call.name {
            case .play, .loadMetadata, .staticStart, .updateMetadata, .trackEvent: !call.isWithheld
            default: false
            }
        })
}

extension FindingRule {
    /// `device.values`: reports of the screen, the volume and the viewability are as in the guides.
    static let deviceValues = FindingRule(
        declaration: CheckDeclaration(
            CheckID("device.values"), on: [.call], worst: .fail,
            notRun:
                "The log has no screen, volume or viewability: connect another screen, and change the volume.",
            expectation: "Reports of the screen, the volume and the viewability are as in the guides",
            title: "A report of the device is invalid",
            meaning: """
                The SDK does not count a report that it cannot read, so that the device is credited wrongly.
                """,
            appearance: """
                The findings `key.missing`, `key.value`, `key.length` and `value.type` of `updateOTT`, \
                `trackViewability`, `setVolume`, `setMute`, and of `ottData` in `trackEvent`.
                """,
            cause: """
                A volume from 0 to 1 instead of percent, or the names of the platform for the screen.
                """,
            action: """
                Convert the values to those of the guide.
                """,
            source: "guide 003, DCR & DTVR (ottData) and Data Collected; guide 004, AirPlay"),
        sentences: [
            "key.missing": "a key is missing in the report of the device",
            "key.value": "a value is not one of the guide",
            "key.length": "a value is too long",
            "value.type": "a value has the wrong type",
        ],
        judges: { finding, call in isOfDevice(call) || finding.isOfDevice },
        applies: { call in
            !call.isWithheld
                && (isOfDevice(call) || call.result.details.contains { $0.isOfDevice })
        })

    private static func isOfDevice(_ call: EvaluatedCall) -> Bool {
        switch call.name {
        case .updateOTT, .trackViewability, .setVolume, .setMute: true
        default: false
        }
    }
}

extension PlayerFinding {
    /// Whether the finding is about a position of playback.
    var isOfPlayhead: Bool { id.rawValue.hasPrefix("playhead.") || key == "playheadPosition" }

    /// Whether the finding is about too many sections.
    fileprivate var isOfSection: Bool {
        let limit = MarketProfile.norwayAudio.limits.first { $0.keys == ["section"] }
        return id.rawValue == "key.value" && key?.lowercased() == "section" && expected == limit?.expectation
    }

    /// Whether the finding is about the screen that shows the picture.
    fileprivate var isOfDevice: Bool { key?.lowercased().hasPrefix("ott") ?? false }
}

extension PlayerEvent {
    /// Whether the event has the keys of an asset.
    fileprivate var describesAsset: Bool {
        switch self {
        case .load, .loadWithheld, .update: true
        default: false
        }
    }
}

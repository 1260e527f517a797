import NielsenID3
import PlayerSession
import StreamHealth

/// `tag.form`: each tag is handed over unaltered, with 249 characters.
struct TagForm: FindingRule {
    static let declaration = CheckDeclaration(
        CheckID("tag.form"), worst: .fail,
        notRun: "The log has no tag: play a stream with Nielsen tags.",
        expectation: "Each tag is handed over unaltered, with 249 characters",
        title: "A tag is altered or invalid",
        meaning: """
            The collector decrypts the tag as it was inserted. An altered one is not credited.
            """,
        appearance: """
            The findings `tag.unpadded`, `tag.invalid`, `tag.empty` and `tag.too-long`, or a length other than 249.
            """,
        cause: """
            The integration parses the tag and builds it again, or converts its bytes to text in the wrong encoding.
            """,
        action: """
            Pass the bytes of the tag as the player provides them.
            """,
        source: "guide 002, 5.4.3, sendID3; guide 003, DTVR, id3Data")

    static let sentences = [
        "tag.unpadded": "an offset of the tag has lost its leading zeros",
        "tag.invalid": "the tag is not text, or is base64 that cannot be decoded",
        "tag.empty": "the tag is empty",
        "tag.too-long": "the tag is longer than any tag",
    ]

    static func applies(to call: EvaluatedCall) -> Bool {
        call.name == .sendID3 || call.name == .trackEvent && !call.events.isEmpty
    }

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .tag(let tag) = event, !tag.isUnpadded else { return }
        let count = tag.ownerIdentifier.count
        if count != 249, count <= 32_768 { findings.find("the tag has \(count) characters instead of 249") }
    }
}

package import StreamHealth

/// All rules, in the order of reports.
///
/// To add a rule, add it to a file of `Rules`, and a line here.
package enum RuleRegistry {
    static let rules: [any CertificationRule] = [
        LogReadable(),
        StartInit(),
        FindingRule.startAppKeys,
        StartAppID(),
        StartDebug(),
        StartOptOut(),
        OrderContentFirst(),
        OrderPlay(),
        OrderConstantMetadata(),
        OrderResume(),
        OrderStop(),
        OrderFinalPlayhead(),
        FindingRule.orderCalls,
        FindingRule.playheadValue,
        PlayheadInterval(),
        PlayheadAdvance(),
        PlayheadLive(),
        PlayheadAdStart(),
        PlayheadSeek(),
        TagForm(),
        FindingRule.tagOnce,
        FindingRule.tagAfterEnd,
        TagChannel(),
        TagOffsetSeek(),
        TagOffsetPause(),
        InterruptionBackground(),
        InterruptionResume(),
        FindingRule.metadataKeys,
        FindingRule.metadataValues,
        FindingRule.metadataSpelling,
        MetadataAdLoadType(),
        MetadataStatic(),
        FindingRule.metadataSections,
        MetadataAudio(),
        FindingRule.deviceValues,
        PageVars(),
        PingMetadata(),
        PingLength(),
        PingSession(),
        PingSequence(),
        PingOptOut(),
        PingFirstPartyID(),
        PingPlayhead(),
        StreamRule.againstMissing,
        StreamRule.againstLate,
        StreamRule.againstTwice,
        StreamRule.againstAltered,
        StreamRule.againstForeign,
    ]

    /// The declarations of the rules.
    package static let declarations: [CheckDeclaration] = rules.map(\.declaration)

    /// The places of the rules that judge each kind of event.
    static let ofCalls = places(on: .call)
    static let ofEvents = places(on: .playback)
    static let ofMatches = places(on: .match)
    static let ofPings = places(on: .ping)
    static let ofPages = places(on: .page)

    private static func places(on event: CheckDeclaration.Event) -> [Int] {
        declarations.indices.filter { declarations[$0].events.contains(event) }
    }
}

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

    /// The places of the rules that judge each kind of input.
    static let ofCalls = places(of: .calls)
    static let ofEvents = places(of: .events)
    static let ofMatches = places(of: .matches)
    static let ofPings = places(of: .pings)
    static let ofPages = places(of: .pages)

    private static func places(of input: RuleInputs) -> [Int] {
        rules.indices.filter { rules[$0].inputs.contains(input) }
    }
}

package import StreamHealth

/// All rules, in the order of reports.
///
/// To add a rule, add a file to `Rules` and a line here.
package enum RuleRegistry {
    static let rules: [any CertificationRule.Type] = [
        LogReadable.self,
        StartInit.self,
        StartAppKeys.self,
        StartAppID.self,
        StartDebug.self,
        StartOptOut.self,
        OrderContentFirst.self,
        OrderPlay.self,
        OrderConstantMetadata.self,
        OrderResume.self,
        OrderStop.self,
        OrderFinalPlayhead.self,
        OrderCalls.self,
        PlayheadValue.self,
        PlayheadInterval.self,
        PlayheadAdvance.self,
        PlayheadLive.self,
        PlayheadAdStart.self,
        PlayheadSeek.self,
        TagForm.self,
        TagOnce.self,
        TagAfterEnd.self,
        TagChannel.self,
        TagOffsetSeek.self,
        TagOffsetPause.self,
        InterruptionBackground.self,
        InterruptionResume.self,
        MetadataKeys.self,
        MetadataValues.self,
        MetadataSpelling.self,
        MetadataAdLoadType.self,
        MetadataStatic.self,
        MetadataSections.self,
        MetadataAudio.self,
        DeviceValues.self,
        PageVars.self,
        PingMetadata.self,
        PingLength.self,
        PingSession.self,
        PingSequence.self,
        PingOptOut.self,
        PingFirstPartyID.self,
        PingPlayhead.self,
        AgainstMissing.self,
        AgainstLate.self,
        AgainstTwice.self,
        AgainstAltered.self,
        AgainstForeign.self,
    ]

    /// The declarations of the rules.
    package static let declarations: [CheckDeclaration] = rules.map { $0.declaration }
}

public import NielsenID3

/// All checks, in report order.
///
/// To add a check, add a file to this folder and a line to `checks`. Settings, help, explanations, docs/checks.md and
/// the reports are generated from the list.
package enum CheckRegistry {
    static let checks: [any HealthCheck<StreamEvent, CheckLedger>] = [
        PMTDescriptors(),
        StreamType(),
        PTSMissing(),
        PESIncomplete(),
        PacketsPerTag(),
        Continuity(),
        EventMessageForm(),
        OwnerPresent(),
        ID3Malformed(),
        TagHeader(),
        TagTail(),
        TagFormat(),
        TagChecksum(),
        TagBreakout(),
        TagCount(),
        SequenceStep(),
        TimeGap(),
        TimeOverlap(),
        TimeDuration(),
        TimeRate(),
        TimeAudioSync(),
        TimeWallClock(),
        InfoLate(),
        InfoCIDs(),
        InfoOffsets(),
        OffsetOfNull(),
        NullRun(),
        OffsetAdvance(),
        CIDChange(),
        RenditionTagsDiffer(),
        RenditionTimeDiffers(),
        PresenceSilent(),
        PlaylistStale(),
        PlaylistSequenceGap(),
        PlaylistSequenceBack(),
        PlaylistDiscontinuitySequence(),
        PlaylistSegmentTooLong(),
        PlaylistDateJump(),
        PlaylistVariantDrift(),
        PlaylistHTTP(),
        ChannelEnded(),
        ChannelBackup(),
        SegmentHTTP(),
        SegmentLate(),
        SegmentSlow(),
        SegmentChanged(),
        ChannelOverLimit(),
    ]

    /// The checks of the monitor itself, in their initial state.
    package static let monitorChecks: [any HealthCheck<MonitorFacts, EpisodeBook>] = [
        DeliveryStalled(),
        DeliveryRefused(),
        BufferEvicting(),
        BufferDisk(),
        MonitorOverloaded(),
        MonitorClock(),
    ]

    /// The checks with a row in every verdict.
    private static let verdictChecks = checks.filter { $0.declaration.scope == .stream }

    /// The declarations of the checks with a row in verdicts, in report order.
    package static let declarations: [CheckDeclaration] = verdictChecks.map { $0.declaration }

    /// The declarations of the checks with a row in the monitor only, in report order.
    package static let liveDeclarations: [CheckDeclaration] =
        checks.map { $0.declaration }.filter(\.isOfMonitorOnly) + monitorChecks.map { $0.declaration }

    /// The checks for the presence of tags, which do not run in quiet hours.
    static let presenceChecks = Set(checks.filter { $0.declaration.alerting.judgesPresence }.map { $0.id })

    private static let checksOfEvent = Dictionary(
        uniqueKeysWithValues: CheckDeclaration.Event.allCases.map { event in
            (event, checks.filter { $0.declaration.events.contains(event) })
        })

    /// Returns the checks that judge an event, in their initial state and in report order.
    static func checks(on event: CheckDeclaration.Event) -> [any HealthCheck<StreamEvent, CheckLedger>] {
        checksOfEvent[event] ?? []
    }

    private static let declarationOfID = Dictionary(
        uniqueKeysWithValues: (declarations + liveDeclarations).map { ($0.id, $0) })

    static func declaration(of id: CheckID) -> CheckDeclaration? { declarationOfID[id] }

    /// Returns the rows of one rendition, or of all renditions together.
    static func outcomes(of ledger: CheckLedger, policy: HealthPolicy, duration: Double) -> [CheckOutcome] {
        rows(of: verdictChecks, in: ledger, policy: policy, duration: duration)
    }

    /// Returns the rows of a live channel.
    static func liveOutcomes(of ledger: CheckLedger, policy: HealthPolicy, duration: Double) -> [CheckOutcome]
    {
        rows(of: checks, in: ledger, policy: policy, duration: duration)
    }

    private static func rows(
        of checks: [any HealthCheck<StreamEvent, CheckLedger>], in ledger: CheckLedger, policy: HealthPolicy,
        duration: Double
    ) -> [CheckOutcome] {
        checks.map { check in
            ledger.outcome(
                of: check.declaration, limit: check.rowLimit(policy: policy, duration: duration))
        }
    }
}

extension CheckID {
    /// The ids of the checks with a row in verdicts, in report order.
    public static var all: [CheckID] { CheckRegistry.declarations.map(\.id) }

    /// The ids of the checks with a row in the monitor only, in report order.
    public static var ofMonitorOnly: [CheckID] { CheckRegistry.liveDeclarations.map(\.id) }
}

package import NielsenID3

/// All checks, in report order.
///
/// To add a check, add a file to this folder and a line to `checks`. Settings, help, explanations, docs/checks.md and
/// the reports are generated from the list.
package enum CheckRegistry {
    static let checks: [any HealthCheck.Type] = [
        PMTDescriptors.self,
        StreamType.self,
        PTSMissing.self,
        PESIncomplete.self,
        PacketsPerTag.self,
        Continuity.self,
        EventMessageForm.self,
        OwnerPresent.self,
        ID3Malformed.self,
        TagHeader.self,
        TagTail.self,
        TagFormat.self,
        TagChecksum.self,
        TagBreakout.self,
        TagCount.self,
        SequenceStep.self,
        TimeGap.self,
        TimeOverlap.self,
        TimeDuration.self,
        TimeRate.self,
        TimeAudioSync.self,
        TimeWallClock.self,
        InfoLate.self,
        InfoCIDs.self,
        InfoOffsets.self,
        OffsetOfNull.self,
        NullRun.self,
        OffsetAdvance.self,
        CIDChange.self,
        RenditionTagsDiffer.self,
        RenditionTimeDiffers.self,
        PresenceSilent.self,
        PlaylistStale.self,
        PlaylistSequenceGap.self,
        PlaylistSequenceBack.self,
        PlaylistDiscontinuitySequence.self,
        PlaylistSegmentTooLong.self,
        PlaylistDateJump.self,
        PlaylistVariantDrift.self,
        PlaylistHTTP.self,
        ChannelEnded.self,
        ChannelBackup.self,
        SegmentHTTP.self,
        SegmentLate.self,
        SegmentSlow.self,
        SegmentChanged.self,
        ChannelOverLimit.self,
        DeliveryStalled.self,
        DeliveryRefused.self,
        BufferEvicting.self,
        BufferDisk.self,
        MonitorOverloaded.self,
        MonitorClock.self,
    ]

    /// The checks with a row in every verdict.
    private static let verdictChecks = checks.filter { $0.declaration.scope == .stream }

    /// The declarations of the checks with a row in verdicts, in report order.
    package static let declarations: [CheckDeclaration] = verdictChecks.map { $0.declaration }

    /// The declarations of the checks with a row in the monitor only, in report order.
    package static let liveDeclarations: [CheckDeclaration] = checks.map { $0.declaration }
        .filter(\.isOfMonitorOnly)

    /// The checks of changes in a live playlist from one load to the next.
    static let playlistEventChecks: [any PlaylistEventCheck.Type] = checks.compactMap {
        $0 as? any PlaylistEventCheck.Type
    }

    /// The checks for the presence of tags, which do not run in quiet hours.
    static let presenceChecks = Set(checks.filter { $0.declaration.alerting.judgesPresence }.map { $0.id })

    /// The checks of a single tag.
    static let tagChecks: [any TagCheck.Type] = checks.compactMap { $0 as? any TagCheck.Type }

    /// The checks of the position of a tag in its stream.
    static let placedTagChecks: [any PlacedTagCheck.Type] = checks.compactMap {
        $0 as? any PlacedTagCheck.Type
    }

    /// Creates the segment checks in their initial state.
    static func makeSegmentChecks() -> [any SegmentCheck] {
        checks.compactMap { ($0 as? any SegmentCheck.Type)?.init() }
    }

    /// Creates the checks of the DATA tags of a run, in their initial state.
    static func makeRunChecks() -> [any RunCheck] {
        checks.compactMap { ($0 as? any RunCheck.Type)?.init() }
    }

    private static let declarationOfID = Dictionary(
        uniqueKeysWithValues: checks.map { ($0.id, $0.declaration) })

    static func declaration(of id: CheckID) -> CheckDeclaration? { declarationOfID[id] }

    /// Returns the rows of one rendition, or of all renditions together.
    static func outcomes(of ledger: CheckLedger, policy: HealthPolicy, duration: Double) -> [CheckOutcome] {
        rows(of: verdictChecks, in: ledger, policy: policy, duration: duration)
    }

    /// Returns the rows of a live channel.
    static func liveOutcomes(of ledger: CheckLedger, policy: HealthPolicy, duration: Double) -> [CheckOutcome]
    {
        let channelChecks = checks.filter { $0.declaration.scope != .monitor }
        return rows(of: channelChecks, in: ledger, policy: policy, duration: duration)
    }

    private static func rows(
        of checks: [any HealthCheck.Type], in ledger: CheckLedger, policy: HealthPolicy, duration: Double
    ) -> [CheckOutcome] {
        checks.map { check in
            ledger.outcome(
                of: check.declaration, limit: check.rowLimit(policy: policy, duration: duration))
        }
    }
}

extension CheckID {
    /// The ids of the checks with a row in verdicts, in report order.
    package static var all: [CheckID] { CheckRegistry.declarations.map(\.id) }

    /// The ids of the checks with a row in the monitor only, in report order.
    package static var ofMonitorOnly: [CheckID] { CheckRegistry.liveDeclarations.map(\.id) }
}

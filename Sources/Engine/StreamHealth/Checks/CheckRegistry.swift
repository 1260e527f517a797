package import NielsenID3

/// All checks, in the order of reports.
///
/// A new check is one new file in this folder and one line in `checks`: settings, help, explanations, docs/checks.md
/// and every report follow from the list.
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
    ]

    /// What each check says of itself, in the order of reports.
    package static let declarations: [CheckDeclaration] = checks.map { $0.declaration }

    /// The checks of one tag by itself.
    static let tagChecks: [any TagCheck.Type] = checks.compactMap { $0 as? any TagCheck.Type }

    /// The checks of how one tag lies in its stream.
    static let placedTagChecks: [any PlacedTagCheck.Type] = checks.compactMap {
        $0 as? any PlacedTagCheck.Type
    }

    /// The checks of segments, each without anything seen yet.
    static func makeSegmentChecks() -> [any SegmentCheck] {
        checks.compactMap { ($0 as? any SegmentCheck.Type)?.init() }
    }

    /// The checks of the DATA tags of a run, each without anything seen yet.
    static func makeRunChecks() -> [any RunCheck] {
        checks.compactMap { ($0 as? any RunCheck.Type)?.init() }
    }

    private static let declarationOfID = Dictionary(
        uniqueKeysWithValues: declarations.map { ($0.id, $0) })

    static func declaration(of id: CheckID) -> CheckDeclaration? { declarationOfID[id] }

    /// The rows of one rendition, or of all together.
    static func outcomes(of ledger: CheckLedger, policy: HealthPolicy, duration: Double) -> [CheckOutcome] {
        checks.map { check in
            ledger.outcome(
                of: check.declaration, limit: check.rowLimit(policy: policy, duration: duration))
        }
    }
}

extension CheckID {
    /// The ids of all checks, in the order of reports.
    package static var all: [CheckID] { CheckRegistry.declarations.map(\.id) }
}

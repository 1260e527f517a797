/// All the checks but those between renditions: what a row says besides what was found.
enum CheckCatalogue {
    /// The checks that judge a tag by itself; those of its form are judged together, by `TagForm`.
    static let tagChecks: [any TagCheck.Type] = [
        PacketsPerTagCheck.self, TagChecksumCheck.self, TagBreakoutCheck.self, TagDurationCheck.self,
        AudioSyncCheck.self, WallClockCheck.self, InfoCIDsCheck.self, InfoOffsetsCheck.self,
        OffsetOfNullCheck.self,
    ]

    /// The type of a check; nil for those between renditions, which `RenditionComparison` judges.
    static func type(of id: CheckID) -> (any HealthCheck.Type)? {
        switch id {
        case .pmtDescriptors: ProgramMapDescriptorsCheck.self
        case .streamType: StreamTypeCheck.self
        case .ptsMissing: PresentationTimeCheck.self
        case .pesIncomplete: IncompletePESCheck.self
        case .packetsPerTag: PacketsPerTagCheck.self
        case .continuity: ContinuityCheck.self
        case .emsgForm: EventMessageFormCheck.self
        case .ownerPresent: OwnerPresentCheck.self
        case .id3Malformed: MalformedTagCheck.self
        case .tagHeader: TagHeaderCheck.self
        case .tagTail: TagTailCheck.self
        case .tagFormat: TagFormatCheck.self
        case .tagChecksum: TagChecksumCheck.self
        case .tagBreakout: TagBreakoutCheck.self
        case .tagCount: TagCountCheck.self
        case .sequenceStep: SequenceStepCheck.self
        case .timeGap: TimeGapCheck.self
        case .timeOverlap: TimeOverlapCheck.self
        case .timeDuration: TagDurationCheck.self
        case .timeRate: RateCheck.self
        case .timeAudioSync: AudioSyncCheck.self
        case .timeWallClock: WallClockCheck.self
        case .infoLate: InfoLateCheck.self
        case .infoCIDs: InfoCIDsCheck.self
        case .infoOffsets: InfoOffsetsCheck.self
        case .offsetOfNull: OffsetOfNullCheck.self
        case .nullRun: NullRunCheck.self
        case .offsetAdvance: OffsetAdvanceCheck.self
        case .cidChange: CIDChangeCheck.self
        case .presenceSilent: SilenceCheck.self
        case .renditionTagsDiffer, .renditionTimeDiffers: nil
        }
    }

    /// The rows of one rendition, or of all together, in the order of reports; those between renditions are not run.
    static func outcomes(of ledger: CheckLedger, policy: HealthPolicy, duration: Double) -> [CheckOutcome] {
        CheckID.allCases.map { id in
            guard let type = type(of: id) else {
                let limit: HealthLimit? = id == .renditionTimeDiffers ? .renditionTime : nil
                return CheckOutcome(
                    id: id, status: .notRun, reason: "There is only one rendition.",
                    limit: limit.map { CheckOutcome.Limit(value: policy[$0], unit: $0.unit) })
            }
            var limit = type.limit.map { CheckOutcome.Limit(value: policy[$0], unit: $0.unit) }
            if id == .tagCount {
                let required = TagCountCheck.required(duration: duration, policy: policy)
                limit = CheckOutcome.Limit(value: Double(required), unit: "tags")
            }
            return ledger.outcome(of: id, absence: type.absence, limit: limit)
        }
    }
}

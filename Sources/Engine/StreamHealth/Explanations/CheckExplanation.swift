/// A check in words: what it means that it was hit, what it looks like, what usually causes it, and what to do.
package struct CheckExplanation: Sendable, Hashable {
    /// The check.
    package let id: CheckID
    /// The gravest status that its findings have; `pass` where they are information alone.
    package let worst: CheckStatus
    /// The clock that it judges by; nil where time plays no part.
    package let clock: Clock?
    /// What is wrong, in one line.
    package let title: String
    /// What it means for the stream and for the counting of its viewers.
    package let meaning: String
    /// What it looks like in the bytes, in `dtvr scan` or in a player.
    package let appearance: String
    /// What usually causes it.
    package let cause: String
    /// What to do.
    package let action: String
    /// The limits that it judges by, in the order of their list.
    package let limits: [HealthLimit]

    /// A clock that a check judges by.
    package enum Clock: String, Sendable, Hashable, CaseIterable {
        /// The presentation times of the stream.
        case stream = "pts"
        /// The first and last times that the tags state, in whole seconds.
        case tag
        /// The stream's against the tags'.
        case both
        /// The wall clock.
        case wall
    }

    /// The texts are paragraphs: the line ends in them are blanks.
    init(
        _ id: CheckID, worst: CheckStatus, clock: Clock? = nil, limits: [HealthLimit] = [], title: String,
        meaning: String, appearance: String, cause: String, action: String
    ) {
        self.id = id
        self.worst = worst
        self.clock = clock
        self.limits = limits
        self.title = title
        self.meaning = meaning.replacing("\n", with: " ")
        self.appearance = appearance.replacing("\n", with: " ")
        self.cause = cause.replacing("\n", with: " ")
        self.action = action.replacing("\n", with: " ")
    }
}

extension CheckID {
    /// What the check means, and what to do where it is hit.
    package var explanation: CheckExplanation {
        switch self {
        case .pmtDescriptors: .pmtDescriptors
        case .streamType: .streamType
        case .ptsMissing: .ptsMissing
        case .pesIncomplete: .pesIncomplete
        case .packetsPerTag: .packetsPerTag
        case .continuity: .continuity
        case .emsgForm: .emsgForm
        case .ownerPresent: .ownerPresent
        case .id3Malformed: .id3Malformed
        case .tagHeader: .tagHeader
        case .tagTail: .tagTail
        case .tagFormat: .tagFormat
        case .tagChecksum: .tagChecksum
        case .tagBreakout: .tagBreakout
        case .tagCount: .tagCount
        case .sequenceStep: .sequenceStep
        case .timeGap: .timeGap
        case .timeOverlap: .timeOverlap
        case .timeDuration: .timeDuration
        case .timeRate: .timeRate
        case .timeAudioSync: .timeAudioSync
        case .timeWallClock: .timeWallClock
        case .infoLate: .infoLate
        case .infoCIDs: .infoCIDs
        case .infoOffsets: .infoOffsets
        case .offsetOfNull: .offsetOfNull
        case .nullRun: .nullRun
        case .offsetAdvance: .offsetAdvance
        case .cidChange: .cidChange
        case .renditionTagsDiffer: .renditionTagsDiffer
        case .renditionTimeDiffers: .renditionTimeDiffers
        case .presenceSilent: .presenceSilent
        }
    }
}

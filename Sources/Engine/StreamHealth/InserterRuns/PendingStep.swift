import NielsenID3

/// A place at which the sequence does not step by one, until it can be finished.
///
/// An INFO tag may come up to three places late, and the time between the DATA tags around the place is known only
/// with the later one.
struct PendingStep: Sendable {
    /// How the numbers step.
    enum Kind: Sendable {
        /// Ahead within one run: numbers are missing.
        case ahead
        /// To numbers that have nothing to do with those before.
        case elsewhere
    }

    /// What the tags' clock does over the place.
    enum Timing: Sendable {
        /// No DATA tag came after the place yet.
        case unknown
        /// From the last time of the DATA tag before to the first time of the one after; negative where they overlap.
        case distance(Int, from: UInt32, to: UInt32)
        /// There was no DATA tag before.
        case none
    }

    let kind: Kind
    /// The number before.
    var from: UInt16
    /// The number after.
    var to: UInt16
    /// The tag after.
    var place: Finding.Place
    /// The numbers that did not come yet.
    var missing: [UInt16]
    /// How many of the numbers were filled by tags that are broken.
    var brokenCount: Int
    /// How many of the numbers came late on tags that must not.
    var lateCount = 0
    /// What follows from those.
    var lateOverlaps: [Finding.Consequence] = []
    /// The last time of the DATA tag before; nil where there was none.
    let lastTime: UInt32?
    var timing: Timing

    /// Notes the DATA tag after the place.
    mutating func observe(_ tag: DataTimes, overlap: Double) {
        guard case .unknown = timing else { return }
        guard let lastTime else {
            timing = .none
            return
        }
        // Two inserters that run side by side overlap as they like, as long as time goes on.
        let goesOn = Double(tag.last) >= Double(lastTime) - overlap
        if kind == .elsewhere, tag.first < lastTime, goesOn {
            timing = .distance(0, from: lastTime, to: tag.first)
        } else {
            timing = .distance(Int(tag.first) - Int(lastTime), from: lastTime, to: tag.first)
        }
    }

    /// Takes over another step that follows before any DATA tag did.
    mutating func extend(by later: PendingStep) {
        if missing.isEmpty, lateCount == 0, kind == .ahead {
            from = later.from
            to = later.to
            place = later.place
        }
        missing += later.missing.prefix(max(0, InserterRun.maximumMissingCount - missing.count))
    }

    /// Whether numbers are missing, and the time of their tags with them.
    func isTimeMissing(by policy: HealthPolicy) -> Bool {
        guard !missing.isEmpty, case .distance(let distance, let last, let first) = timing else {
            return false
        }
        return TimeGap.check(
            distance, from: last, to: first, brokenCount: brokenCount, policy: policy
        ).isViolation
    }

    /// Whether the time that follows is known.
    var isTimed: Bool { if case .unknown = timing { false } else { true } }
}

/// The first and last time of a DATA tag, in Unix seconds.
struct DataTimes: Sendable {
    let first: UInt32
    let last: UInt32

    /// Those of a sound DATA tag; nil of any other.
    init?(_ tag: TagOccurrence) {
        guard tag.validKind == .data, let first = tag.tag.firstTime, let last = tag.tag.lastTime else {
            return nil
        }
        self.first = first
        self.last = last
    }
}

/// Numbers of a sequence that wraps at 65536.
enum SequenceNumber {
    /// How many places `end` comes after `start`, 0 to 65535.
    static func distance(from start: UInt16, to end: UInt16) -> Int { Int(end &- start) }
}

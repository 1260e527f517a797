internal import HostSystem

/// The stretches of time in which a buffer's two clocks ran side by side, and the ages that follow from them.
///
/// An epoch ends when the machine starts anew, or when wall and boot clock disagree by more than a minute with
/// what they were. Within one boot the age of a tag is the boot clock's difference, whatever the wall clock did.
/// Over boots it is the wall clock's, and only between two moments at which the clock was vouched for: where a
/// boot's clock never was, all that is known is that the tag is older than the present boot.
///
/// Times are milliseconds: of Unix time by the wall clock, since the machine started by the boot clock.
struct ClockEpochs: Sendable, Hashable {
    struct Epoch: Sendable, Hashable, Codable {
        let number: Int64
        let bootID: String
        /// Wall minus boot clock when the epoch began.
        let offset: Int64
        /// The first sequence that may have been given in it.
        let firstSequence: Int64
        /// Wall minus boot clock at the last moment in this boot when somebody vouched for the wall clock.
        var trustedOffset: Int64?
    }

    static let maximumStep: Int64 = 60_000
    /// A clock that jumps to and fro must not fill the memory; the tags of a forgotten epoch leave by size only.
    static let maximumCount = 64

    private(set) var epochs: [Epoch] = []

    /// No epoch has begun.
    init() {}

    /// Those epochs, as they were written down.
    init(_ epochs: [Epoch]) { self.epochs = Array(epochs.suffix(Self.maximumCount)) }

    /// The epoch of this moment; begun here, from `sequence` on, where the clocks say so.
    ///
    /// - Returns: The epoch's number, and whether anything changed that must be written down.
    mutating func enter(_ moment: ClockReading, sequence: Int64) -> (number: Int64, hasChanged: Bool) {
        let offset = moment.wall &- moment.boot
        var hasChanged = false
        if let last = epochs.last, last.bootID == moment.bootID,
            Self.distance(last.offset, offset) <= Self.maximumStep
        {
            // Still the same.
        } else {
            epochs.append(
                Epoch(
                    number: (epochs.last?.number ?? 0) &+ 1, bootID: moment.bootID, offset: offset,
                    firstSequence: sequence,
                    trustedOffset: epochs.last { $0.bootID == moment.bootID }?.trustedOffset))
            if epochs.count > Self.maximumCount { epochs.removeFirst() }
            hasChanged = true
        }
        let number = epochs[epochs.count - 1].number
        guard moment.isTrusted else { return (number, hasChanged) }
        for index in epochs.indices where epochs[index].bootID == moment.bootID {
            let known = epochs[index].trustedOffset
            guard known.map({ Self.distance($0, offset) > 1_000 }) ?? true else { continue }
            epochs[index].trustedOffset = offset
            hasChanged = true
        }
        return (number, hasChanged)
    }

    /// The sequences of each epoch that is known, oldest first.
    var ranges: [(epoch: Epoch, sequences: ClosedRange<Int64>)] {
        epochs.indices.compactMap { index in
            let first = epochs[index].firstSequence
            let end = index + 1 < epochs.count ? epochs[index + 1].firstSequence : Int64.max
            return first < end ? (epochs[index], first...(end - 1)) : nil
        }
    }

    /// How old a tag is at least.
    ///
    /// - Parameter isWallTrusted: whether somebody vouches for the wall clock at that moment.
    static func age(
        receivedBoot: Int64, in epoch: Epoch, at moment: ClockReading, isWallTrusted: Bool
    ) -> Int64 {
        if epoch.bootID == moment.bootID { return moment.boot &- receivedBoot }
        guard isWallTrusted, let trustedOffset = epoch.trustedOffset else { return moment.boot }
        return max(moment.boot, moment.wall &- (receivedBoot &+ trustedOffset))
    }

    /// Forgets epochs whose tags are all gone.
    mutating func forget(before sequence: Int64) {
        while epochs.count > 1, epochs[1].firstSequence <= sequence { epochs.removeFirst() }
    }

    private static func distance(_ a: Int64, _ b: Int64) -> Int64 {
        a > b ? a &- b : b &- a
    }
}

internal import FoundationEssentials
internal import HostSystem

/// The epochs during which the wall clock and the boot clock ran in step, and the ages derived from them.
///
/// An epoch ends when the machine restarts, or when the difference of the two clocks changes by more than a minute.
/// Within one boot, the age of a tag is the difference on the boot clock, regardless of the wall clock. Across boots,
/// it is the difference on the wall clock, but only between two moments at which that clock was trusted. If a boot's
/// clock never was, the age is only known to be at least the time since the current boot.
///
/// Times are in milliseconds: Unix time for the wall clock, and time since boot for the boot clock.
struct ClockEpochs: Sendable, Hashable {
    struct Epoch: Sendable, Hashable, Codable {
        let number: Int64
        let bootID: String
        /// The difference of wall and boot clock at the start of the epoch.
        let offset: Int64
        /// The first sequence that may belong to the epoch.
        let firstSequence: Int64
        /// The difference of wall and boot clock at the last moment of this boot when the wall clock was trusted.
        var trustedOffset: Int64?
    }

    static let maximumStep: UInt64 = 60_000
    /// The limit on epochs, so that a clock that jumps back and forth cannot fill the memory.
    ///
    /// Tags of a forgotten epoch leave only by eviction, not by expiry.
    static let maximumCount = 64

    private(set) var epochs: [Epoch] = []

    /// Creates an empty list of epochs.
    init() {}

    /// Creates a list from stored epochs.
    init(_ epochs: [Epoch]) { self.epochs = Array(epochs.suffix(Self.maximumCount)) }

    /// Returns the epoch of a moment, and starts a new one at `sequence` if the clocks require it.
    ///
    /// - Returns: The number of the epoch, and whether anything changed that must be stored.
    mutating func enter(_ moment: ClockReading, sequence: Int64) -> (number: Int64, hasChanged: Bool) {
        let offset = moment.wall &- moment.boot
        var hasChanged = false
        if let last = epochs.last, last.bootID == moment.bootID,
            Self.distance(last.offset, offset) <= Self.maximumStep
        {
            // The epoch continues.
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

    /// The known epochs with their sequences, oldest first.
    var ranges: [(epoch: Epoch, sequences: ClosedRange<Int64>)] {
        epochs.indices.compactMap { index in
            let first = epochs[index].firstSequence
            let end = index + 1 < epochs.count ? epochs[index + 1].firstSequence : Int64.max
            return first < end ? (epochs[index], first...(end - 1)) : nil
        }
    }

    /// Returns the minimum age of a tag.
    ///
    /// - Parameter isWallTrusted: Whether the wall clock is trusted at that moment.
    static func age(
        receivedBoot: Int64, in epoch: Epoch, at moment: ClockReading, isWallTrusted: Bool
    ) -> Int64 {
        if epoch.bootID == moment.bootID { return moment.boot &- receivedBoot }
        guard isWallTrusted, let trustedOffset = epoch.trustedOffset else { return moment.boot }
        return max(moment.boot, moment.wall &- (receivedBoot &+ trustedOffset))
    }

    /// Removes the epochs whose tags are all gone.
    mutating func forget(before sequence: Int64) {
        while epochs.count > 1, epochs[1].firstSequence <= sequence { epochs.removeFirst() }
    }

    /// Returns the distance of two numbers, which may come from a damaged file or from a server.
    static func distance(_ a: Int64, _ b: Int64) -> UInt64 {
        UInt64(bitPattern: a > b ? a &- b : b &- a)
    }
}

/// The encoding of epochs as a JSON list for the database.
extension ClockEpochs {
    /// The encoded epochs.
    var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return [UInt8](try encoder.encode(epochs))
        } catch {
            // Encoding numbers and strings does not fail. Without the list, ages are unknown and nothing expires.
            return []
        }
    }

    /// Decodes epochs; the list is empty if the bytes are damaged.
    init(encoded bytes: [UInt8]) {
        do {
            self.init(try JSONDecoder().decode([Epoch].self, from: Data(bytes)))
        } catch {
            self.init()
        }
    }
}

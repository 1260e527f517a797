internal import FoundationEssentials
internal import HostSystem

/// A buffer at a glance, as its owner saw it last.
///
/// The owner writes it to `status.json` at most once a second, in place of the one before; who does not hold the
/// store reads it there.
package struct StoreStatus: Sendable, Hashable, Codable {
    /// Where new tags go.
    package enum State: String, Sendable, Hashable, Codable {
        /// To the disk, within the bound of the settings.
        case normal
        /// To the disk, which has no room for the buffer to grow to its bound.
        case diskFull
        /// To the memory, because the disk takes nothing.
        case degraded
        /// Nowhere.
        case closed
    }

    /// Why the age of a tag that was received before the machine started may be unknown: it stays until the bound in bytes is
    /// reached.
    package enum UnknownAge: String, Sendable, Hashable, Codable {
        /// Nobody vouches for the wall clock now.
        case clockNow
        /// Nobody vouched for the wall clock when the tag was received.
        case clockThen
    }

    /// The buffer's id as text.
    package var storeID: String
    /// The owner's process.
    package var processID: Int32
    /// When this was written, in milliseconds of Unix time by the owner's clock.
    package var written: Int64
    /// Where new tags go.
    package var state: State
    /// The sequence of the newest tag.
    package var lastSequence: Int64
    /// When the oldest tag was received, in milliseconds of Unix time; nil where there is none.
    package var oldestReceived: Int64?
    /// When the newest tag that is still there was received; nil where there is none.
    package var newestReceived: Int64?
    /// How many dead letters can still be listed.
    package var deadLetterCount: Int64
    /// How many tags are in memory only.
    package var overflowCount: Int64
    /// How many tags are in flight: handed out, to be delivered now or next, and not acknowledged yet.
    package var inFlightCount: Int64
    /// What each file takes.
    package var files: StoreFileSizes
    /// What they may take.
    package var maximumByteCount: Int64
    /// How long a tag may stay, in milliseconds.
    package var maximumAgeMilliseconds: Int64
    /// What happens at the bound.
    package var fullPolicy: StoreSettings.FullPolicy
    /// Whether ages are told by a wall clock that somebody vouches for.
    package var isClockTrusted: Bool
    /// Why tags may stay longer than `maximumAgeMilliseconds`; nil where none may.
    package var unknownAge: UnknownAge?
    /// How many transactions were committed since the buffer was opened.
    package var commitCount: Int64
    /// Every tag that was ever offered, and where it is.
    package var totals: StoreTotals
    /// The sender's own state in base64, so that the file stays within its bound.
    private var delivery: String

    /// What all files together take, in bytes.
    package var byteCount: Int64 { files.total }

    /// The sender's own state, as it was set last; empty where there is none, or it is longer than
    /// `maximumDeliveryStateByteCount`.
    package var deliveryState: [UInt8] { Data(base64Encoded: delivery).map(Array.init) ?? [] }

    /// The longest state of a sender that a status has room for.
    package static let maximumDeliveryStateByteCount = 1_536

    init(
        storeID: String, processID: Int32, written: Int64, state: State, lastSequence: Int64,
        database: DatabaseFacts, overflow: Overflow, inFlightCount: Int64, files: StoreFileSizes,
        settings: StoreSettings, isClockTrusted: Bool, unknownAge: UnknownAge?, commitCount: Int64,
        totals: StoreTotals
    ) {
        self.storeID = storeID
        self.processID = processID
        self.written = written
        self.state = state
        self.lastSequence = lastSequence
        oldestReceived = database.oldestReceived ?? overflow.rows.first?.fields.receivedWall
        newestReceived = overflow.rows.last?.fields.receivedWall ?? database.newestReceived
        deadLetterCount = database.deadLetterCount
        overflowCount = Int64(overflow.count)
        self.inFlightCount = inFlightCount
        self.files = files
        maximumByteCount = Int64(settings.maximumByteCount)
        maximumAgeMilliseconds = settings.maximumAge.milliseconds
        fullPolicy = settings.fullPolicy
        self.isClockTrusted = isClockTrusted
        self.unknownAge = totals.inStore > 0 ? unknownAge : nil
        self.commitCount = commitCount
        self.totals = totals
        let fits = database.deliveryState.count <= Self.maximumDeliveryStateByteCount
        delivery = fits ? Data(database.deliveryState).base64EncodedString() : ""
    }

    /// Whether the numbers fit together, as those of a file with a damaged digit do not.
    var isConsistent: Bool {
        let counts = [
            totals.accepted, totals.delivered, totals.inStore, totals.refused, totals.losses.total,
            overflowCount, lastSequence,
        ]
        guard counts.allSatisfy({ (0...Ledger.maximumCount).contains($0) }) else { return false }
        return totals.isBalanced && totals.accepted + overflowCount + totals.losses.memoryLost >= lastSequence
    }

    /// Reads what the owner of a buffer wrote last; nil where there is nothing, or it is damaged.
    package static func lastWritten(in directory: String) -> StoreStatus? {
        StatusFile.read(in: StoreFolder(path: directory))
    }

    /// The keys of `status.json`, which keep the names that they were given first.
    private enum CodingKeys: String, CodingKey {
        case storeID, processID, written, state, lastSequence, oldestReceived, newestReceived, files
        case maximumByteCount, maximumAgeMilliseconds, fullPolicy, isClockTrusted, unknownAge, commitCount,
            totals, delivery
        case deadLetterCount = "deadCount"
        case overflowCount = "memoryCount"
        case inFlightCount = "handedOutCount"
    }
}

internal import FoundationEssentials
internal import HostSystem

/// A snapshot of a buffer, as its owner last saw it.
///
/// The owner replaces `status.json` at most once a second. Other processes read the snapshot from that file.
package struct StoreStatus: Sendable, Hashable, Codable {
    /// The destination of new tags.
    package enum State: String, Sendable, Hashable, Codable {
        /// The disk, within the limit of the settings.
        case normal
        /// The disk, which has no space for the buffer to grow to its limit.
        case diskFull
        /// Memory, because the disk is not writable.
        case degraded
        /// None: the buffer is closed.
        case closed
    }

    /// The reason why the age of a tag from an earlier boot is unknown.
    ///
    /// Such a tag stays until the size limit evicts it.
    package enum UnknownAge: String, Sendable, Hashable, Codable {
        /// The wall clock is not trusted now.
        case clockNow
        /// The wall clock was not trusted when the tag was received.
        case clockThen
    }

    /// The id of the buffer: 32 lowercase hexadecimal digits.
    package var storeID: String
    /// The process id of the owner.
    package var processID: Int32
    /// The time of this snapshot, in Unix milliseconds by the owner's clock.
    package var written: Int64
    /// The destination of new tags.
    package var state: State
    /// The sequence of the newest tag.
    package var lastSequence: Int64
    /// The time when the oldest tag was received, in Unix milliseconds; nil if the buffer is empty.
    package var oldestReceived: Int64?
    /// The time when the newest tag in the buffer was received, in Unix milliseconds; nil if the buffer is empty.
    package var newestReceived: Int64?
    /// The number of dead letters that can still be listed.
    package var deadLetterCount: Int64
    /// The number of tags that are in memory only.
    package var overflowCount: Int64
    /// The number of tags in flight: handed out for this delivery or the next one, and not acknowledged yet.
    package var inFlightCount: Int64
    /// The size of each file.
    package var files: StoreFileSizes
    /// The size limit for all files together.
    package var maximumByteCount: Int64
    /// The maximum age of a tag, in milliseconds.
    package var maximumAgeMilliseconds: Int64
    /// The policy for an append that does not fit.
    package var fullPolicy: StoreSettings.FullPolicy
    /// Whether the wall clock is trusted, so that ages across boots are known.
    package var isClockTrusted: Bool
    /// The reason why tags may stay longer than `maximumAgeMilliseconds`; nil if none may.
    package var unknownAge: UnknownAge?
    /// The number of transactions committed since the buffer was opened.
    package var commitCount: Int64
    /// The number of tags ever offered, by what became of them.
    package var totals: StoreTotals
    /// The sender's state in base64, which keeps the size of the file within its limit.
    private var delivery: String

    /// The size of all files together, in bytes.
    package var byteCount: Int64 { files.total }

    /// The last state that the sender set.
    ///
    /// Empty if the sender has not set one, or if it is longer than `maximumDeliveryStateByteCount`.
    package internal(set) var deliveryState: [UInt8] {
        get { Data(base64Encoded: delivery).map(Array.init) ?? [] }
        set {
            let fits = newValue.count <= Self.maximumDeliveryStateByteCount
            delivery = fits ? Data(newValue).base64EncodedString() : ""
        }
    }

    /// The longest sender state that fits in a status, in bytes.
    package static let maximumDeliveryStateByteCount = 1_536

    /// Creates a status without the facts that are in the database or in memory.
    init(
        storeID: String, processID: Int32, written: Int64, state: State, lastSequence: Int64,
        inFlightCount: Int64, files: StoreFileSizes, settings: StoreSettings, isClockTrusted: Bool,
        unknownAge: UnknownAge?, commitCount: Int64, totals: StoreTotals
    ) {
        self.storeID = storeID
        self.processID = processID
        self.written = written
        self.state = state
        self.lastSequence = lastSequence
        deadLetterCount = 0
        overflowCount = 0
        self.inFlightCount = inFlightCount
        self.files = files
        maximumByteCount = Int64(settings.maximumByteCount)
        maximumAgeMilliseconds = settings.maximumAge.milliseconds
        fullPolicy = settings.fullPolicy
        self.isClockTrusted = isClockTrusted
        self.unknownAge = totals.inStore > 0 ? unknownAge : nil
        self.commitCount = commitCount
        self.totals = totals
        delivery = ""
    }

    /// Whether the numbers are consistent; in a file with a damaged digit they are not.
    var isConsistent: Bool {
        let counts = [
            totals.accepted, totals.delivered, totals.inStore, totals.refused, totals.losses.total,
            overflowCount, lastSequence,
        ]
        guard counts.allSatisfy({ (0...StoreTotals.maximumCount).contains($0) }) else { return false }
        return totals.isBalanced && totals.accepted + overflowCount + totals.losses.memoryLost >= lastSequence
    }

    // MARK: The file

    /// The maximum size of `status.json`, in bytes.
    static let maximumFileByteCount = 4_096

    /// Reads the last status that the owner of a buffer wrote; nil if there is none, or it is damaged.
    package static func lastWritten(in directory: String) -> StoreStatus? {
        do throws(SystemError) {
            let file = try FileDescriptor(
                path: StoreFolder(path: directory).status, options: [.reading, .noFollow, .nonblocking])
            return StoreStatus(encoded: try file.firstBytes(maximumFileByteCount))
        } catch {
            return nil
        }
    }

    /// Decodes a status; nil if it is damaged.
    init?(encoded bytes: [UInt8]) {
        do {
            self = try JSONDecoder().decode(StoreStatus.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    /// Replaces the file, so that readers see either a complete status or none; a failed write is left to the next
    /// status.
    func write(in folder: StoreFolder) {
        let encoder = JSONEncoder()
        // Escaping the slashes of base64 could double its length.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let bytes = [UInt8](try encoder.encode(self))
            let file = try FileDescriptor(
                path: folder.nextStatus, options: [.writing, .create, .truncate, .noFollow])
            try file.write(bytes.span)
            try FileSystem.rename(folder.nextStatus, to: folder.status)
        } catch {
            // Usually the disk is full. The older status stays, with its timestamp.
        }
    }

    /// The keys of `status.json`.
    private enum CodingKeys: String, CodingKey {
        case storeID, processID, written, state, lastSequence, oldestReceived, newestReceived, files
        case maximumByteCount, maximumAgeMilliseconds, fullPolicy, isClockTrusted, unknownAge, commitCount,
            totals, delivery
        case deadLetterCount = "deadCount"
        case overflowCount = "memoryCount"
        case inFlightCount = "handedOutCount"
    }
}

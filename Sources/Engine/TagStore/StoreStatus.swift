internal import FoundationEssentials
import Glibc

/// A store at a glance, as its owner saw it last.
///
/// The owner writes it to `status.json` at most once a second, in place of the one before; who does not hold the
/// store reads it there.
package struct StoreStatus: Sendable, Hashable, Codable {
    /// Where new tags go.
    package enum State: String, Sendable, Hashable, Codable {
        /// To the disk, within the bound of the settings.
        case normal
        /// To the disk, which has no room for the store to grow to its bound.
        case diskFull
        /// To the memory, because the disk takes nothing.
        case degraded
        /// Nowhere.
        case closed
    }

    /// The store's id as text.
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
    /// How many of the refused tags can still be listed.
    package var deadCount: Int64
    /// How many tags are in memory only.
    package var memoryCount: Int64
    /// How many tags were handed out, to be delivered now or next, and are not settled yet; 0 for none.
    package var handedOutCount: Int64
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
    /// How many transactions were committed since the store was opened.
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

    /// What one file may take.
    static let maximumFileByteCount = 4_096

    init(
        storeID: String, processID: Int32, written: Int64, state: State, lastSequence: Int64,
        oldestReceived: Int64?, newestReceived: Int64?, deadCount: Int64, memoryCount: Int64,
        handedOutCount: Int64, files: StoreFileSizes, settings: StoreSettings, isClockTrusted: Bool,
        commitCount: Int64, totals: StoreTotals, deliveryState: [UInt8]
    ) {
        self.storeID = storeID
        self.processID = processID
        self.written = written
        self.state = state
        self.lastSequence = lastSequence
        self.oldestReceived = oldestReceived
        self.newestReceived = newestReceived
        self.deadCount = deadCount
        self.memoryCount = memoryCount
        self.handedOutCount = handedOutCount
        self.files = files
        maximumByteCount = Int64(settings.maximumByteCount)
        maximumAgeMilliseconds = settings.maximumAgeMilliseconds
        fullPolicy = settings.fullPolicy
        self.isClockTrusted = isClockTrusted
        self.commitCount = commitCount
        self.totals = totals
        let fits = deliveryState.count <= Self.maximumDeliveryStateByteCount
        delivery = fits ? Data(deliveryState).base64EncodedString() : ""
    }

    /// Reads what the owner of a store wrote last; nil where there is nothing, or it is damaged.
    package static func lastWritten(in directory: String) -> StoreStatus? {
        let path = StoreDirectory.status(in: directory)
        guard let bytes = FileDescriptor.contents(of: path, maximumByteCount: maximumFileByteCount) else {
            return nil
        }
        do {
            return try JSONDecoder().decode(StoreStatus.self, from: Data(bytes))
        } catch {
            return nil
        }
    }

    /// Writes the status in place of the one before; what cannot be written is written next time.
    func write(to path: String, by way: String) {
        let encoder = JSONEncoder()
        // Escaped, the slashes of base64 could double its length.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let bytes = [UInt8](try encoder.encode(self))
            let file = try FileDescriptor(path: way, flags: O_WRONLY | O_CREAT | O_TRUNC)
            guard file.write(bytes.span) else { return }
            try FileDescriptor.rename(way, to: path)
        } catch {
            // A full disk, as a rule: the older status stays, with its time in it.
        }
    }
}

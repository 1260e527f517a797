import HTTPServing
import Synchronization

/// The storage of a collector's batches.
protocol BatchStorage: Sendable {
    /// The totals.
    var status: CollectorStatus { get }

    /// Stores the new tags of a batch, and returns after they are durable.
    func store(_ batch: ReceivedBatch, _ options: StorageOptions) throws(StorageFailure) -> BatchReceipt
}

/// The circumstances of a batch.
struct StorageOptions {
    /// The name of the sender's token.
    var sender: String
    /// The tags to refuse, with the reason codes.
    var refused: [UInt128: String] = [:]
    /// Whether to store duplicates.
    var isForgetful = false
    /// The current time in Unix milliseconds.
    var now: Int64
}

/// A batch that could not be stored, for now.
struct StorageFailure: Error {
    /// The status of the answer.
    var status = 503
    /// The code in the error body.
    var code: String
    /// The message in the error body.
    var message: String
    /// The time until the sender should try again; nil for at once.
    var retrySeconds: Int?
}

extension StorageFailure {
    /// The sender, or all senders together, use as much as they may.
    static func busy(_ message: String) -> StorageFailure {
        StorageFailure(code: "busy", message: message, retrySeconds: 5)
    }

    /// The answer to the batch.
    var answer: HTTPServerAnswer {
        let retry = retrySeconds.map { HTTPServerRequest.Pair(name: "Retry-After", value: String($0)) }
        return .error(status, code, message, fields: retry.map { [$0] } ?? [])
    }
}

/// Files in a folder, for development and tests.
final class ArchiveStorage: BatchStorage {
    private let archive: Mutex<TagArchive>

    init(folder: String, now: Int64) throws(CollectorError) {
        archive = Mutex(try TagArchive(folder: folder, day: TagArchive.day(unixMilliseconds: now)))
    }

    var status: CollectorStatus { archive.withLock { $0.status } }
    var repairedByteCount: Int { archive.withLock { $0.repairedByteCount } }
    var damagedLineCount: Int { archive.withLock { $0.damagedLineCount } }
    var rememberedIDCount: Int { archive.withLock { $0.rememberedIDCount } }

    func store(_ batch: ReceivedBatch, _ options: StorageOptions) throws(StorageFailure) -> BatchReceipt {
        do {
            return try archive.withLock { archive in
                try archive.store(
                    batch, refusing: options.refused, forgetting: options.isForgetful,
                    day: TagArchive.day(unixMilliseconds: options.now))
            }
        } catch {
            throw StorageFailure(
                code: "storage", message: "the batch could not be stored", retrySeconds: 30)
        }
    }
}

import HostSystem

/// An import of a collector's files into a ledger.
///
/// It only reads the folder, and adds nothing if it is repeated.
package struct ArchiveImport: Sendable {
    /// The number of lines by their result.
    package struct Counts: Sendable, Hashable {
        /// The records that were added.
        package var accepted = 0
        /// The records that the ledger had.
        package var duplicate = 0
        /// The duplicates that differ from the stored record.
        package var differing = 0
        /// The records that PostgreSQL cannot store.
        package var rejected = 0
        /// The lines without a record.
        package var damaged = 0
    }

    /// The name of the sender in the ledger.
    private static let sender = "import"
    /// The id of the sender's store: the files do not contain the ids of the stores that sent their records.
    private static let store = String(repeating: "0", count: 32)
    /// The number of records in a transaction.
    private static let batchCount = 500
    /// The size at which a transaction has fewer records.
    private static let batchByteCount = 4 << 20

    private let folder: String
    private let ledger: Ledger

    /// Creates an import of a folder.
    package init(folder: String, into address: LedgerAddress) {
        self.folder = folder
        ledger = Ledger(address, limits: .unlimited)
    }

    /// Imports the tag files of the folder in the order of their days, until `isCancelled` returns true.
    ///
    /// - Returns: The counts; nil if the folder has no such file.
    package func run(until isCancelled: () -> Bool) throws(CollectorError) -> Counts? {
        let folder = folder
        let names = try CollectorError.wrapping { () throws(SystemError) in
            try FileSystem.names(in: folder).filter { TagArchive.day($0, prefix: "tags-") != nil }.sorted()
        }
        if names.isEmpty { return nil }
        var counts = Counts()
        for name in names where !isCancelled() {
            let file = try CollectorError.wrapping { () throws(SystemError) in
                try LineFile(reading: "\(folder)/\(name)")
            }
            try importFile(file, &counts, until: isCancelled)
        }
        return counts
    }

    private func importFile(
        _ file: borrowing LineFile, _ counts: inout Counts, until isCancelled: () -> Bool
    ) throws(CollectorError) {
        var bytes: [UInt8] = []
        var records: [LedgerBatch.Record] = []
        var failure: LedgerError?
        var imported = counts
        func flush() {
            guard !records.isEmpty, !isCancelled() else { return }
            do throws(LedgerError) {
                let receipt = try ledger.store(
                    LedgerBatch(sender: Self.sender, store: Self.store, bytes: bytes, records: records))
                imported.accepted += receipt.accepted
                imported.duplicate += receipt.duplicate
                imported.differing += receipt.differing
                imported.rejected += receipt.refused.count
            } catch {
                failure = error
            }
            bytes.removeAll(keepingCapacity: true)
            records.removeAll(keepingCapacity: true)
        }
        do throws(SystemError) {
            _ = try file.forEachLine { line, _ in
                do throws(ReceivedBatch.Defect) {
                    let id = try ReceivedBatch.identifier(line.span, 0..<line.count, 1)
                    records.append(.init(id: id.value, range: bytes.count..<bytes.count + line.count))
                    bytes.append(contentsOf: line)
                } catch {
                    imported.damaged += 1
                }
                if records.count == Self.batchCount || bytes.count >= Self.batchByteCount { flush() }
                return failure == nil && !isCancelled()
            }
        } catch {
            throw .system(error)
        }
        if failure == nil { flush() }
        counts = imported
        if let failure { throw .ledger(failure) }
    }
}

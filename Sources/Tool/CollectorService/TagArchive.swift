import HostSystem
import TextForms

/// The accepted tags of a collector: NDJSON files for each day, and the IDs of the last days in memory.
///
///     tags-2026-11-20.ndjson        the tags, each line verbatim
///     batches-2026-11-20.ndjson     a line for each batch: its header and its counts
///
/// A batch's tags are appended and synced before anything else happens. An ID is remembered for eleven to twelve days
/// after its first arrival; the files are never deleted.
struct TagArchive: ~Copyable {
    /// The number of days to remember an ID after the day of its arrival.
    static let rememberedDays = 11

    private let folder: String
    /// The lock file, held for the lifetime of the archive.
    private var lock: LineFile?
    private var tagFile: LineFile?
    private var batchFile: LineFile?
    private var fileDay = Int.min
    /// The remembered IDs, with the day of arrival as days since 1970.
    private var ids: [UInt128: Int32] = [:]
    private var totals = CollectorTotals()
    /// The number of bytes removed from file ends on start, left by a crash during a write.
    private(set) var repairedByteCount = 0
    /// The number of unreadable lines, which were skipped.
    private(set) var damagedLineCount = 0

    init(folder: String, day: Int) throws(CollectorError) {
        self.folder = folder
        try CollectorError.wrapping { () throws(SystemError) in try FileSystem.makeDirectory(folder) }
        let file = try CollectorError.wrapping { () throws(SystemError) in
            try LineFile(path: folder + "/lock")
        }
        if !file.lock() { throw .inUse(path: folder) }
        lock = consume file
        try load(today: day)
    }

    var status: CollectorStatus { totals.status }

    /// The number of remembered IDs.
    var rememberedIDCount: Int { ids.count }

    // MARK: Storing batches

    /// Stores the new tags of a batch, and returns after they are synced to disk.
    ///
    /// - Parameter refused: The tags to refuse, with the reason codes.
    mutating func store(
        _ batch: ReceivedBatch, refusing refused: [UInt128: String], forgetting isForgetful: Bool, day: Int
    ) throws(CollectorError) -> BatchReceipt {
        var receipt = BatchReceipt()
        receipt.rejected = batch.oversized.map { BatchReceipt.RefusedTag(id: $0, code: "too_large") }
        var new: [UInt8] = []
        new.reserveCapacity(batch.bytes.count)
        var newIDs: [UInt128] = []
        for line in batch.lines {
            if let code = refused[line.id.value] {
                receipt.rejected.append(.init(id: line.id, code: code))
            } else if !isForgetful, ids[line.id.value] != nil {
                receipt.duplicate += 1
            } else {
                // An ID keeps the day of its first arrival.
                if ids[line.id.value] == nil {
                    ids[line.id.value] = Int32(clamping: day)
                    newIDs.append(line.id.value)
                }
                new.append(contentsOf: batch.bytes[line.range])
                new.append(UInt8(ascii: "\n"))
                receipt.accepted += 1
            }
        }
        do throws(CollectorError) {
            try openFiles(day: day)
            if !new.isEmpty {
                try CollectorError.wrapping { () throws(SystemError) in
                    try tagFile?.append(new, isSynced: true)
                }
            }
        } catch {
            // Tags that are not on disk do not count as accepted.
            for id in newIDs { ids.removeValue(forKey: id) }
            throw error
        }
        totals.count(receipt, of: batch.header)
        // The tags are already on disk, so a failure to record the counts does not fail the batch.
        do throws(SystemError) {
            try batchFile?.append(Self.line(batch, receipt), isSynced: false)
        } catch {
            damagedLineCount += 1
        }
        return receipt
    }

    private static func line(_ batch: ReceivedBatch, _ receipt: BatchReceipt) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("store")
        writer.value(batch.header.store)
        writer.key("last_seq")
        writer.value(batch.header.lastSequence)
        writer.key("duplicate")
        writer.value(receipt.duplicate)
        writer.key("rejected")
        writer.value(receipt.rejected.count)
        writer.key("accepted")
        writer.value(receipt.accepted)
        writer.endObject()
        // The header was validated on arrival, so it is copied verbatim.
        var line = Array(writer.bytes.dropLast())
        line.append(contentsOf: #","header":"#.utf8)
        line.append(contentsOf: batch.bytes[batch.header.range])
        line.append(contentsOf: "}\n".utf8)
        return line
    }

    private mutating func openFiles(day: Int) throws(CollectorError) {
        if day == fileDay, tagFile != nil { return }
        let name = Self.name(day)
        do throws(SystemError) {
            tagFile = try LineFile(path: "\(folder)/tags-\(name).ndjson")
            batchFile = try LineFile(path: "\(folder)/batches-\(name).ndjson")
            // A new file survives a crash only if its folder is synced.
            try FileSystem.syncDirectory(folder)
        } catch {
            throw .system(error)
        }
        if fileDay != day { forget(before: day) }
        fileDay = day
    }

    private mutating func forget(before day: Int) {
        let oldest = Int32(clamping: day - Self.rememberedDays)
        if ids.values.contains(where: { $0 < oldest }) { ids = ids.filter { $0.value >= oldest } }
    }

    // MARK: Loading

    private mutating func load(today: Int) throws(CollectorError) {
        let folder = folder
        let names = try CollectorError.wrapping { () throws(SystemError) in
            try FileSystem.names(in: folder).sorted()
        }
        for name in names {
            if let day = Self.day(name, prefix: "tags-") {
                try loadTags(name, day: day, isRemembered: day >= today - Self.rememberedDays)
            } else if Self.day(name, prefix: "batches-") != nil {
                try loadBatches(name)
            }
        }
    }

    private mutating func loadTags(_ name: String, day: Int, isRemembered: Bool) throws(CollectorError) {
        let path = "\(folder)/\(name)"
        let file = try CollectorError.wrapping { () throws(SystemError) in try LineFile(path: path) }
        var found: [UInt128] = []
        var validEnd = 0
        var damagedAtEnd = 0
        var damaged = 0
        var count = 0
        try visitLines(of: file) { line, end in
            do throws(ReceivedBatch.Defect) {
                let id = try ReceivedBatch.identifier(line.span, 0..<line.count, 1)
                if isRemembered { found.append(id.value) }
                count += 1
                validEnd = end
                damaged += damagedAtEnd
                damagedAtEnd = 0
            } catch {
                damagedAtEnd += 1
            }
            return true
        }
        for id in found where ids[id] == nil { ids[id] = Int32(clamping: day) }
        totals.counts.accepted += count
        damagedLineCount += damaged
        try repair(file, to: validEnd)
    }

    private mutating func loadBatches(_ name: String) throws(CollectorError) {
        let path = "\(folder)/\(name)"
        let file = try CollectorError.wrapping { () throws(SystemError) in try LineFile(path: path) }
        var records: [(store: String, last: Int64, duplicate: Int64, rejected: Int64)] = []
        var validEnd = 0
        var damaged = 0
        try visitLines(of: file) { line, end in
            var store: String?
            var numbers: [String: Int64] = [:]
            do throws(JSONReader.JSONError) {
                try JSONReader.members(of: line.span, in: 0..<line.count) { key, value, kind in
                    let name = JSONReader.string(line.span, in: key)
                    if kind == .string, name == "store" { store = JSONReader.string(line.span, in: value) }
                    if kind == .number { numbers[name] = JSONReader.integer(line.span, in: value) }
                }
            } catch {
                damaged += 1
                return true
            }
            guard let store, let last = numbers["last_seq"] else {
                damaged += 1
                return true
            }
            validEnd = end
            records.append((store, last, numbers["duplicate"] ?? 0, numbers["rejected"] ?? 0))
            return true
        }
        for record in records {
            totals.counts.duplicate += Int(clamping: max(0, record.duplicate))
            totals.counts.rejected += Int(clamping: max(0, record.rejected))
            totals.countBatch(store: record.store, last: record.last)
        }
        damagedLineCount += damaged
        try repair(file, to: validEnd)
    }

    private func visitLines(
        of file: borrowing LineFile, _ visit: (_ line: [UInt8], _ end: Int) -> Bool
    ) throws(CollectorError) {
        do throws(SystemError) { _ = try file.forEachLine(visit) } catch { throw .system(error) }
    }

    /// Removes an incomplete write after the last valid line; no sender received an acknowledgment for it.
    private mutating func repair(_ file: borrowing LineFile, to end: Int) throws(CollectorError) {
        do throws(SystemError) {
            let size = try file.size()
            guard size > end else { return }
            try file.truncate(to: end)
            try file.sync()
            repairedByteCount += size - end
        } catch {
            throw .system(error)
        }
    }

    // MARK: Days

    /// Returns the UTC day of a time, as days since 1970.
    static func day(unixMilliseconds: Int64) -> Int {
        Int(CivilDate.split(unixMilliseconds: unixMilliseconds).daysSince1970)
    }

    /// Formats a day as `2026-11-20`.
    static func name(_ day: Int) -> String {
        CivilDate(daysSince1970: Int64(day)).text
    }

    /// Parses the day from a file name, or returns nil if the file is not part of the archive.
    static func day(_ name: String, prefix: String) -> Int? {
        guard name.hasPrefix(prefix), name.hasSuffix(".ndjson") else { return nil }
        let text = name.dropFirst(prefix.count).dropLast(7)
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard text.utf8.count == 10, parts.count == 3, let year = Int(parts[0]), let month = Int(parts[1]),
            let date = Int(parts[2]), (1970...9999).contains(year)
        else { return nil }
        return CivilDate(year: year, month: month, day: date).map { Int($0.daysSince1970) }
    }
}

import HostSystem
import TextForms

/// What a collector has accepted: a file of NDJSON for each day, and the ids of the last days in memory.
///
///     tags-2026-11-20.ndjson      the tags, each line as it was sent
///     batches-2026-11-20.ndjson   a line for each batch: its header and what became of its tags
///
/// A batch's tags are appended and synced before anything else happens. An id is remembered for eleven days
/// at least, and for twelve at most, from when it came first; the files stay.
struct TagArchive: ~Copyable {
    /// For how many whole days after the one on which it came an id is remembered.
    static let rememberedDays = 11

    private let folder: String
    /// Held for as long as the archive lives.
    private var lock: ArchiveFile?
    private var tagFile: ArchiveFile?
    private var batchFile: ArchiveFile?
    private var fileDay = Int.min
    /// The ids that are remembered, and the day, counted from 1970, on which each came.
    private var ids: [UInt128: Int32] = [:]
    private var stores: [String: Int64] = [:]
    private(set) var counts = CollectorStatus()
    /// How many bytes at the ends of files were cut off at the start, left by a crash in mid-write.
    private(set) var repairedByteCount = 0
    /// How many lines of the files could not be read, and were passed over.
    private(set) var damagedLineCount = 0

    /// More stores than this are counted with the batches but not listed: an id costs its sender nothing.
    private static let maximumStoreCount = 10_000

    init(folder: String, day: Int) throws(CollectorError) {
        self.folder = folder
        try CollectorError.wrapping { () throws(SystemError) in try FileSystem.makeDirectory(folder) }
        let file = try ArchiveFile(path: folder + "/lock")
        if !file.lock() { throw .inUse(path: folder) }
        lock = consume file
        try load(today: day)
    }

    var status: CollectorStatus {
        var status = counts
        status.stores = stores.sorted { $0.key < $1.key }.map {
            CollectorStatus.Store(id: $0.key, lastSequence: $0.value)
        }
        return status
    }

    /// How many ids are remembered.
    var rememberedIDCount: Int { ids.count }

    // MARK: Taking

    /// Keeps the tags of a batch that are new; on the disk when it returns.
    ///
    /// - Parameter refused: tags that are not to be kept, with the reason.
    mutating func take(
        _ batch: ReceivedBatch, refusing refused: [UInt128: String], forgetting isForgetful: Bool, day: Int
    ) throws(CollectorError) -> BatchReceipt {
        var receipt = BatchReceipt()
        receipt.rejected = batch.oversized.map { BatchReceipt.Rejection(id: $0, code: "too_large") }
        var new: [UInt8] = []
        new.reserveCapacity(batch.bytes.count)
        var newIDs: [UInt128] = []
        for line in batch.lines {
            if let code = refused[line.id.value] {
                receipt.rejected.append(.init(id: line.id, code: code))
            } else if !isForgetful, ids[line.id.value] != nil {
                receipt.duplicate += 1
            } else {
                // An id keeps the day on which it came first.
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
            if !new.isEmpty { try tagFile?.append(new, isSynced: true) }
        } catch {
            // What is not on the disk was not taken.
            for id in newIDs { ids.removeValue(forKey: id) }
            throw error
        }
        count(receipt, store: batch.header.store, last: batch.header.lastSequence)
        // The counts are worth less than the tags: where they do not get through, the tags are kept all the same.
        do throws(CollectorError) {
            try batchFile?.append(Self.line(batch, receipt), isSynced: false)
        } catch {
            damagedLineCount += 1
        }
        return receipt
    }

    private mutating func count(_ receipt: BatchReceipt, store: String, last: Int64) {
        counts.accepted += receipt.accepted
        counts.duplicate += receipt.duplicate
        counts.rejected += receipt.rejected.count
        countBatch(store: store, last: last)
    }

    private mutating func countBatch(store: String, last: Int64) {
        counts.batches += 1
        if let known = stores[store] {
            stores[store] = max(known, last)
        } else if stores.count < Self.maximumStoreCount {
            stores[store] = last
        }
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
        // The header goes in as it came: it was checked when it was read.
        var line = Array(writer.bytes.dropLast())
        line.append(contentsOf: #","header":"#.utf8)
        line.append(contentsOf: batch.bytes[batch.header.range])
        line.append(contentsOf: "}\n".utf8)
        return line
    }

    private mutating func openFiles(day: Int) throws(CollectorError) {
        if day == fileDay, tagFile != nil { return }
        let name = Self.name(day)
        tagFile = try ArchiveFile(path: "\(folder)/tags-\(name).ndjson")
        batchFile = try ArchiveFile(path: "\(folder)/batches-\(name).ndjson")
        // A file that was made is only there after a crash if its folder is synced.
        let folder = folder
        try CollectorError.wrapping { () throws(SystemError) in try FileSystem.syncDirectory(folder) }
        if fileDay != day { forget(before: day) }
        fileDay = day
    }

    private mutating func forget(before day: Int) {
        let oldest = Int32(clamping: day - Self.rememberedDays)
        if ids.values.contains(where: { $0 < oldest }) { ids = ids.filter { $0.value >= oldest } }
    }

    // MARK: Starting

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
        let file = try ArchiveFile(path: "\(folder)/\(name)")
        var found: [UInt128] = []
        var goodEnd = 0
        var badSinceGood = 0
        var bad = 0
        var count = 0
        _ = try file.forEachLine { line, end in
            do throws(ReceivedBatch.Defect) {
                let id = try ReceivedBatch.identifier(line.span, 0..<line.count, 1)
                if isRemembered { found.append(id.value) }
                count += 1
                goodEnd = end
                bad += badSinceGood
                badSinceGood = 0
            } catch {
                badSinceGood += 1
            }
        }
        for id in found where ids[id] == nil { ids[id] = Int32(clamping: day) }
        counts.accepted += count
        damagedLineCount += bad
        try repair(file, to: goodEnd)
    }

    private mutating func loadBatches(_ name: String) throws(CollectorError) {
        let file = try ArchiveFile(path: "\(folder)/\(name)")
        var records: [(store: String, last: Int64, duplicate: Int64, rejected: Int64)] = []
        var goodEnd = 0
        var bad = 0
        _ = try file.forEachLine { line, end in
            var store: String?
            var numbers: [String: Int64] = [:]
            do throws(JSONReader.JSONError) {
                try JSONReader.members(of: line.span, in: 0..<line.count) { key, value, kind in
                    let name = JSONReader.string(line.span, in: key)
                    if kind == .string, name == "store" { store = JSONReader.string(line.span, in: value) }
                    if kind == .number { numbers[name] = JSONReader.integer(line.span, in: value) }
                }
            } catch {
                bad += 1
                return
            }
            guard let store, let last = numbers["last_seq"] else {
                bad += 1
                return
            }
            goodEnd = end
            records.append((store, last, numbers["duplicate"] ?? 0, numbers["rejected"] ?? 0))
        }
        for record in records {
            counts.duplicate += Int(clamping: max(0, record.duplicate))
            counts.rejected += Int(clamping: max(0, record.rejected))
            countBatch(store: record.store, last: record.last)
        }
        damagedLineCount += bad
        try repair(file, to: goodEnd)
    }

    /// Removes what a crash in mid-write left after the last good line: no sender was told that it is kept.
    private mutating func repair(_ file: borrowing ArchiveFile, to end: Int) throws(CollectorError) {
        let size = try file.size()
        guard size > end else { return }
        try file.truncate(to: end)
        try file.sync()
        repairedByteCount += size - end
    }

    // MARK: Days

    /// The day of a time, counted from 1970 in UTC.
    static func day(unixMilliseconds: Int64) -> Int {
        Int(CivilDate.split(unixMilliseconds: unixMilliseconds).daysSince1970)
    }

    /// A day as `2026-11-20`.
    static func name(_ day: Int) -> String {
        CivilDate(daysSince1970: Int64(day)).text
    }

    /// The day that a file's name says; nil where it is not one of the archive's.
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

internal import ByteReading
internal import HostSystem

/// The transfer of the readable content of a damaged database into a new one.
extension DatabaseOpener {
    /// Whether a database that was set aside still waits for its salvage.
    var isSalvageDue: Bool {
        FileSystem.byteCount(of: folder.damagedDatabase) != nil
            || FileSystem.byteCount(of: folder.damagedWriteAheadLog) != nil
    }

    // MARK: Setting aside

    /// Renames a damaged database and its log, so that the next opening salvages them.
    ///
    /// The log is renamed first, so that a new database never finds it. If a salvage is already pending, the newer
    /// database contains nothing but salvaged content and is removed.
    func setAside(because reason: String) throws(StoreError) {
        do throws(SystemError) {
            if isSalvageDue {
                try FileSystem.remove(folder.writeAheadLog)
                try FileSystem.remove(folder.database)
            } else {
                try move(folder.writeAheadLog, to: folder.damagedWriteAheadLog)
                try move(folder.database, to: folder.damagedDatabase)
            }
        } catch {
            throw .damaged(path: folder.database, reason: reason)
        }
        folder.sync()
    }

    /// Completes the renaming if a crash interrupted it.
    func finishSettingAside() throws(StoreError) {
        guard FileSystem.byteCount(of: folder.damagedWriteAheadLog) != nil,
            FileSystem.byteCount(of: folder.damagedDatabase) == nil,
            FileSystem.byteCount(of: folder.writeAheadLog) == nil
        else { return }
        do throws(SystemError) {
            try move(folder.database, to: folder.damagedDatabase)
        } catch {
            throw .system(error)
        }
    }

    private func move(_ path: String, to new: String) throws(SystemError) {
        if FileSystem.byteCount(of: path) != nil { try FileSystem.rename(path, to: new) }
    }

    // MARK: Copying

    /// Copies all intact content, removes the damaged database, and returns the number of salvaged tags.
    ///
    /// Both files together must stay within the size limit. If they would exceed it, the remaining tags are read into
    /// memory and the old file is removed before they are written. The size limit also bounds this memory.
    func salvage(into new: TagDatabase, _ evidence: StoreEvidence) throws(StoreError) -> Int64 {
        do throws(SQLiteFailure) {
            let old = try openDamaged()
            old.readHiddenRows(
                upTo: evidence.highestSequence, count: missingCount(in: old, evidence))
            try copyMetaAndDeadLetters(from: old, to: new)
            let start = try new.tags.lastSequence()
            var rest: [[StoredRow]] = []
            var count = try new.tags.count()
            try old.visitTags(after: start, stepByteCount: budget.maximumAppendByteCount) {
                rows throws(SQLiteFailure) in
                let byteCount = rows.reduce(0) { $0 + $1.byteCount }
                let isTight = folder.byteCount + byteCount * 4 > settings.maximumByteCount
                if isTight || !rest.isEmpty {
                    rest.append(rows)
                } else {
                    try write(rows, to: new)
                    count += Int64(rows.count)
                }
            }
            try removeDamaged()
            for step in rest {
                try write(step, to: new)
                count += Int64(step.count)
            }
            return count
        } catch {
            throw error.storeError
        }
    }

    /// Returns the number of tags that should exist but are on no page of the current database.
    private func missingCount(in old: DamagedDatabase, _ evidence: StoreEvidence) -> Int64 {
        let ledger = evidence.ledger { old.number($0) }
        let known = max(evidence.highestSequence, old.lastSequence, old.number(MetaKey.lastSequence) ?? 0)
        return ledger.missingCount(upTo: known, rowCount: Int64(old.tagCount))
    }

    private func openDamaged() throws(SQLiteFailure) -> DamagedDatabase {
        do throws(SystemError) {
            return try DamagedDatabase(database: folder.damagedDatabase, log: folder.damagedWriteAheadLog)
        } catch {
            throw SQLiteFailure(system: error)
        }
    }

    /// Writes rows, and evicts the oldest tags if a lower size limit has no room for all.
    private func write(_ rows: [StoredRow], to new: TagDatabase) throws(SQLiteFailure) {
        let needed = budget.pageCount(ofRows: rows.count, byteCount: rows.reduce(0) { $0 + $1.byteCount })
        try new.transaction { () throws(SQLiteFailure) in
            while try !new.pages.hasRoom(forPages: needed, within: budget.usablePageCount) {
                let evicted = try new.tags.deleteOldest(in: 0...Int64.max)
                if evicted == 0 { break }
                let before = try new.meta.number(Ledger.evictedKey) ?? 0
                // An invalid count is damage, which the ledger ignores.
                let count = (0...StoreTotals.maximumCount).contains(before) ? before : 0
                try new.meta.setNumber(Ledger.evictedKey, count + evicted)
            }
            for row in rows { try new.tags.append(row) }
        }
    }

    private func copyMetaAndDeadLetters(
        from old: DamagedDatabase, to new: TagDatabase
    ) throws(SQLiteFailure) {
        try new.transaction { () throws(SQLiteFailure) in
            for (key, value) in old.meta where try new.meta.value(key) == nil {
                try new.meta.set(key, value)
            }
            for (row, code, refused) in old.deadLetters {
                try new.deadLetters.restore(row, code: code, refused: refused)
            }
        }
    }

    private func removeDamaged() throws(SQLiteFailure) {
        do throws(SystemError) {
            try FileSystem.remove(folder.damagedWriteAheadLog)
            try FileSystem.remove(folder.damagedDatabase)
        } catch {
            throw SQLiteFailure(system: error)
        }
    }
}

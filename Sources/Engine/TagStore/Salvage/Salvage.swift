internal import ByteReading
internal import HostSystem

/// Takes over what can be read of a damaged database into a new one.
struct Salvage {
    let folder: StoreFolder
    let settings: StoreSettings
    let budget: StoreBudget

    /// Whether a database was set aside and is not salvaged yet.
    var isDue: Bool {
        FileSystem.byteCount(of: folder.damagedDatabase) != nil
            || FileSystem.byteCount(of: folder.damagedWriteAheadLog) != nil
    }

    // MARK: Setting aside

    /// Gives a damaged database the name under which it is salvaged; its log goes first, so that a new database
    /// never finds it.
    ///
    /// Where one is being salvaged already, all that the newer one has is from that, and it is removed.
    func setAside(because reason: String) throws(StoreError) {
        do throws(SystemError) {
            if isDue {
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

    /// Finishes what a crash between the two renamings left.
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

    // MARK: Taking over

    /// Takes over everything that is intact, removes the damaged database, and says how many tags were saved.
    ///
    /// Both files together must stay within the bound. Where they would not, the rest is read into memory, which
    /// the bound bounds too, and the old file removed before it is written.
    func takeOver(into new: TagDatabase, _ evidence: StoreEvidence) throws(StoreError) -> Int64 {
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

    /// How many tags should be there and are on no page that counts.
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

    /// Writes rows, at the cost of the oldest where a lower bound no longer has room for all.
    private func write(_ rows: [StoredRow], to new: TagDatabase) throws(SQLiteFailure) {
        let needed = budget.pageCount(ofRows: rows.count, byteCount: rows.reduce(0) { $0 + $1.byteCount })
        try new.transaction { () throws(SQLiteFailure) in
            while try !new.pages.hasRoom(forPages: needed, within: budget.usablePageCount) {
                let evicted = try new.tags.deleteOldest(in: 0...Int64.max)
                if evicted == 0 { break }
                let before = try new.meta.number(Ledger.evictedKey) ?? 0
                try new.meta.setNumber(Ledger.evictedKey, before + evicted)
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
            for letter in old.deadLetters { try new.deadLetters.restore(letter) }
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

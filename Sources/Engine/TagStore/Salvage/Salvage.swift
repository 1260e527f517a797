internal import ByteReading
internal import HostSystem

/// Takes over what can be read of a damaged database into a new one.
struct Salvage {
    let folder: StoreFolder
    let settings: StoreSettings
    let budget: StoreBudget

    /// Whether a database was set aside and is not salvaged yet.
    var isDue: Bool { FileSystem.byteCount(of: folder.damagedDatabase) != nil }

    // MARK: Setting aside

    /// Gives a damaged database the name under which it is salvaged; its log goes first, so that a new database
    /// never finds it.
    func setAside(because reason: String) throws(StoreError) {
        do throws(SystemError) {
            try FileSystem.remove(folder.damagedDatabase)
            try FileSystem.remove(folder.damagedWriteAheadLog)
            if FileSystem.byteCount(of: folder.writeAheadLog) != nil {
                try FileSystem.rename(folder.writeAheadLog, to: folder.damagedWriteAheadLog)
            }
            try FileSystem.rename(folder.database, to: folder.damagedDatabase)
        } catch {
            throw .damaged(path: folder.database, reason: reason)
        }
        folder.sync()
    }

    /// Finishes what a crash between the two renamings left.
    func finishSettingAside() throws(StoreError) {
        guard FileSystem.byteCount(of: folder.damagedWriteAheadLog) != nil, !isDue,
            FileSystem.byteCount(of: folder.database) != nil
        else { return }
        do throws(SystemError) {
            try FileSystem.rename(folder.database, to: folder.damagedDatabase)
        } catch {
            throw .system(error)
        }
    }

    // MARK: Taking over

    /// Takes over every intact row, removes the damaged database, and says how many tags were saved.
    ///
    /// Both files together must stay within the bound. Where they would not, the rest is read into memory, which
    /// the bound bounds too, and the old file removed before it is written.
    func takeOver(into new: TagDatabase, highestSequence: Int64) throws(StoreError) -> Int64 {
        var count: Int64 = 0
        do throws(SQLiteFailure) {
            let old = try openDamaged()
            try copyMeta(from: old, to: new)
            var position = try new.tags.lastSequence()
            let highest = max(highestSequence, try new.meta.number(MetaKey.lastSequence) ?? 0)
            var rest: [StoredRow] = []
            while let (rows, last) = old.rows(after: position, upTo: highest) {
                position = last
                let byteCount = rows.reduce(0) { $0 + $1.byteCount }
                let isTight = folder.byteCount + byteCount * 4 > settings.maximumByteCount
                if isTight || !rest.isEmpty {
                    rest += rows
                } else {
                    count += try write(rows[...], to: new)
                }
            }
            if !rest.isEmpty {
                try removeDamaged()
                for start in stride(from: 0, to: rest.count, by: StoreBudget.deletionStep) {
                    count += try write(
                        rest[start..<min(start + StoreBudget.deletionStep, rest.count)], to: new)
                }
            }
        } catch {
            // Damage ends the reading: nothing more can be had. Anything else may go away.
            guard error.isDamage else { throw error.storeError }
        }
        do throws(SQLiteFailure) {
            try removeDamaged()
        } catch {
            throw error.storeError
        }
        return count
    }

    private func write(_ rows: ArraySlice<StoredRow>, to new: TagDatabase) throws(SQLiteFailure) -> Int64 {
        try new.transaction { () throws(SQLiteFailure) in
            for row in rows { try new.tags.append(row) }
        }
        return Int64(rows.count)
    }

    private func copyMeta(from old: DamagedDatabase, to new: TagDatabase) throws(SQLiteFailure) {
        let values = old.meta(MetaKey.all)
        try new.transaction { () throws(SQLiteFailure) in
            for (key, value) in values where try new.meta.value(key) == nil { try new.meta.set(key, value) }
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

    // MARK: The first page

    /// Opens what was set aside; where its first page, with the schema, cannot be read, with that of a new one.
    private func openDamaged() throws(SQLiteFailure) -> DamagedDatabase {
        do throws(SQLiteFailure) {
            return try DamagedDatabase(path: folder.damagedDatabase)
        } catch {
            try replaceFirstPage(because: error)
            return try DamagedDatabase(path: folder.damagedDatabase)
        }
    }

    /// Every store has the same schema, made in the same order, so every table's root is on the same page.
    private func replaceFirstPage(because failure: SQLiteFailure) throws(SQLiteFailure) {
        _ = try TagDatabase(path: folder.template, budget: budget, synchronous: settings.synchronous)
        let pageByteCount = StoreBudget.pageByteCount
        do throws(SystemError) {
            var page = try FileSystem.firstBytes(of: folder.template, pageByteCount)
            try FileSystem.remove(folder.template)
            if page.count == pageByteCount, let byteCount = FileSystem.byteCount(of: folder.damagedDatabase) {
                // The count of pages at 28, and no free pages at 32 to 39 (SQLite file format, 1.3).
                let pageCount = UInt32(truncatingIfNeeded: byteCount / pageByteCount)
                page.replaceSubrange(
                    28..<40, with: pageCount.bigEndianBytes + [UInt8](repeating: 0, count: 8))
                let file = try FileDescriptor(path: folder.damagedDatabase, options: .readingAndWriting)
                try file.write(page.span, at: 0)
                return
            }
        } catch {
            throw SQLiteFailure(damage: error.description)
        }
        throw SQLiteFailure(damage: failure.message)
    }
}

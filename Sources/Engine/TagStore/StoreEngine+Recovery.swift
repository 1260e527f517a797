import Glibc

extension StoreEngine {
    /// Opens the database, salvages what an earlier one left, and balances the totals.
    func openDatabase() throws(StoreError) -> OpeningFindings {
        var findings = OpeningFindings()
        var newer: Int64?
        mark = try HighWaterMark(path: path + "/high-water")
        try finishSettingAside()
        do throws(SQLiteFailure) {
            let opened = try TagDatabase(
                path: databasePath, budget: budget, synchronous: settings.synchronous)
            if let problem = try opened.structureProblems().first {
                throw SQLiteFailure(code: 11, message: problem)
            }
            database = opened
        } catch {
            // The lock beside it could be written: then a header that claims to be from the future is damage too.
            let isDamage = error.isDamage || error.isReadOnly && FileDescriptor.isWritable(databasePath)
            if isDamage {
                findings.damage = error.message
                try setAside(because: error.message)
                try openNew()
            } else if error.isReadOnly {
                throw .readOnly(path: path)
            } else if error.isDiskFull {
                try openWithoutBallast()
            } else {
                throw error.storeError
            }
        }
        if FileDescriptor.byteCount(of: damagedPath) != nil {
            if findings.damage == nil { findings.damage = "left by an earlier opening" }
            findings.salvagedCount = try salvage()
        }
        do throws(SQLiteFailure) {
            if let version = try database?.metaNumber(MetaKey.schemaVersion),
                version > TagDatabase.schemaVersion
            {
                newer = version
            }
        } catch {
            throw error.storeError
        }
        if let newer {
            // Without a connection nothing more is written to what a later version made.
            database = nil
            throw .newerSchema(found: newer)
        }
        do throws(SQLiteFailure) {
            try readMeta()
            try balance(&findings)
        } catch {
            throw error.storeError
        }
        return findings
    }

    private var databasePath: String { path + "/tags.sqlite" }
    private var damagedPath: String { path + "/tags.damaged" }

    private func openWithoutBallast() throws(StoreError) {
        ballast.free()
        do throws(SQLiteFailure) {
            database = try TagDatabase(path: databasePath, budget: budget, synchronous: settings.synchronous)
            try database?.checkpoint()
            pinnedPageCount = try database?.allPageCount()
        } catch {
            throw error.storeError
        }
        restoreBallast()
    }

    // MARK: Rescue

    /// Does what helps against a failure of the database, and tries once more.
    func rescue<Result>(
        from failure: SQLiteFailure, _ retry: (TagDatabase) throws(SQLiteFailure) -> Result
    ) throws(StoreError) -> Result {
        if failure.isDamage {
            database = nil
            try setAside(because: failure.message)
            _ = try openDatabase()
        } else if failure.isDiskFull {
            makeRoomOnDisk()
        } else if failure.isSystemFailure {
            database = nil
            try openWithoutBallast()
        } else {
            throw failure.storeError
        }
        let database = try opened()
        do throws(SQLiteFailure) {
            let result = try retry(database)
            if pinnedPageCount != nil { restoreBallast() }
            return result
        } catch {
            throw error.storeError
        }
    }

    /// Gives the ballast to the log, and holds the database to the pages it has.
    ///
    /// The connection stays open: a new one would need a new log, for which there may be no room. The checkpoint
    /// leaves the log its size, so that the next commits write over it and need no more of the disk.
    private func makeRoomOnDisk() {
        ballast.free()
        do throws(SQLiteFailure) {
            try database?.connection.run("PRAGMA wal_checkpoint(PASSIVE)")
            pinnedPageCount = try database?.allPageCount()
        } catch {
            // What is retried now will fail for the same reason, and is answered for there.
        }
    }

    // MARK: Setting aside

    /// Gives a damaged database the name under which it is salvaged; its log goes first, so that a new database
    /// never finds it.
    private func setAside(because reason: String) throws(StoreError) {
        database = nil
        do throws(StoreError) {
            try FileDescriptor.remove(damagedPath)
            try FileDescriptor.remove(damagedPath + "-wal")
            if FileDescriptor.byteCount(of: databasePath + "-wal") != nil {
                try FileDescriptor.rename(databasePath + "-wal", to: damagedPath + "-wal")
            }
            try FileDescriptor.rename(databasePath, to: damagedPath)
            _ = FileDescriptor.syncDirectory(path)
        } catch {
            throw .damaged(path: databasePath, reason: reason)
        }
    }

    private func openNew() throws(StoreError) {
        do throws(SQLiteFailure) {
            database = try TagDatabase(path: databasePath, budget: budget, synchronous: settings.synchronous)
        } catch {
            throw error.storeError
        }
    }

    /// Finishes what a crash between the two renamings left.
    private func finishSettingAside() throws(StoreError) {
        guard FileDescriptor.byteCount(of: damagedPath + "-wal") != nil,
            FileDescriptor.byteCount(of: damagedPath) == nil,
            FileDescriptor.byteCount(of: databasePath) != nil
        else { return }
        try FileDescriptor.rename(databasePath, to: damagedPath)
    }

    /// Takes over what can be read of the database that was set aside, and removes it; says how many tags.
    ///
    /// Both files together must stay within the bound. Where they would not, the rest is read into memory, which
    /// the bound bounds too, and the old file removed before it is written.
    private func salvage() throws(StoreError) -> Int64 {
        var count: Int64 = 0
        do throws(SQLiteFailure) {
            let old = try openDamaged()
            guard let new = database else { return 0 }
            try copyMeta(from: old, to: new)
            var position = max(try new.number("SELECT ifnull(max(seq), 0) FROM tag"), 0)
            var rest: [MemoryRing.Item] = []
            let highest = highestSequence(in: new)
            while let (rows, last) = old.rows(after: position, upTo: highest) {
                position = last
                let byteCount = rows.reduce(0) { $0 + $1.byteCount }
                let isTight = (directory?.byteCount ?? 0) + byteCount * 4 > settings.maximumByteCount
                if isTight || !rest.isEmpty {
                    rest += rows
                } else {
                    count += try write(rows, to: new)
                }
            }
            if !rest.isEmpty {
                try removeDamaged()
                for start in stride(from: 0, to: rest.count, by: StoreBudget.deletionStep) {
                    let end = min(start + StoreBudget.deletionStep, rest.count)
                    count += try write(Array(rest[start..<end]), to: new)
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

    /// Opens what was set aside; where its first page, with the schema, cannot be read, with that of a new one.
    ///
    /// The schema is made in the same order in every store, so every table's root is on the same page.
    private func openDamaged() throws(SQLiteFailure) -> DamagedDatabase {
        do throws(SQLiteFailure) {
            return try DamagedDatabase(path: damagedPath)
        } catch {
            let template = path + "/tags.template"
            _ = try TagDatabase(path: template, budget: budget, synchronous: settings.synchronous)
            let pageByteCount = StoreBudget.pageByteCount
            do throws(StoreError) {
                guard var page = FileDescriptor.contents(of: template, maximumByteCount: pageByteCount),
                    page.count == pageByteCount, let byteCount = FileDescriptor.byteCount(of: damagedPath)
                else { throw .damaged(path: damagedPath, reason: error.message) }
                // The count of pages at 28, and no free pages at 32 to 39 (SQLite file format, 1.3).
                let pageCount = UInt32(truncatingIfNeeded: byteCount / pageByteCount)
                for index in 0..<4 {
                    page[28 + index] = UInt8(truncatingIfNeeded: pageCount >> (24 - 8 * index))
                }
                for index in 32..<40 { page[index] = 0 }
                let file = try FileDescriptor(path: damagedPath, flags: O_RDWR)
                _ = file.write(page.span)
                try FileDescriptor.remove(template)
            } catch {
                throw SQLiteFailure(code: 11, message: error.description)
            }
            return try DamagedDatabase(path: damagedPath)
        }
    }

    private func removeDamaged() throws(SQLiteFailure) {
        do throws(StoreError) {
            try FileDescriptor.remove(damagedPath + "-wal")
            try FileDescriptor.remove(damagedPath)
        } catch {
            throw SQLiteFailure(code: 10, message: error.description)
        }
    }

    private func write(_ rows: [MemoryRing.Item], to new: TagDatabase) throws(SQLiteFailure) -> Int64 {
        try new.transaction { () throws(SQLiteFailure) in
            for row in rows { try new.append(row.fields, body: row.body.span) }
        }
        return Int64(rows.count)
    }

    private func copyMeta(from old: DamagedDatabase, to new: TagDatabase) throws(SQLiteFailure) {
        let values = old.meta(MetaKey.all)
        try new.transaction { () throws(SQLiteFailure) in
            for (key, value) in values where try new.meta(key) == nil { try new.setMeta(key, value) }
        }
    }

    // MARK: Balancing

    private func highestSequence(in database: TagDatabase) -> Int64 {
        var highest = lastCommitted
        if case .sequence(let marked) = mark?.read() { highest = max(highest, marked) }
        do throws(SQLiteFailure) {
            return max(highest, try database.metaNumber(MetaKey.lastSequence) ?? 0)
        } catch {
            return highest
        }
    }

    private func readMeta() throws(SQLiteFailure) {
        guard let database else { return }
        let last = StoreStatus.lastWritten(in: path)
        let isNew = try database.meta(MetaKey.storeID) == nil
        let text =
            try database.meta(MetaKey.storeID).map { String(decoding: $0, as: UTF8.self) } ?? last?.storeID
        // After a failure of the disk what is in memory is newer than what the database says.
        let isReopened = id != StoreID(TagID(high: 0, low: 0))
        if !isReopened { id = StoreID(text.flatMap { TagID(text: $0) } ?? .random()) }
        let areCountersLost = try database.metaNumber(MetaKey.schemaVersion) == nil
        var read = areCountersLost ? last?.totals ?? StoreTotals() : StoreTotals()
        for (key, value) in MetaKey.totals {
            if let number = try database.metaNumber(key), number >= 0 { read[keyPath: value] = number }
        }
        writtenTotals = read
        if isReopened {
            try database.setMeta(MetaKey.epochs, Array(epochs.text.utf8))
        } else {
            counts.begin(with: read.refused)
            totals = read
            acceptedBase = try database.metaNumber(MetaKey.acceptedBase) ?? 0
            epochs = ClockEpochs(
                text: String(decoding: try database.meta(MetaKey.epochs) ?? [], as: UTF8.self))
        }
        guard isNew else { return }
        try database.transaction { () throws(SQLiteFailure) in
            try database.setMeta(MetaKey.storeID, Array(id.text.utf8))
            try database.setMetaNumber(MetaKey.schemaVersion, TagDatabase.schemaVersion)
            for (key, value) in MetaKey.totals { try database.setMetaNumber(key, read[keyPath: value]) }
        }
        _ = FileDescriptor.syncDirectory(path)
    }

    /// Finds the last sequence, counts the rows, and accounts for what is missing.
    private func balance(_ findings: inout OpeningFindings) throws(SQLiteFailure) {
        guard let database else { return }
        var top: Int64 = 0
        while true {
            let highest = try database.number("SELECT ifnull(max(seq), 0) FROM tag")
            var isRight = true
            _ = try database.visitRow(atOrAfter: highest) { _, _, isWhole in
                isRight = isWhole
                return false
            }
            top = highest
            if isRight { break }
            // A row whose number may be the damage would make the count of what is missing wrong.
            _ = try database.delete(highest...highest)
        }
        var known = max(top, lastCommitted)
        switch mark?.read() {
        case .sequence(let marked): known = max(known, marked)
        case .damaged: findings.isHighWaterMarkReadable = false
        case .absent: findings.isHighWaterMarkReadable = top == 0
        case nil: break
        }
        let written = try database.metaNumber(MetaKey.lastSequence) ?? 0
        let last = max(known, written)
        let inStore = try database.number("SELECT count(*) FROM tag")
        lastSequence = max(last, ring.items.last?.fields.sequence ?? 0)
        lastCommitted = last
        var next = totals
        let inMemory = Int64(ring.count)
        next.inStore = inStore + inMemory
        next.accepted = lastSequence + acceptedBase
        let missing = next.accepted - next.delivered - next.losses.total - next.inStore
        if missing > 0 {
            next.losses.damaged += missing
            findings.missingCount = missing
        } else if missing < 0 {
            acceptedBase -= missing
            next.accepted -= missing
        }
        try database.transaction { () throws(SQLiteFailure) in
            if try database.metaNumber(MetaKey.acceptedBase) ?? 0 != acceptedBase {
                try database.setMetaNumber(MetaKey.acceptedBase, acceptedBase)
            }
            writtenSequence = max(writtenSequence, last)
            if last > max(top, written) {
                try database.setMetaNumber(MetaKey.lastSequence, last)
            }
            _ = try epoch(at: moment, in: database)
            try writeTotals(next, to: database)
        }
        totals = next
        writtenTotals = next
        counts.publish(next)
    }
}

internal import HostSystem

/// Opens the database of a buffer: as it is, with the reserve's room where the disk is full, or a new one that takes
/// over what can be read of a damaged one.
struct DatabaseOpener {
    let folder: StoreFolder
    let settings: StoreSettings
    let budget: StoreBudget
    let space: Space

    /// The database, and what was found when it was opened.
    ///
    /// - Parameter highestSequence: The highest sequence that may be in it, as far as anybody knows.
    func open(highestSequence: Int64) throws(StoreError) -> (TagDatabase, OpeningFindings) {
        var findings = OpeningFindings()
        let salvage = Salvage(folder: folder, settings: settings, budget: budget)
        try salvage.finishSettingAside()
        let opened: TagDatabase
        switch openIntact() {
        case .success(let database): opened = database
        case .failure(let failure):
            // The lock beside it could be written: then a header that claims to be from the future is damage too.
            if failure.isDamage || failure.isReadOnly && FileSystem.isWritable(folder.database) {
                findings.damage = failure.message
                try salvage.setAside(because: failure.message)
                opened = try openNew()
            } else if failure.isReadOnly {
                throw .readOnly(path: folder.path)
            } else if failure.isDiskFull {
                opened = try openWithReserve()
            } else {
                throw failure.storeError
            }
        }
        if salvage.isDue {
            if findings.damage == nil { findings.damage = "left by an earlier opening" }
            findings.salvagedCount = try salvage.takeOver(into: opened, highestSequence: highestSequence)
        }
        try checkVersion(of: opened)
        return (opened, findings)
    }

    /// Gives a damaged database the name under which the next opening salvages it.
    func setAside(because reason: String) throws(StoreError) {
        try Salvage(folder: folder, settings: settings, budget: budget).setAside(because: reason)
    }

    /// Opens the database with the room that the reserve held.
    func openWithReserve() throws(StoreError) -> TagDatabase {
        do throws(SQLiteFailure) {
            return try space.openWithReserve(make)
        } catch {
            throw error.storeError
        }
    }

    private func openIntact() -> Result<TagDatabase, SQLiteFailure> {
        do throws(SQLiteFailure) {
            let database = try make()
            if let problem = try database.structureProblems().first {
                return .failure(SQLiteFailure(damage: problem))
            }
            return .success(database)
        } catch {
            return .failure(error)
        }
    }

    private func openNew() throws(StoreError) -> TagDatabase {
        do throws(SQLiteFailure) {
            return try make()
        } catch {
            throw error.storeError
        }
    }

    private func make() throws(SQLiteFailure) -> TagDatabase {
        try TagDatabase(path: folder.database, budget: budget, synchronous: settings.synchronous)
    }

    private func checkVersion(of database: TagDatabase) throws(StoreError) {
        let version: Int64
        do throws(SQLiteFailure) {
            version = try database.meta.number(MetaKey.schemaVersion) ?? 0
        } catch {
            throw error.storeError
        }
        if version > TagDatabase.schemaVersion { throw .newerSchema(found: version) }
    }
}

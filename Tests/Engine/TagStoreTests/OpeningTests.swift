import Foundation
import Glibc
import HostSystem
import TestSupport
import Testing

@testable import TagStore

@Suite(.timeLimit(.minutes(30))) struct OpeningTests {
    private func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test func open_ofANewDirectory_createsItForTheOwnerOnly() async throws {
        let directory = TestDirectory()
        let path = directory.path + "/a/b"
        let store = try await TagBuffer.open(directory: path, clock: ManualClock())
        let facts = try FileManager.default.attributesOfItem(atPath: path)
        #expect(facts[.posixPermissions] as? Int == 0o700)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(
            Set(names) == ["lock", "tags.sqlite", "tags.sqlite-wal", "high-water", "reserve", "status.json"])
        await store.close()
    }

    @Test func open_twice_reportsTheOwningProcess() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await store.append([NewTag(body: [1])])
        await #expect(throws: StoreError.inUse(pid: getpid())) {
            try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        }
        try await store.append([NewTag(body: [2])])
        await store.close()
        let again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await expectConservation(again, offered: 2)
        await again.close()
    }

    /// A store that was not closed releases its lock when it is deinitialized.
    @Test func open_afterTheOwnerIsDeinitialized_succeeds() async throws {
        let directory = TestDirectory()
        do {
            let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
            try await store.append([NewTag(body: [1])])
        }
        while true {
            let again: TagBuffer
            do throws(StoreError) {
                again = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
            } catch .inUse {
                try Task.checkCancellation()
                await Task.yield()
                continue
            }
            try await expectConservation(again, offered: 1)
            await again.close()
            return
        }
    }

    @Test func open_ofADatabaseLockedByAnotherConnection_throwsInUse() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        await store.close()
        let other = try SQLiteConnection(path: directory.path + "/tags.sqlite")
        try other.run("PRAGMA locking_mode=EXCLUSIVE")
        try other.run("BEGIN EXCLUSIVE")
        await #expect(throws: StoreError.inUse(pid: nil)) {
            try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        }
        try other.run("COMMIT")
    }

    @Test func open_ofAFile_throwsNotADirectory() async throws {
        let directory = TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let file = directory.path + "/file"
        try write("text", to: file)
        for path in [file, file + "/below"] {
            await #expect(throws: StoreError.notADirectory(path: path)) {
                try await TagBuffer.open(directory: path, clock: ManualClock())
            }
        }
        await #expect(throws: StoreError.invalidSetting(name: "directory")) {
            try await TagBuffer.open(directory: "", clock: ManualClock())
        }
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "file systems cannot be mounted here"))
    func open_ofAReadOnlyDirectory_throwsReadOnly() async throws {
        let directory = TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        guard let disk = SmallDisk(at: directory.path, byteCount: 4_000_000) else {
            Issue.record("a file system that could be mounted before cannot be now")
            return
        }
        for _ in 0..<2 {
            disk.setReadOnly(true)
            await #expect(throws: StoreError.readOnly(path: disk.path)) {
                try await TagBuffer.open(directory: disk.path, clock: ManualClock())
            }
            await #expect(throws: StoreError.readOnly(path: disk.path + "/new")) {
                try await TagBuffer.open(directory: disk.path + "/new", clock: ManualClock())
            }
            // The error is the same if the directory contains a complete store.
            disk.setReadOnly(false)
            let settings = StoreSettings(maximumByteCount: 2_000_000)
            let store = try await TagBuffer.open(
                directory: disk.path, settings: settings, clock: ManualClock())
            await store.close()
        }
    }

    /// No other user can read a store, even if its files were created with other permissions.
    @Test func files_ofEveryKind_arePrivateToTheOwner() async throws {
        let directory = TestDirectory()
        func expectPrivate(_ when: String) throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                let facts = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + name)
                #expect(facts[.posixPermissions] as? Int == 0o600, "\(name) \(when)")
            }
        }
        for _ in 0..<2 {
            let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
            try await store.append([NewTag(body: [1])])
            try expectPrivate("while it is open")
            await store.close()
            try expectPrivate("when it is closed")
            for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: directory.path + "/" + name)
            }
        }
    }

    /// A link in place of a file must not make the store write to another file.
    @Test(arguments: [
        "lock", "tags.sqlite", "tags.sqlite-wal", "high-water", "reserve", "status.json", "status.json.next",
        "tags.damaged",
    ])
    func symbolicLink_inPlaceOfAFile_isNotFollowed(name: String) async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        await store.close()
        let target = directory.path + "-target"
        try write("not to be touched", to: target)
        defer { try? FileManager.default.removeItem(atPath: target) }
        let path = directory.path + "/" + name
        if FileSystem.byteCount(of: path) != nil { try FileSystem.remove(path) }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        await #expect(throws: StoreError.self) {
            try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "not to be touched")
    }

    /// Tags written to the open files would be lost, so appends are refused.
    @Test func append_afterTheDirectoryIsRemoved_throwsRemoved() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await store.append([NewTag(body: [1])])
        try await store.checkInPlace()
        try FileManager.default.removeItem(atPath: directory.path)
        for _ in 0..<2 {
            await #expect(throws: StoreError.removed(path: directory.path)) {
                try await store.append([NewTag(body: [2])])
            }
            await #expect(throws: StoreError.removed(path: directory.path)) { try await store.checkInPlace() }
            // Another store at the same path is not this one.
            try FileManager.default.createDirectory(
                atPath: directory.path, withIntermediateDirectories: true)
            try write("", to: directory.path + "/lock")
        }
        // Accepted tags can still be delivered.
        #expect(try await store.nextBatch(maximumCount: 10, maximumByteCount: .max).map(\.body) == [[1]])
        await store.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["lock"])
    }

    /// SQLite continues to use files that were deleted or replaced.
    @Test(arguments: ["tags.sqlite", "tags.sqlite-wal"], [false, true])
    func append_afterADatabaseFileIsRemovedOrReplaced_throwsRemoved(name: String, isReplaced: Bool)
        async throws
    {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await store.append([NewTag(body: [1])])
        let path = directory.path + "/" + name
        if isReplaced {
            let copy = directory.path + "-copy"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try FileSystem.rename(copy, to: path)
        } else {
            try FileSystem.remove(path)
        }
        await #expect(throws: StoreError.removed(path: directory.path)) {
            try await store.append([NewTag(body: [2])])
        }
        await #expect(throws: StoreError.removed(path: directory.path)) { try await store.checkInPlace() }
        await #expect(throws: StoreError.removed(path: directory.path)) { try await store.flush() }
        #expect(store.totals().refused == 1)
        #expect(try await store.nextBatch(maximumCount: 10, maximumByteCount: .max).map(\.body) == [[1]])
        let before = try? Data(contentsOf: URL(filePath: path))
        await store.close()
        // Files of other programs at this path are not changed.
        #expect((try? Data(contentsOf: URL(filePath: path))) == before)
    }

    /// Without the file, another process can lock and use the same folder.
    @Test func append_afterTheLockFileIsRemoved_throwsRemoved() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await store.append([NewTag(body: [1])])
        try FileSystem.remove(directory.path + "/lock")
        await #expect(throws: StoreError.removed(path: directory.path)) {
            try await store.append([NewTag(body: [2])])
        }
        #expect(store.totals().refused == 1)
        await store.close()
    }

    @Test func open_ofANewerSchema_isRefused_andChangesNothing() async throws {
        let directory = TestDirectory()
        let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await store.append([NewTag(body: [1])])
        await store.close()
        let path = directory.path + "/tags.sqlite"
        do {
            let database = try TagDatabase(
                path: path, budget: StoreBudget(maximumByteCount: 30_000_000), synchronous: .full)
            try database.meta.setNumber(MetaKey.schemaVersion, 3)
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        await #expect(throws: StoreError.newerSchema(found: 3)) {
            try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        }
        // SQLite counts openings in the header of the file, which is therefore not compared.
        let after = try Data(contentsOf: URL(fileURLWithPath: path)).dropFirst(100)
        #expect(after == bytes.dropFirst(100))
    }

    /// An earlier release must not open a database whose rows it would consider damaged.
    @Test func open_ofAnOlderSchema_upgradesIt() async throws {
        let directory = TestDirectory()
        var store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        try await store.append([NewTag(body: [1])])
        await store.close()
        let path = directory.path + "/tags.sqlite"
        func database() throws -> TagDatabase {
            try TagDatabase(
                path: path, budget: StoreBudget(maximumByteCount: 30_000_000), synchronous: .full)
        }
        do { try database().meta.setNumber(MetaKey.schemaVersion, 1) }
        store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
        #expect(try await store.tags(maximumCount: 9).map(\.body) == [[1]])
        await store.close()
        #expect(try database().meta.number(MetaKey.schemaVersion) == 2)
    }

    /// The sequence of a removed tag is never reused, even if neither a row nor the high-water mark records it.
    @Test(arguments: ["delivered", "rejected", "pruned", "expired", "evicted"])
    func open_ofAnEmptiedStore_reusesNoSequence(cause: String) async throws {
        let directory = TestDirectory()
        let clock = ManualClock()
        let settings = StoreSettings(maximumByteCount: 2_000_000)
        var source = BodySource(seed: 10)
        var store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
        var last: Int64 = 0
        repeat {
            last = try #require(try await store.append(source.tags(0..<40)).sequences).upperBound
        } while cause == "evicted" && store.losses().evicted == 0
        switch cause {
        case "delivered": try await store.acknowledge(Acknowledgement(delivered: [Int64](1...last)))
        case "rejected":
            let refused = (1...last).map { Acknowledgement.Refusal(sequence: $0, code: "no") }
            try await store.acknowledge(Acknowledgement(delivered: [], refused: refused))
        case "expired":
            clock.advance(by: settings.maximumAge + .milliseconds(1))
            try await store.expire()
        default: try await store.prune(olderThan: .zero)
        }
        #expect(store.totals().inStore == 0)
        await store.close()
        try FileManager.default.removeItem(atPath: directory.path + "/high-water")
        for round in 1...2 {
            // The second opening finds the record of the first one, not that of the removal.
            store = try await TagBuffer.open(directory: directory.path, settings: settings, clock: clock)
            #expect(store.findings.missingCount == 0)
            if round == 2 {
                let next = last + 1
                #expect(try await store.append([NewTag(body: [1])]).sequences == next...next)
            }
            try await expectConservation(store, offered: Int(last) + round - 1)
            await store.close()
        }
    }

    @Test func open_withSettingsOutOfRange_isRefused() async {
        var cases: [(StoreSettings, String)] = []
        cases.append((StoreSettings(maximumByteCount: 1_999_999), "maximumByteCount"))
        cases.append((StoreSettings(maximumAge: .zero), "maximumAge"))
        cases.append((StoreSettings(maximumMemoryByteCount: -1), "maximumMemoryByteCount"))
        let dictionary = BodyDictionary(version: 1, bytes: [])
        cases.append((StoreSettings(dictionaries: [dictionary]), "dictionaries"))
        let twice = BodyDictionary(version: 2, bytes: [])
        cases.append((StoreSettings(dictionaries: [twice, twice]), "dictionaries"))
        for (settings, name) in cases {
            await #expect(throws: StoreError.invalidSetting(name: name)) {
                try await TagBuffer.open(
                    directory: TestDirectory().path, settings: settings, clock: ManualClock())
            }
        }
    }

    @Test func tagID_asText_roundTrips() {
        let id = TagID(high: 0x0123_4567_89AB_CDEF, low: 0xF)
        #expect(id.text == "0123456789abcdef000000000000000f")
        #expect(TagID(text: id.text) == id)
        #expect(TagID(text: id.text.uppercased()) == id)
        #expect(TagID(bytes: id.bytes.span) == id)
        for text in ["", "0123", id.text + "0", "g" + id.text.dropFirst()] {
            #expect(TagID(text: text) == nil)
        }
        #expect(TagID.random() != TagID.random())
    }

    @Test func randomTagIDs_ofAnyCount_areUnique() {
        for count in 0...40 {
            let ids = TagID.random(count: count)
            #expect(ids.count == count)
            #expect(Set(ids).count == count)
            #expect(!ids.contains(TagID(high: 0, low: 0)))
        }
    }
}

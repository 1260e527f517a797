import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// The store opens with any error that SQLite reports for a damaged file, salvages intact rows and counts the rest.
@Suite(.timeLimit(.minutes(30))) struct SalvageTests {
    private static let database = "tags.sqlite"

    /// Two pages contain the same rows.
    ///
    /// A second row with the same sequence is a copy, and the salvage must continue.
    @Test func database_withAPageCopiedOverAnother_isSalvaged() async throws {
        let sample = try await StoreSample(tagCount: 400, isClosed: true)
        for (from, to) in [(12, 20), (20, 12), (11, 12), (30, 5)] {
            let damaged = sample.replacing(Self.database) { bytes in
                bytes.replaceSubrange(
                    (to - 1) * 4_096..<to * 4_096, with: bytes[(from - 1) * 4_096..<from * 4_096])
            }
            let opened = try await damaged.open("page \(from) over \(to)")
            #expect(opened.findings.damage != nil)
            #expect(opened.found.count >= 380, "\(opened.found.count) of 400")
            #expect(opened.totals.accepted == 400)
            #expect(opened.totals.losses.damaged == Int64(400 - opened.found.count))
        }
    }

    /// The pointers of an interior page refer to the wrong leaves, but all leaves and their tags are intact.
    @Test func database_withAFlippedLeafPointer_losesNothing() async throws {
        let sample = try await StoreSample(tagCount: 400, isClosed: true)
        let bytes = try #require(sample.files[Self.database])
        // The root of the table is an interior page, whose cells start with a page number.
        let root = try #require(
            (0..<bytes.count / 4_096).first { bytes[$0 * 4_096 + ($0 == 0 ? 100 : 0)] == 0x05 })
        let cellCount = Int(bytes[root * 4_096 + 3]) << 8 | Int(bytes[root * 4_096 + 4])
        #expect(cellCount > 20)
        for cell in 0..<cellCount {
            let place = root * 4_096 + 12 + cell * 2
            let pointer = root * 4_096 + (Int(bytes[place]) << 8 | Int(bytes[place + 1])) + 3
            let opened = try await sample.replacing(Self.database) { $0[pointer] ^= 1 }.open("cell \(cell)")
            #expect(opened.found == sample.waiting, "cell \(cell): \(opened.found.count)")
            #expect(opened.totals == sample.totals, "cell \(cell)")
        }
    }

    /// Every bit of the file header, and one bit of every third byte of the schema.
    @Test func firstPage_withAnyBitFlipped_losesNothing() async throws {
        let sample = try await StoreSample(
            tagCount: 100, delivered: 10, refused: 2, isClosed: true)
        let bytes = try #require(sample.files[Self.database])
        let schema = (108..<4_096).filter { bytes[$0] != 0 }
        #expect(schema.count > 400)
        let bits = Array(0..<108 * 8) + schema.filter { $0 % 3 == 0 }.map { $0 * 8 + $0 % 8 }
        for bit in bits {
            let opened = try await sample.replacing(Self.database) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
                .open("bit \(bit % 8) of byte \(bit / 8)")
            #expect(opened.found == sample.waiting, "bit \(bit % 8) of byte \(bit / 8)")
            #expect(opened.totals == sample.totals, "bit \(bit % 8) of byte \(bit / 8)")
        }
    }

    /// Tags that are only in the log, after a flipped bit, where SQLite stops reading.
    @Test func log_damagedNearItsStart_losesOnlyThatPage() async throws {
        let sample = try await StoreSample(tagCount: 200, isClosed: false)
        let frameByteCount = StoreBudget.frameByteCount
        for offset in [0, 10, 20, 30, 32 + 8, 32 + 2 * frameByteCount + 3, 32 + 8 * frameByteCount + 1_000] {
            let opened = try await sample.replacing("tags.sqlite-wal") { $0[offset] ^= 4 }
                .open("byte \(offset)")
            #expect(opened.found.count >= 190, "byte \(offset): \(opened.found.count)")
            #expect(opened.totals.accepted == 200)
            #expect(opened.totals.losses.damaged == Int64(200 - opened.found.count))
        }
    }

    /// The database is empty, but its log still contains the newest tags.
    @Test func emptyDatabase_withLog_isSalvagedFromTheLog() async throws {
        let sample = try await StoreSample(tagCount: 200, isClosed: false)
        let opened = try await sample.replacing(Self.database) { $0 = [] }.open("empty")
        #expect(opened.found.count > 60)
        #expect(opened.totals.accepted == 200)
        #expect(opened.totals.losses.damaged == Int64(200 - opened.found.count))
    }

    /// The database is truncated and the other files are damaged, but the folder still is a store, which opens empty.
    @Test(arguments: [0, 1, 20, 99, 101, 4_095])
    func store_withEveryFileDamaged_opensEmpty(byteCount: Int) async throws {
        let sample = try await StoreSample(tagCount: 40, isClosed: true)
        let opened = try await sample.replacing(Self.database) { $0 = Array($0.prefix(byteCount)) }
            .replacing("tags.sqlite-wal") { $0 = [] }
            .replacing("high-water") { $0[3] ^= 1 }
            .replacing("status.json") { $0[0] ^= 1 }
            .open("truncated to \(byteCount)")
        #expect(opened.found.isEmpty)
    }

    /// Dead letters are salvaged too, and so is the delivery state, which is too long for one page.
    @Test func damagedTree_isSalvagedWithDeadLettersAndDeliveryState() async throws {
        let sample = try await StoreSample(tagCount: 200, delivered: 20, refused: 5, isClosed: true)
        let directory = try sample.replacing(Self.database) { $0[8] = 0 }.directory()
        let store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSample.settings, clock: ManualClock())
        #expect(store.findings.damage != nil)
        let letters = try await store.deadLetters(maximumCount: 10)
        #expect(letters.map(\.code) == ["no", "no", "no", "no", "no"])
        for letter in letters { #expect(sample.bodies[letter.tag.id] == letter.tag.body) }
        #expect(try await store.deliveryState() == Array(repeating: 7, count: 2_000))
        await store.close()
    }

    // MARK: What is not ours

    /// Opens a folder twice whose database is the file of another program, and expects an error and an unchanged file.
    private func expectRefusal(of bytes: [UInt8], in sample: StoreSample?, _ what: String) async throws {
        let directory = try sample?.directory() ?? TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: directory.path + "/tags.sqlite-wal")
        let path = directory.path + "/" + Self.database
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        for _ in 0..<2 {
            await #expect(throws: StoreError.notAStore(path: path), "\(what)") {
                try await TagBuffer.open(
                    directory: directory.path, settings: StoreSample.settings, clock: ManualClock())
            }
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(bytes), "\(what)")
        #expect(StoreError.notAStore(path: path).description.contains("was not changed"))
    }

    /// With each page size, alone and in place of a store's database.
    @Test(arguments: [512, 4_096, 8_192, 65_536])
    func databaseOfAnotherProgram_isRefusedAndUnchanged(pageByteCount: Int) async throws {
        let directory = TestDirectory()
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let path = directory.path + "/other"
        do {
            let connection = try SQLiteConnection(path: path)
            try connection.run("PRAGMA page_size=\(pageByteCount)")
            try connection.run("CREATE TABLE tag(name TEXT)")
            try connection.run("INSERT INTO tag VALUES('another')")
        }
        let bytes = try FileSystem.firstBytes(of: path, 1_000_000)
        let sample = try await StoreSample(tagCount: 40, isClosed: true)
        try await expectRefusal(of: bytes, in: nil, "alone")
        try await expectRefusal(of: bytes, in: sample, "in place of a store's")
    }

    @Test func textFile_asDatabase_isRefusedAndUnchanged() async throws {
        let text = Array(String(repeating: "this is no database ", count: 1_000).utf8)
        let sample = try await StoreSample(tagCount: 40, isClosed: true)
        for bytes in [text, Array(text.prefix(40))] {
            try await expectRefusal(of: bytes, in: nil, "alone")
            try await expectRefusal(of: bytes, in: sample, "in place of a store's")
        }
    }

    /// A killed process may leave a database without tables, or an empty file.
    @Test func database_withoutTables_opensAsAStore() async throws {
        for bytes in [[], [UInt8](repeating: 0, count: 4_096)] {
            let directory = TestDirectory()
            try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(fileURLWithPath: directory.path + "/" + Self.database))
            let store = try await TagBuffer.open(directory: directory.path, clock: ManualClock())
            try await store.append([NewTag(body: [1])])
            try await expectConservation(store, offered: 1)
            await store.close()
        }
    }

    /// A key that no version writes would never be deleted.
    @Test func unknownKeys_areNotSalvaged() async throws {
        let sample = try await StoreSample(tagCount: 40, isClosed: true)
        let directory = try sample.directory()
        let path = directory.path + "/" + Self.database
        let budget = StoreBudget(maximumByteCount: 2_000_000)
        func value(_ key: String, orSetting new: String? = nil) throws -> [UInt8]? {
            let database = try TagDatabase(path: path, budget: budget, synchronous: .normal)
            if let new {
                try database.transaction { () throws(SQLiteFailure) in
                    try database.meta.set(key, Array(new.utf8))
                }
                try database.checkpoint()
            }
            return try database.meta.value(key)
        }
        let known = ["bookmark/a", "recent/a", MetaKey.deliveryState]
        for key in known + ["unknown"] { #expect(try value(key, orSetting: "7") == Array("7".utf8)) }
        var bytes = try FileSystem.firstBytes(of: path, 4_000_000)
        bytes[16] ^= 0x40
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let store = try await TagBuffer.open(
            directory: directory.path, settings: StoreSample.settings, clock: ManualClock())
        #expect(store.totals().inStore == 40)
        await store.close()
        for key in known { #expect(try value(key) == Array("7".utf8), "\(key)") }
        #expect(try value("unknown") == nil)
    }
}

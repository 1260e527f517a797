import Foundation
import HostSystem
import TestSupport
import Testing

@testable import TagStore

/// Extreme numbers in the files of a buffer: the buffer opens, and its totals balance.
@Suite(.timeLimit(.minutes(30))) struct StoredNumberTests {
    private static let numbers: [Int64] = [
        0, 1, -1, 1 << 32, 1 << 53, 1 << 53 + 1, 1 << 61, .max - 1, .max, .min, .min + 1,
    ]

    /// Values of `meta` with `%` in place of a number.
    private static let values =
        (Ledger.counters.map(\.key) + [
            MetaKey.schemaVersion, MetaKey.acceptedBase, MetaKey.lastSequence, MetaKey.deliveryState,
            MetaKey.earlierBookmarksFound, "bookmark/a",
        ])
        .map { ($0, "%") }
        + [
            "number", "offset", "trustedOffset", "firstSequence",
        ].map { field in
            let fields = ["number", "offset", "trustedOffset", "firstSequence"]
            let list = fields.map { "\"\($0)\":\($0 == field ? "%" : "1")" }.joined(separator: ",")
            return (MetaKey.epochs, "[{\"bootID\":\"boot-1\",\(list)},{\"bootID\":\"boot-2\",\(list)}]")
        }

    /// Opens a buffer with changed files, and calls its functions.
    private static func open(_ directory: TestDirectory, _ what: String) async throws {
        let clock = ManualClock()
        for round in 0..<2 {
            let store: TagBuffer
            do throws(StoreError) {
                store = try await TagBuffer.open(
                    directory: directory.path, settings: StoreSample.settings, clock: clock)
            } catch {
                // A database of a newer release is refused and not changed.
                if case .newerSchema = error { return }
                Issue.record("\(what): \(error)")
                return
            }
            #expect(try await store.append([NewTag(body: [1]), NewTag(body: [2])]).sequences?.count == 2)
            clock.advance(by: .days(2))
            try await store.expire()
            _ = try await store.bookmark(of: "a", in: "a")
            _ = try await store.status()
            let batch = try await store.nextBatch(maximumCount: 5, maximumByteCount: .max)
            try await store.acknowledge(
                Acknowledgement(
                    delivered: batch.dropFirst().map(\.sequence),
                    refused: batch.prefix(1).map { .init(sequence: $0.sequence, code: "no") }))
            _ = try await store.pruneDeadLetters(olderThan: .days(1))
            _ = try await store.retryDeadLetters()
            let totals = store.totals()
            #expect(totals.isBalanced, "\(what), round \(round): \(totals)")
            await store.close()
        }
    }

    @Test func metaNumber_withExtremeValue_isUsedOrIgnored() async throws {
        let sample = try await StoreSample(tagCount: 20, isClosed: true)
        for (key, value) in Self.values {
            for number in Self.numbers {
                let directory = try sample.directory()
                let text = value.replacing("%", with: "\(number)")
                do {
                    let connection = try SQLiteConnection(path: directory.path + "/tags.sqlite")
                    let meta = try MetaTable(on: connection, pages: PageCounter(on: connection))
                    try meta.set(key, Array(text.utf8))
                }
                try await Self.open(directory, "\(key) = \(text)")
            }
        }
    }

    /// The fields of a tag and of a dead letter with valid checksums, in a database that is intact or salvaged.
    @Test(arguments: [false, true])
    func rowNumber_withExtremeValue_isReadOrCountedAsDamaged(isSalvaged: Bool) async throws {
        // The high-water mark indicates missing tags.
        let sample = try await StoreSample(tagCount: 20, isClosed: true).replacing("high-water") {
            if isSalvaged { $0 = HighWaterMark.bytes(40) }
        }
        let fields: [WritableKeyPath<RowFields, Int64>] = [
            \.sequence, \.receivedWall, \.receivedBoot, \.epoch, \.encoding,
        ]
        for (index, field) in fields.enumerated() {
            for number in Self.numbers {
                let directory = try sample.directory()
                let body: [UInt8] = [1, 2, 3]
                var row = RowFields(
                    sequence: 21, id: TagID(high: 1, low: 2), receivedWall: 1_790_000_000_000,
                    receivedBoot: 5_000_000, epoch: 1, encoding: 0)
                row[keyPath: field] = number
                let values = [
                    "\(row.sequence)", "x'00000000000000010000000000000002'", "\(row.receivedWall)",
                    "\(row.receivedBoot)", "\(row.epoch)", "\(row.checksum(body: body.span))",
                    "\(row.encoding)", "x'010203'",
                ].joined(separator: ",")
                do {
                    let connection = try SQLiteConnection(path: directory.path + "/tags.sqlite")
                    try connection.run("PRAGMA locking_mode=EXCLUSIVE")
                    let meta = try MetaTable(on: connection, pages: PageCounter(on: connection))
                    try meta.setNumber(MetaKey.acceptedBase, 1)
                    try connection.run("INSERT OR REPLACE INTO tag VALUES(\(values))")
                    try connection.run("INSERT OR REPLACE INTO dead VALUES(\(values), 'no', \(number))")
                }
                try await Self.open(directory, "column \(index) = \(number)")
            }
        }
    }

    /// The high-water mark and the record of the tags in memory, with valid checksums.
    @Test func highWaterMark_withExtremeValue_isUsedOrTreatedAsDamaged() async throws {
        let sample = try await StoreSample(tagCount: 20, isClosed: true)
        for number in Self.numbers {
            for (index, bytes) in [
                HighWaterMark.bytes(number) + OverflowMark(lostCount: 0, lastSequence: 0).bytes,
                HighWaterMark.bytes(20) + OverflowMark(lostCount: number, lastSequence: 20).bytes,
                HighWaterMark.bytes(20) + OverflowMark(lostCount: 0, lastSequence: number).bytes,
                HighWaterMark.bytes(number) + OverflowMark(lostCount: number, lastSequence: number).bytes,
            ].enumerated() {
                let directory = try sample.replacing("high-water") { $0 = bytes }.directory()
                try await Self.open(directory, "mark \(index) = \(number)")
            }
        }
    }

    /// Each number in the status file, which other processes read, and the owner if its database is lost.
    @Test func statusNumber_withExtremeValue_isReadOrTreatedAsDamaged() async throws {
        let sample = try await StoreSample(tagCount: 20, isClosed: true)
        let status = String(decoding: try #require(sample.files["status.json"]), as: UTF8.self)
        let places = status.ranges(of: #/[0-9]+(?=[,}])/#)
        #expect(places.count > 20)
        for place in places {
            for text in ExtremeNumbers.texts {
                let changed = status.replacingCharacters(in: place, with: text)
                guard let read = StoreStatus(encoded: Array(changed.utf8)) else { continue }
                _ = (read.byteCount, read.totals.offered, read.totals.isBalanced, read.isConsistent)
                guard ["9223372036854775807", "-9223372036854775808"].contains(text) else { continue }
                var damaged = sample.replacing("status.json") { $0 = Array(changed.utf8) }
                damaged = damaged.replacing("tags.sqlite") { $0 = [] }
                try await Self.open(try damaged.directory(), changed)
            }
        }
    }

    /// Only a time close to that of this machine confirms the clock.
    @Test func serverTime_withExtremeValue_doesNotConfirmTheClock() async throws {
        let directory = TestDirectory()
        for number in Self.numbers {
            let clock = ManualClock(isTrusted: false)
            let store = try await TagBuffer.open(directory: directory.path, clock: clock)
            await store.confirmClock(serverTime: number)
            #expect(try await store.status().isClockTrusted == false, "\(number)")
            await store.close()
        }
    }

    /// A stored clock offset that is far from the current one belongs to another epoch.
    @Test func epochOffset_withExtremeValue_startsAnotherEpoch() {
        let now = ClockReading(wall: 1_790_000_000_000, boot: 5_000, bootID: "b", isTrusted: true)
        for number in Self.numbers {
            var epochs = ClockEpochs([
                .init(number: 1, bootID: "b", offset: number, firstSequence: 1, trustedOffset: number)
            ])
            #expect(epochs.enter(now, sequence: 2).number == 2, "\(number)")
        }
    }
}

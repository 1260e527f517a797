import ByteReading
import CBusGuard
import Foundation
import Testing

@testable import HLSInput

/// Files that are looked at where they lie, and what becomes of them meanwhile.
@Suite(.timeLimit(.minutes(30))) struct MappedFileTests {
    private static let windowByteCount = LocalFile.windowByteCount()

    /// The stream with so many packets that carry nothing before each of its segments, but the first.
    private func padded(_ count: Int) throws -> [UInt8] {
        let stream = try SyntheticStream.transport.get()
        let null: [UInt8] = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
        var padding: [UInt8] = []
        for _ in 0..<count { padding += null }
        return stream.segmentNames.indices.reduce(into: []) { bytes, index in
            if index > 0 { bytes += padding }
            bytes += stream[index]
        }
    }

    /// The size of the file in `passMapped`'s hands, from a place on, and what it gave.
    private func pass(
        _ path: String, from start: UInt64 = 0, limit: UInt64 = .max,
        meanwhile: (Int) throws -> Void = { _ in }
    ) throws -> (bytes: [UInt8], rest: [UInt8]) {
        #expect(FileAccess.mapping.prepare())
        let file = try LocalFile(path: path)
        try file.seek(to: start)
        var bytes: [UInt8] = []
        var failure: (any Error)?
        let count = try file.passMapped(limit: limit) { (window) throws(InputError) in
            do { try meanwhile(bytes.count) } catch { failure = error }
            bytes += window.copy()
            return failure == nil
        }
        if let failure { throw failure }
        #expect(count == UInt64(bytes.count))
        return (bytes, try file.readAll(limit: 1 << 30))
    }

    private static func cut(_ path: String, to length: Int) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: UInt64(length))
        try file.close()
    }

    /// Bytes with a period that no page and no window is a multiple of.
    private func bytes(_ count: Int) -> [UInt8] {
        let period = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3 &+ count) }
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += period }
        return Array(bytes.prefix(count))
    }

    // MARK: What is handed on

    /// Sizes and starts on both sides of pages and windows.
    @Test(arguments: [-1, 0, 1], [0, 1, 4_095, 4_096, 4_097, 4 << 20])
    func file_ofAnySizeAndFromAnyStart_isHandedOnWhole(excess: Int, start: Int) throws {
        let folder = try TemporaryFolder()
        let content = bytes(2 * Self.windowByteCount + excess)
        let path = try folder.write("a", content)
        let passed = try pass(path, from: UInt64(start))
        #expect(passed.bytes == Array(content[start...]))
        #expect(passed.rest.isEmpty)
        let limited = try pass(path, from: UInt64(start), limit: 1_000_000)
        #expect(limited.bytes == Array(content[start..<start + 1_000_000]))
        #expect(limited.rest == Array(content[(start + 1_000_000)...]))
    }

    @Test func smallFile_isLeftToBeRead() throws {
        let folder = try TemporaryFolder()
        let content = bytes(100_000)
        let passed = try pass(folder.write("a", content))
        #expect(passed.bytes.isEmpty)
        #expect(passed.rest == content)
    }

    @Test func body_thatWantsNoMore_isNotGivenMore() throws {
        #expect(FileAccess.mapping.prepare())
        let folder = try TemporaryFolder()
        let file = try LocalFile(path: folder.write("a", bytes(3 * Self.windowByteCount)))
        var count = 0
        let passed = try file.passMapped(limit: .max) { (window) throws(InputError) in
            count += window.count
            return false
        }
        #expect(count == Self.windowByteCount)
        #expect(passed == UInt64(count))
        #expect(try file.readAll(limit: 1 << 30).count == 2 * Self.windowByteCount)
    }

    // MARK: Files that change

    /// Cut while a window is looked at: to nothing, within a page, and within the window before.
    @Test(arguments: [0, 1, 5_000, 3 << 20, 5 << 20, 6 << 20])
    func file_thatIsCutMeanwhile_isAnErrorAndNoCrash(length: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a", bytes(3 * Self.windowByteCount))
        let cut = InputError.unreadable(path, reason: "was cut while it was read")
        #expect(throws: cut) {
            try pass(path) { position in
                guard position == Self.windowByteCount else { return }
                try Self.cut(path, to: length)
            }
        }
    }

    /// Where it ends in the last page of a window, nothing is gone that could be missed.
    @Test func file_thatGrowsMeanwhile_isReadToItsNewEnd() throws {
        let folder = try TemporaryFolder()
        let content = bytes(Self.windowByteCount + 5_000)
        let added = bytes(200_000)
        let path = try folder.write("a", content)
        let passed = try pass(path) { position in
            guard position == 0 else { return }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data(added))
            try file.close()
        }
        #expect(passed.bytes + passed.rest == content + added)
    }

    /// The next file is whole again: a region that was hit is used by another one after it.
    @Test func file_afterOneThatWasCut_isWhole() throws {
        let folder = try TemporaryFolder()
        let content = bytes(200_000)
        // More files than there are regions: one that was not given back would be missed.
        for _ in 0...Int(dtvr_bus_guard_capacity) {
            let path = try folder.write("a", content)
            #expect(throws: InputError.self) {
                try pass(path) { _ in try Self.cut(path, to: 0) }
            }
            let whole = try pass(folder.write("b", content))
            #expect(whole.bytes == content)
        }
    }

    // MARK: The process's signal

    /// What is not ours goes to the handler that was there before, or ends the process as it would have.
    @Test func foreignSignal_withAHandlerFromBefore_reachesIt() async {
        await #expect(processExitsWith: .exitCode(7)) {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { _ in _exit(7) }
            _ = unsafe sigaction(SIGBUS, &action, nil)
            _ = FileAccess.mapping.prepare()
            MappedFileTests.touchBehindTheEnd()
        }
    }

    @Test func foreignSignal_withoutAHandlerFromBefore_endsTheProcess() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = SIG_DFL
            _ = unsafe sigaction(SIGBUS, &action, nil)
            _ = FileAccess.mapping.prepare()
            MappedFileTests.touchBehindTheEnd()
        }
    }

    @Test func sentSignal_withoutAHandlerFromBefore_endsTheProcess() async {
        await #expect(processExitsWith: .signal(SIGBUS)) {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = SIG_DFL
            _ = unsafe sigaction(SIGBUS, &action, nil)
            _ = FileAccess.mapping.prepare()
            kill(getpid(), SIGBUS)
            while true { pause() }
        }
    }

    /// Reads a page of a map of the caller's own, whose file is empty.
    static func touchBehindTheEnd() {
        let path = "\(NSTemporaryDirectory())/dtvr-\(UUID().uuidString)"
        // Nothing of it is there: that is what is tested.
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        _ = unsafe unlink(path)
        guard let map = unsafe mmap(nil, 4_096, PROT_READ, MAP_SHARED, file, 0) else { return }
        _exit(Int32(unsafe map.load(as: UInt8.self)))
    }

    // MARK: Inputs

    /// Segments in a folder, one of several windows, byte ranges in and beyond a file: read and mapped are one.
    @Test(arguments: [1, 2, 8]) func inputs_mapped_giveWhatReadingGives(jobs: Int) async throws {
        let folder = try TemporaryFolder()
        let long = try padded(12_000)
        #expect(long.count > 2 * Self.windowByteCount)
        try folder.write("segments/0.ts", long)
        try folder.write("segments/1.ts", padded(500))
        try folder.write("segments/2.ts", Array(padded(500).dropLast(100)))
        try folder.write("segments/3.ts", padded(500) + bytes(1_000) + padded(300))
        let half = long.count / 2
        let ranges = """
            #EXTM3U
            #EXT-X-TARGETDURATION:20
            #EXTINF:20,
            #EXT-X-BYTERANGE:\(half)@0
            segments/0.ts
            #EXTINF:20,
            #EXT-X-BYTERANGE:\(long.count - half)
            segments/0.ts
            #EXT-X-DISCONTINUITY
            #EXTINF:20,
            #EXT-X-BYTERANGE:\(half)@\(long.count - half + 1)
            segments/0.ts
            #EXT-X-ENDLIST

            """
        for source in [folder.path + "/segments", try folder.write("ranges.m3u8", ranges)] {
            let read = try await InputReading(source, keepsOtherTags: true)
            let mapped = try await InputReading(
                source, keepsOtherTags: true, jobs: jobs, fileAccess: .mapping)
            #expect(read.tags.count >= 7)
            #expect(mapped.tags == read.tags)
            #expect(mapped.readings.map { "\($0.outcome)" } == read.readings.map { "\($0.outcome)" })
        }
    }
}

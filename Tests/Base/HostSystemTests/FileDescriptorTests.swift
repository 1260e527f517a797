import Foundation
import HostSystem
import Testing

@Suite struct FileDescriptorTests {
    private let folder = ScratchFolder()

    private func file(
        _ name: String = "file", _ options: FileDescriptor.Options = [.readingAndWriting, .create]
    ) throws -> FileDescriptor {
        try FileDescriptor(path: folder.path + "/" + name, options: options)
    }

    @Test func bytes_writtenAtOffsets_areReadBack() throws {
        let file = try file()
        try file.write([1, 2, 3, 4].span)
        try file.write([9, 9].span, at: 1)
        try file.write([5].span)
        let all = try file.firstBytes(100)
        #expect(all == [1, 9, 9, 4, 5])
        let firstTwo = try file.firstBytes(2)
        #expect(firstTwo == [1, 9])
        let size = try file.byteCount()
        #expect(size == 5)
        var buffer = [UInt8](repeating: 0, count: 3)
        let lastCount = try file.read(into: &buffer, at: 3)
        #expect(lastCount == 2)
        #expect(buffer == [4, 5, 0])
        let countAtEnd = try file.read(into: &buffer, at: 5)
        #expect(countAtEnd == 0)
    }

    @Test func appending_afterTruncation_goesToTheNewEnd() throws {
        let file = try file("log", [.readingAndWriting, .create, .append])
        try file.write(Array("first\nsecond".utf8).span)
        try file.truncate(to: 6)
        try file.write(Array("third\n".utf8).span)
        try file.syncData()
        let text = try file.firstBytes(100)
        #expect(text == Array("first\nthird\n".utf8))
    }

    @Test func fileOffset_followsReadsSkipsAndSeeks() throws {
        let file = try file()
        try file.write(Array(0..<100).span, at: 0)
        var buffer = [UInt8](repeating: 0, count: 8)
        let readCount = try file.read(into: &buffer, maximumByteCount: 2)
        #expect(readCount == 2)
        let skipped = try file.skip(50)
        #expect(skipped == 50)
        let nextCount = try file.read(into: &buffer)
        #expect(nextCount == 8)
        #expect(buffer.first == 52)
        let rest = try file.skip(.max)
        #expect(rest == 40)
        let atEnd = try file.read(into: &buffer)
        #expect(atEnd == 0)
        let beyond = try file.skip(1)
        #expect(beyond == 0)
        try file.seek(to: 99)
        let last = try file.read(into: &buffer)
        #expect(last == 1)
        #expect(throws: SystemError.self) { try file.seek(to: .max) }
    }

    @Test func lock_excludesOtherDescriptors_untilClosed() throws {
        do {
            let first = try file()
            let isLocked = first.tryLock()
            #expect(isLocked)
            #expect(try !isFree())
        }
        #expect(try isFree())
    }

    private func isFree() throws -> Bool {
        let other = try file()
        return other.tryLock()
    }

    @Test func open_ofAMissingFile_isAnErrorWithItsReason() throws {
        do {
            _ = try file("absent", .reading)
            Issue.record("opened")
        } catch let error as SystemError {
            #expect(error.operation == "open" && error.code == ENOENT && !error.isRetriable)
            #expect(error.reason == "no such file or directory")
            #expect(error.description == "open \(folder.path)/absent: no such file or directory")
        }
    }

    @Test func kind_ofAFileADirectoryAndADevice_isRecognized() throws {
        let regular = try file()
        let regularKind = try regular.kind()
        #expect(regularKind == .regularFile)
        #expect(try FileSystem.kind(of: folder.path) == .directory)
        #expect(try FileSystem.kind(of: "/dev/null") == .other)
        let null = try FileDescriptor(path: "/dev/null", options: .reading)
        let nullSize = try null.byteCount()
        #expect(nullSize == nil)
        #expect(throws: SystemError.self) { try FileSystem.kind(of: folder.path + "/absent") }
    }

    @Test func fifo_openedNonblocking_isReadableAfterAWrite() throws {
        let path = folder.path + "/fifo"
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let reader = try FileDescriptor(path: path, options: [.reading, .nonblocking])
        let fifoKind = try reader.kind()
        #expect(fifoKind == .other)
        let writer = try FileDescriptor(path: path, options: .writing)
        writer.enlargePipe(to: 1 << 18)
        let isReadableBefore = try reader.isReadable(within: .zero)
        #expect(!isReadableBefore)
        var buffer = [UInt8](repeating: 0, count: 8)
        #expect(throws: SystemError(operation: "read", path: path, code: EAGAIN)) {
            try reader.read(into: &buffer)
        }
        try writer.write([7].span)
        let isReadableAfter = try reader.isReadable(within: .seconds(60))
        #expect(isReadableAfter)
        let received = try reader.read(into: &buffer)
        #expect(received == 1)
        let skippedOfPipe = try reader.skip(1)
        #expect(skippedOfPipe == 0)
    }

    @Test func write_toAFullDevice_isAnError() throws {
        let full = try FileDescriptor(path: "/dev/full", options: .writing)
        #expect(throws: SystemError(operation: "write", path: "/dev/full", code: ENOSPC)) {
            try full.write([1].span)
        }
    }

    @Test func lentDescriptor_staysOpen() throws {
        let owner = try file()
        do {
            let lent = FileDescriptor(lent: owner.number, name: "lent")
            try lent.write([1].span)
        }
        let count = try owner.byteCount()
        #expect(count == 1)
    }

    @Test func allocation_setsTheFileSize() throws {
        let file = try file()
        try file.allocate(10_000)
        let allocated = try file.byteCount()
        #expect(allocated == 10_000)
        #expect(FileSystem.byteCount(of: file.path) == 10_000)
    }
}

@Suite struct FileSystemTests {
    private let folder = ScratchFolder()

    @Test func makeDirectory_createsParents_andAcceptsAnExistingDirectory() throws {
        let path = folder.path + "/a/b/c"
        try FileSystem.makeDirectory(path)
        try FileSystem.makeDirectory(path)
        #expect(FileSystem.isDirectory(path) && FileSystem.isWritable(path))
        try FileSystem.syncDirectory(path)
        #expect(try FileSystem.names(in: folder.path + "/a") == ["b"])
        #expect(try FileSystem.names(in: path).isEmpty)
    }

    @Test func makeDirectory_atThePathOfAFile_isAnError() throws {
        let path = folder.path + "/file"
        _ = try FileDescriptor(path: path, options: [.writing, .create])
        #expect(throws: SystemError(operation: "mkdir", path: path, code: ENOTDIR)) {
            try FileSystem.makeDirectory(path)
        }
        #expect(throws: SystemError.self) { try FileSystem.makeDirectory(path + "/below") }
        #expect(throws: SystemError.self) { try FileSystem.names(in: path) }
    }

    @Test func file_isRenamedAndRemoved() throws {
        let (old, new) = (folder.path + "/old", folder.path + "/new")
        try FileDescriptor(path: old, options: [.writing, .create]).write([1, 2].span)
        try FileSystem.rename(old, to: new)
        #expect(FileSystem.byteCount(of: old) == nil && FileSystem.byteCount(of: new) == 2)
        #expect(try FileSystem.firstBytes(of: new, 1) == [1])
        try FileSystem.remove(new)
        try FileSystem.remove(new)
        #expect(FileSystem.byteCount(of: new) == nil)
        #expect(throws: SystemError.self) { try FileSystem.rename(old, to: new) }
    }

    @Test func freeSpace_inAnExistingDirectory_isPositive() throws {
        #expect(try #require(FileSystem.availableByteCount(at: folder.path + "/x")) > 0)
        #expect(FileSystem.availableByteCount(at: "/nowhere/at/all") == nil)
    }
}

/// A folder that is deleted with the object.
final class ScratchFolder: Sendable {
    let path = NSTemporaryDirectory() + "dtvr-host-\(UUID().uuidString)"

    init() {
        do { try FileSystem.makeDirectory(path) } catch { Issue.record(error) }
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { print("left behind: \(path)") }
    }
}

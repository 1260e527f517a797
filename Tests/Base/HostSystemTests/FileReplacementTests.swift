import Foundation
import Glibc
import HostSystem
import Testing

@Suite struct FileReplacementTests {
    private let folder = ScratchFolder()
    private var path: String { folder.path + "/state" }

    private func names() throws -> [String] { try FileSystem.names(in: folder.path).sorted() }

    /// A process in another container has a number that no process has here.
    @Test(arguments: ["state.next-99999999-1", "state.next-7"])
    func temporaryFile_ofAnotherContainer_isKeptWhileItIsWritten(name: String) throws {
        do {
            let other = try FileDescriptor(path: "\(folder.path)/\(name)", options: [.writing, .create])
            let isLocked = other.tryLock()
            try #require(isLocked)
            try FileSystem.replace(path, with: [1])
            #expect(try names() == ["state", name])
        }
        try FileSystem.replace(path, with: [2])
        #expect(try names() == ["state"])
    }

    /// After a container restarts, its processes have the same numbers as before.
    @Test func temporaryFile_ofAnEndedWriter_isRemoved_evenIfItsNumberIsInUse() throws {
        for writer in [getpid(), 1] {
            let name = "\(folder.path)/state.next-\(writer)-1"
            _ = try FileDescriptor(path: name, options: [.writing, .create])
        }
        try FileSystem.replace(path, with: [1])
        #expect(try names() == ["state"])
    }

    /// Only regular files that can be opened are removed, and nothing waits for them.
    @Test func otherEntries_withSuchNames_areKept() throws {
        try #require(unsafe mkfifo("\(folder.path)/state.next-1", 0o600) == 0)
        try #require(unsafe symlink("/dev/null", "\(folder.path)/state.next-2") == 0)
        try #require(unsafe mkdir("\(folder.path)/state.next-3", 0o700) == 0)
        let unrelated = try FileDescriptor(path: path + ".next", options: [.writing, .create])
        try FileSystem.replace(path, with: [1])
        withExtendedLifetime(unrelated) {}
        let expected = ["state", "state.next", "state.next-1", "state.next-2", "state.next-3"]
        #expect(try names() == expected)
    }

    @Test func concurrentReplacements_neverFail_andLeaveOneOfTheirContents() async throws {
        let path = path
        try await withThrowingTaskGroup { group in
            for writer in 0..<8 as Range<UInt8> {
                group.addTask {
                    for _ in 0..<50 { try FileSystem.replace(path, with: [writer]) }
                }
            }
            try await group.waitForAll()
        }
        #expect(try names() == ["state"])
        #expect(try [UInt8](Data(contentsOf: URL(filePath: path))).count == 1)
    }
}

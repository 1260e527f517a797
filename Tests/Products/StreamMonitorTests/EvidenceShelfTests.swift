import Foundation
import HostSystem
import Testing

@testable import StreamMonitor

/// The bound of what evidence may take, and which of it goes first.
@Suite struct EvidenceShelfTests {
    private static func shelf(in folder: AlertFolder) throws -> EvidenceShelf {
        let shelf = EvidenceShelf(path: folder.path + "/evidence")
        try FileSystem.makeDirectory(shelf.path)
        return shelf
    }

    /// Makes the evidence of an alert, of so many bytes that take no room on the disk.
    private static func add(_ id: String, byteCount: Int, age: Double, to shelf: EvidenceShelf) throws {
        let folder = shelf.path(ofAlert: id)
        try FileSystem.makeDirectory(folder)
        let file = try FileDescriptor(path: folder + "/segment", options: [.writing, .create])
        try file.truncate(to: byteCount)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 2_000_000 - age)], ofItemAtPath: folder)
    }

    private static func names(_ shelf: EvidenceShelf) throws -> [String] {
        try FileSystem.names(in: shelf.path).sorted()
    }

    @Test func oldest_makeRoom_andNoMoreThanIsNeeded() throws {
        let folder = try AlertFolder()
        let shelf = try Self.shelf(in: folder)
        for (id, age) in [("b", 2.0), ("a", 1), ("d", 4), ("c", 3)] {
            try Self.add(id, byteCount: 50 << 20, age: age, to: shelf)
        }
        try shelf.makeRoom(byteCount: 0, keeping: "")
        #expect(try Self.names(shelf) == ["a", "b", "c", "d"])
        try shelf.makeRoom(byteCount: 1, keeping: "")
        #expect(try Self.names(shelf) == ["a", "b", "c"])
        try shelf.makeRoom(byteCount: 100 << 20, keeping: shelf.path(ofAlert: "c"))
        // What is kept counts with what it will have.
        #expect(try Self.names(shelf) == ["a", "b", "c"])
        try shelf.makeRoom(byteCount: 200 << 20, keeping: "")
        #expect(try Self.names(shelf).isEmpty)
    }

    @Test func alerts_areAThousandAtMost() throws {
        let folder = try AlertFolder()
        let shelf = try Self.shelf(in: folder)
        for number in 0..<1_002 { try Self.add("\(number)", byteCount: 0, age: Double(number), to: shelf) }
        try shelf.makeRoom(byteCount: 0, keeping: "")
        #expect(try Self.names(shelf).count == 999)
        #expect(!FileSystem.isDirectory(shelf.path(ofAlert: "1001")))
        #expect(FileSystem.isDirectory(shelf.path(ofAlert: "0")))
    }

    @Test(arguments: [
        ("one/time.gap/1", "one_time.gap_1"), ("../../etc", "_.._etc"), ("..", ""), ("a b\u{0}ü", "a_b___"),
        ("[::1]:80/5", "___1__80_5"),
    ])
    func name_isOneFolderOfTheShelf(id: String, name: String) {
        #expect(EvidenceShelf(path: "/x").path(ofAlert: id) == "/x/\(name)")
        let long = EvidenceShelf(path: "/x").path(ofAlert: String(repeating: "a", count: 1_000) + "/5")
        #expect(long.hasSuffix("a_5") && long.utf8.count == 203)
    }

    @Test func link_inThePlaceOfAFolder_isNotFollowed() throws {
        let folder = try AlertFolder()
        let shelf = try Self.shelf(in: folder)
        let other = folder.path + "/other"
        try FileSystem.makeDirectory(other)
        try "stays".write(toFile: other + "/file", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: shelf.path + "/link", withDestinationPath: other)
        #expect(throws: SystemError.self) { try shelf.makeRoom(byteCount: 1 << 30, keeping: "") }
        #expect(throws: SystemError.self) { try shelf.remove(shelf.path + "/link") }
        #expect(FileManager.default.fileExists(atPath: other + "/file"))
    }
}

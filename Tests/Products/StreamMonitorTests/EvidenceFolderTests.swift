import Foundation
import HostSystem
import Testing

@testable import StreamMonitor

/// The size limit of the evidence, and the order in which evidence is removed.
@Suite struct EvidenceFolderTests {
    private static func evidence(in folder: AlertFolder) throws -> EvidenceFolder {
        let evidence = EvidenceFolder(path: folder.path + "/evidence")
        try FileSystem.makeDirectory(evidence.path)
        return evidence
    }

    /// Creates the evidence of an alert with `byteCount` bytes, which use no space on the disk.
    private static func add(_ id: String, byteCount: Int, age: Double, to evidence: EvidenceFolder) throws {
        let folder = evidence.path(ofAlert: id)
        try FileSystem.makeDirectory(folder)
        let file = try FileDescriptor(path: folder + "/segment", options: [.writing, .create])
        try file.truncate(to: byteCount)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 2_000_000 - age)], ofItemAtPath: folder)
    }

    private static func names(_ evidence: EvidenceFolder) throws -> [String] {
        try FileSystem.names(in: evidence.path).sorted()
    }

    @Test func oldestEvidence_isRemoved_onlyAsNeeded() throws {
        let folder = try AlertFolder()
        let evidence = try Self.evidence(in: folder)
        for (id, age) in [("b", 2.0), ("a", 1), ("d", 4), ("c", 3)] {
            try Self.add(id, byteCount: 50 << 20, age: age, to: evidence)
        }
        try evidence.makeRoom(byteCount: 0, keeping: "")
        #expect(try Self.names(evidence) == ["a", "b", "c", "d"])
        try evidence.makeRoom(byteCount: 1, keeping: "")
        #expect(try Self.names(evidence) == ["a", "b", "c"])
        try evidence.makeRoom(byteCount: 100 << 20, keeping: evidence.path(ofAlert: "c"))
        // The folder in `keeping` counts only with the bytes that it will have.
        #expect(try Self.names(evidence) == ["a", "b", "c"])
        try evidence.makeRoom(byteCount: 200 << 20, keeping: "")
        #expect(try Self.names(evidence).isEmpty)
    }

    @Test func evidence_isKeptForAtMost1000Alerts() throws {
        let folder = try AlertFolder()
        let evidence = try Self.evidence(in: folder)
        for number in 0..<1_002 { try Self.add("\(number)", byteCount: 0, age: Double(number), to: evidence) }
        try evidence.makeRoom(byteCount: 0, keeping: "")
        #expect(try Self.names(evidence).count == 999)
        #expect(!FileSystem.isDirectory(evidence.path(ofAlert: "1001")))
        #expect(FileSystem.isDirectory(evidence.path(ofAlert: "0")))
    }

    @Test(arguments: [
        ("one/time.gap/1", "one_time.gap_1"), ("../../etc", "_.._etc"), ("..", ""), ("a b\u{0}ü", "a_b___"),
        ("[::1]:80/5", "___1__80_5"),
    ])
    func alertID_mapsToOneSubfolder(id: String, name: String) {
        #expect(EvidenceFolder(path: "/x").path(ofAlert: id) == "/x/\(name)")
        let long = EvidenceFolder(path: "/x").path(ofAlert: String(repeating: "a", count: 1_000) + "/5")
        #expect(long.hasSuffix("a_5") && long.utf8.count == 203)
    }

    @Test func symlink_inPlaceOfFolder_isNotFollowed() throws {
        let folder = try AlertFolder()
        let evidence = try Self.evidence(in: folder)
        let other = folder.path + "/other"
        try FileSystem.makeDirectory(other)
        try "stays".write(toFile: other + "/file", atomically: true, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: evidence.path + "/link", withDestinationPath: other)
        #expect(throws: SystemError.self) { try evidence.makeRoom(byteCount: 1 << 30, keeping: "") }
        #expect(throws: SystemError.self) { try evidence.remove(evidence.path + "/link") }
        #expect(FileManager.default.fileExists(atPath: other + "/file"))
    }
}

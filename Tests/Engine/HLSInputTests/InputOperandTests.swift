import Foundation
import HLSPlaylist
import TestSupport
import Testing

@testable import HLSInput

/// The inputs of a command, from its operands.
@Suite struct InputOperandTests {
    private static func folder(_ names: [String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for name in names {
            _ = try folder.write(name, name.hasSuffix(".m3u8") ? "#EXTM3U\n".utf8 : "G".utf8)
        }
        return folder
    }

    private static func grouped(_ names: String..., in folder: TemporaryFolder) -> [InputOperand] {
        InputOperand.grouped(names.map { "\(folder.path)/\($0)" })
    }

    @Test func segmentsOfOneFolder_areOneInput_inNaturalOrder() throws {
        let folder = try Self.folder(["seg1.ts", "seg2.ts", "seg10.ts", "init.mp4"])
        // The order of the shell, and any other order.
        for names in [["seg1.ts", "seg10.ts", "seg2.ts"], ["seg10.ts", "seg2.ts", "seg1.ts"]] {
            let inputs = InputOperand.grouped(names.map { "\(folder.path)/\($0)" })
            #expect(inputs.map(\.source) == [folder.path])
            #expect(inputs[0].segments == ["seg1.ts", "seg2.ts", "seg10.ts"].map { "\(folder.path)/\($0)" })
        }
    }

    @Test func otherOperands_areInputsOfTheirOwn_inTheirOrder() throws {
        let folder = try Self.folder(["a.ts", "b.ts", "index.m3u8", "playlist.txt"])
        _ = try folder.write("playlist.txt", "\u{FEFF}#EXTM3U\n".utf8)
        let inputs =
            InputOperand.grouped(["-", folder.path])
            + Self.grouped("index.m3u8", "b.ts", "playlist.txt", "a.ts", "missing.m3u8", in: folder)
        #expect(
            inputs.map(\.source) == [
                "-", folder.path, folder.path + "/index.m3u8", folder.path, folder.path + "/playlist.txt",
                folder.path + "/missing.m3u8",
            ])
        #expect(inputs.map(\.segments.count) == [0, 0, 0, 2, 0, 0])
    }

    @Test func oneSegment_keepsItsName_howeverOftenItIsNamed() throws {
        let folder = try Self.folder(["a.ts"])
        #expect(Self.grouped("a.ts", in: folder) == [InputOperand(folder.path + "/a.ts")])
        #expect(Self.grouped("a.ts", "./a.ts", "a.ts", in: folder) == [InputOperand(folder.path + "/a.ts")])
        #expect(InputOperand.grouped([]).isEmpty)
    }

    @Test func segmentThatCannotBeRead_belongsToItsFolder() throws {
        let folder = try Self.folder(["a.ts"])
        let inputs = Self.grouped("a.ts", "gone.ts", in: folder)
        #expect(inputs.map(\.source) == [folder.path] && inputs[0].segments.count == 2)
        #expect(InputOperand.grouped(["/nowhere/a.ts", "/nowhere/b.ts"]).map(\.segments.count) == [0, 0])
    }

    /// It may be the wrong name of a folder or playlist.
    @Test func missingPathWithoutSegmentExtension_isAnInputOfItsOwn() throws {
        let folder = try Self.folder(["a.ts", "b.ts"])
        let inputs = Self.grouped("missing", "a.ts", "missing.txt", "b.ts", "v1.5/", in: folder)
        #expect(inputs.map(\.segments.count) == [0, 2, 0, 0])
        #expect(inputs.map(\.source) == ["/missing", "", "/missing.txt", "/v1.5/"].map { folder.path + $0 })
    }

    @Test func segmentsOfSeveralContainers_areOneInput() throws {
        let folder = try Self.folder(["s1.ts", "s2.aac", "s3.m4s", "init.mp4", "s4"])
        let inputs = Self.grouped("s4", "s3.m4s", "s2.aac", "init.mp4", "s1.ts", in: folder)
        #expect(inputs.map(\.source) == [folder.path])
        #expect(inputs[0].segments.count == 5 && inputs[0].segments[1] == folder.path + "/s1.ts")
    }

    @Test func pathsOfOneFolder_areTheSame() throws {
        let folder = try Self.folder(["a.ts", "b.ts"])
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: folder.path)
        let inputs = Self.grouped("a.ts", "link/b.ts", "/./a.ts", in: folder)
        #expect(inputs.map(\.source) == [folder.path] && inputs[0].segments.count == 2)
        let other = try Self.folder(["c.ts", "d.ts"])
        // A link to a segment of another folder belongs to the folder of the link.
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/e.ts", withDestinationPath: other.path + "/c.ts")
        let apart = InputOperand.grouped(
            ["\(other.path)/d.ts", "\(folder.path)/a.ts", "\(other.path)/c.ts", "\(folder.path)/e.ts"])
        #expect(apart.map(\.source) == [other.path, folder.path])
        #expect(apart.map(\.segments.count) == [2, 2])
    }

    @Test func fifo_isAnInputOfItsOwn_andIsNotOpened() throws {
        let folder = try Self.folder(["a.ts", "b.ts"])
        // The path is borrowed for the call.
        #expect(unsafe mkfifo(folder.path + "/pipe.ts", 0o600) == 0)
        #expect(Self.grouped("a.ts", "pipe.ts", "b.ts", in: folder).map(\.segments.count) == [2, 0])
    }

    @Test func addresses_areGroupedByTheirExtension() {
        let base = "https://example.com/live/"
        let inputs = InputOperand.grouped([
            base + "seg10.ts?token=1", base + "seg9.ts?token=2", base + "index.m3u8", base + "play?id=1",
            base + "play?id=2", "https://example.com/vod/seg11.ts", "https://example.com",
        ])
        #expect(
            inputs.map(\.source) == [
                base, base + "index.m3u8", base + "play?id=1", base + "play?id=2",
                "https://example.com/vod/seg11.ts", "https://example.com",
            ])
        #expect(inputs[0].segments == [base + "seg9.ts?token=2", base + "seg10.ts?token=1"])
    }

    @Test func tenThousandSegments_areOneInput() throws {
        let folder = try Self.folder((0..<10_000).map { "seg\($0).ts" })
        let inputs = InputOperand.grouped((0..<10_000).reversed().map { "\(folder.path)/seg\($0).ts" })
        #expect(inputs.count == 1 && inputs[0].segments.count == 10_000)
        #expect(inputs[0].segments.last == folder.path + "/seg9999.ts")
    }
}

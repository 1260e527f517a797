import Foundation
import NielsenID3
import TagRecord
import TagStore
import TestSupport
import Testing

/// A player that links the library, as a separate program.
@Suite(.timeLimit(.minutes(30))) struct LinkedPlayerTests {
    /// The path of the player, which is next to the program that runs the tests.
    static let player: String = {
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let beside = runner.deletingLastPathComponent().appendingPathComponent("session-probe").path
        return FileManager.default.isExecutableFile(atPath: beside)
            ? beside : Project.root + "/.build/debug/session-probe"
    }()

    /// libav* would cost every player 30 MB.
    @Test func player_doesNotLinkLibAV() async throws {
        let result = try await FinishedProcess.of("/usr/bin/readelf", ["-d", Self.player])
        let needed = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("(NEEDED)") }
        #expect(result.status == 0 && needed.contains { $0.contains("libsqlite3") })
        let libraries = ["libavformat", "libavcodec", "libavutil", "libswscale", "libswresample"]
        for library in libraries {
            #expect(!needed.contains { $0.contains("[\(library).") }, "\(needed)")
        }
    }

    /// Only the tool uses the database of a team's collectors, so neither the player nor its libraries need libpq.
    @Test func player_doesNotDependOnLibpq() async throws {
        let result = try await FinishedProcess.of("/usr/bin/ldd", [Self.player])
        let libraries = String(decoding: result.output, as: UTF8.self)
        #expect(result.status == 0 && libraries.contains("libsqlite3") && !libraries.contains("libpq"))
    }

    /// The player contains the rules for a single tag without the texts that explain their violations.
    @Test func player_linksTagRules_withoutCheckTexts() throws {
        let program = try Data(contentsOf: URL(fileURLWithPath: Self.player))
        #expect(program.range(of: Data("carriage.pes-incomplete".utf8)) != nil)
        #expect(program.range(of: Data("The owner identifier is not well-formed".utf8)) == nil)
    }

    /// A tag that the process still holds is delivered as not presented by the next process that opens the buffer.
    @Test func player_thatExitsImmediately_leavesItsTagsOnDisk() async throws {
        let folder = try TemporaryFolder()
        let result = try await FinishedProcess.of(Self.player, [folder.path])
        #expect(String(decoding: result.output, as: UTF8.self) == "true\n")
        let places = try await folder.storedPlaces()
        #expect(places.map(\.isPresented) == [true, false])
        #expect(places.map(\.mediaTime) == [nil, 30] && places.map(\.channel) == ["One", "One"])
    }
}

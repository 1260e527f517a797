import Foundation
import HostSystem
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import StreamMonitor

/// The alert files of an earlier monitor, with an entry for every stage.
///
/// Host `cdn.example` has an alert for its channels a to e; the alert of a was sent before it. The alert of f joined
/// the host's alert, a later alert of b waits for its end, and an alert of g is held. The webhook has accepted the
/// first of three messages.
@Suite(.timeLimit(.minutes(30))) struct AlertFileTests {
    private static let fixtures = Project.root + "/Tests/Products/StreamMonitorTests/Fixtures/Alerts"
    private static let start: Int64 = 1_795_176_000

    /// Returns a reading of the clocks of the machine that wrote the files.
    private static func at(_ seconds: Int64) -> ClockReading {
        ClockReading(
            wall: (start + seconds) * 1_000, boot: (500 + seconds) * 1_000, bootID: "boot-1", isTrusted: true)
    }

    private static func folder() throws -> AlertFolder {
        let folder = try AlertFolder()
        for name in ["alerts.json", "alerts-webhook.json"] {
            try FileManager.default.copyItem(
                atPath: "\(fixtures)/\(name)", toPath: "\(folder.path)/\(name)")
        }
        return folder
    }

    @Test func alerts_readFromFile_areActive_andQueuedOnesAreSent() async throws {
        let folder = try Self.folder()
        let queue = folder.queue()
        let alerts = AlertStore(path: folder.file, webhook: queue)
        #expect(alerts.problem == nil)
        #expect(alerts.activeCount == 9)
        #expect(alerts.alerts(of: "b").map(\.check) == [.playlistHTTP, .presenceSilent])
        #expect(
            alerts.published.map(\.id) == [
                "cdn.example/1795176015000", "a/playlist.http/1795176001000",
                "z/presence.silent/1795176000250",
            ])
        let first = try #require(await queue.next())
        #expect(first.key == "a/playlist.http/1795176001000/raise")
        #expect(first.age(at: Self.at(86)) == 75_000)
        queue.remove(first)
        let second = try #require(await queue.next())
        #expect(
            second.body
                == #"{"type":"alert","action":"raise","id":"cdn.example/1795176015000","channel":null,"#
                + #""host":"cdn.example","channels":["a","b","c","d","e"],"check":"playlist.http","#
                + #""severity":"fail","at":"2026-11-20T12:00:15.000Z","since":"2026-11-20T12:00:15.000Z","#
                + #""detail":"5 channels of cdn.example fail together: the load of the playlist was "#
                + #"answered with HTTP status 503","evidence":null}"#)
        queue.remove(second)
        #expect(queue.waiting.isEmpty)
    }

    @Test func alerts_readFromFile_continueUnchanged() throws {
        let folder = try Self.folder()
        let alerts = AlertStore(path: folder.file, webhook: folder.queue())
        #expect(alerts.settle(at: Self.at(94)).alerts == [])
        #expect(alerts.settle(at: Self.at(95)).alerts == ["raise g time.rate"])
        for channel in ["b", "c", "d", "e", "f"] {
            for alert in alerts.alerts(of: channel) where alert.check == .playlistHTTP {
                alerts.observe(.cleared(alert), at: Self.at(100))
            }
        }
        // The host's alert is cleared with the last of its alerts. From then on the later alert of b is held.
        #expect(alerts.settle(at: Self.at(100)).alerts == ["clear 6 channels playlist.http"])
        #expect(alerts.settle(at: Self.at(110)).alerts == ["raise b presence.silent"])
        for channel in ["a", "b", "g", "z"] { alerts.assign(channel: channel, to: nil, at: Self.at(120)) }
        #expect(
            alerts.settle(at: Self.at(120)).alerts.sorted() == [
                "clear a playlist.http", "clear b presence.silent", "clear g time.rate",
                "clear z presence.silent",
            ])
        #expect(AlertStore(path: folder.file).activeCount == 0)
    }

    @Test func file_writtenAfterReading_isUnchanged() throws {
        let folder = try Self.folder()
        let file = AtomicJSONFile<AlertStore.Contents>(path: folder.file)
        let before = try Data(contentsOf: URL(fileURLWithPath: folder.file))
        try file.write(try #require(try file.read()))
        let after = try Data(contentsOf: URL(fileURLWithPath: folder.file))
        #expect(after == before)
    }

    @Test func alertSeverity_fromLaterVersion_isDecodedAsFail() throws {
        let text = #"{"channel":"a","check":"x.y","since":1,"severity":"worse","detail":"d"}"#
        let alert = try JSONDecoder().decode(Alert.self, from: Data(text.utf8))
        #expect(alert.severity == .fail && alert.check.rawValue == "x.y")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Alert.self, from: Data("{}".utf8))
        }
    }
}

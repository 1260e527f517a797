import Foundation
import NielsenID3
import StreamHealth
import Testing

@testable import StreamMonitor

/// The active alerts and their file.
@Suite struct ActiveAlertsTests {
    private final class Folder {
        let path: String

        init() throws {
            let url = FileManager.default.temporaryDirectory.appendingPathComponent("dtvr-\(UUID())")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            path = url.path
        }

        deinit {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                Issue.record(error)
            }
        }

        var file: String { path + "/alerts.json" }
    }

    private static func alert(_ channel: String, since: Double = 1_000) -> ChannelAlert {
        ChannelAlert(
            channel: channel, check: .presenceSilent, since: since, severity: .fail, detail: "no tags")
    }

    @Test func alert_isToldOnceTheFileHasIt_andKnownAfterARestart() throws {
        let folder = try Folder()
        let alerts = ActiveAlerts(path: folder.file)
        alerts.assign(channel: "a", to: "host")
        alerts.observe(.raise, Self.alert("a"), at: 1_000_000)
        #expect(alerts.settle(at: 1_000_000).alerts == ["raise a presence.silent"])
        #expect(alerts.settle(at: 1_001_000).isEmpty)

        let again = ActiveAlerts(path: folder.file)
        #expect(again.problem == nil)
        #expect(again.alerts(of: "a") == [Self.alert("a")])
        #expect(again.alerts(of: "b").isEmpty)
        #expect(again.activeCount == 1)
        // It goes on: nobody is told again.
        again.observe(.raise, Self.alert("a"), at: 1_002_000)
        #expect(again.settle(at: 1_002_000).isEmpty)
        again.observe(.clear, Self.alert("a"), at: 1_003_000)
        #expect(again.settle(at: 1_003_000).alerts == ["clear a presence.silent"])
        #expect(ActiveAlerts(path: folder.file).activeCount == 0)
        // One that nobody raised is not cleared.
        again.observe(.clear, Self.alert("a"), at: 1_004_000)
        #expect(again.settle(at: 1_004_000).isEmpty)
    }

    @Test func channelThatIsFollowedNoLonger_hasItsAlertsCleared() throws {
        let folder = try Folder()
        let alerts = ActiveAlerts(path: folder.file)
        for channel in ["a", "b"] {
            alerts.assign(channel: channel, to: "host")
            alerts.observe(.raise, Self.alert(channel), at: 1_000_000)
        }
        _ = alerts.settle(at: 1_000_000)
        alerts.assign(channel: "a", to: nil)
        #expect(alerts.settle(at: 1_001_000).alerts == ["clear a presence.silent"])
        #expect(ActiveAlerts(path: folder.file).alerts(of: "b").count == 1)
        #expect(ActiveAlerts(path: folder.file).activeCount == 1)
    }

    @Test(arguments: ["", "{", "[]", "\u{0}\u{1}", #"{"active":[{"channel":1}],"hosts":{}}"#])
    func fileThatIsDamaged_isAProblem_andTheNextOneReplacesIt(text: String) throws {
        let folder = try Folder()
        try text.write(toFile: folder.file, atomically: true, encoding: .utf8)
        let alerts = ActiveAlerts(path: folder.file)
        #expect(alerts.problem == "it is damaged")
        #expect(alerts.activeCount == 0)
        alerts.observe(.raise, Self.alert("a"), at: 1_000_000)
        #expect(alerts.settle(at: 1_000_000).alerts == ["raise a presence.silent"])
        #expect(ActiveAlerts(path: folder.file).problem == nil)
        #expect(ActiveAlerts(path: folder.file).activeCount == 1)
    }

    @Test func fileThatCannotBeWritten_keepsNoAlertBack() throws {
        let folder = try Folder()
        let alerts = ActiveAlerts(path: folder.path + "/none/alerts.json")
        #expect(alerts.problem == nil)
        alerts.observe(.raise, Self.alert("a"), at: 1_000_000)
        #expect(alerts.settle(at: 1_000_000).alerts == ["raise a presence.silent"])
        #expect(alerts.settle(at: 1_001_000).isEmpty)
    }

    @Test func file_isItsOwnersAlone_andThroughNoLink() throws {
        let folder = try Folder()
        let alerts = ActiveAlerts(path: folder.file)
        alerts.observe(.raise, Self.alert("a"), at: 1_000_000)
        _ = alerts.settle(at: 1_000_000)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        try FileManager.default.moveItem(atPath: folder.file, toPath: folder.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file, withDestinationPath: folder.path + "/elsewhere")
        #expect(ActiveAlerts(path: folder.file).problem != nil)
    }
}

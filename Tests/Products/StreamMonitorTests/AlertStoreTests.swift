import Foundation
import HostSystem
import ID3v2
import NielsenID3
import StreamHealth
import Testing

@testable import StreamMonitor

/// The active alerts and their file.
@Suite struct AlertStoreTests {
    /// An outage of many channels: no alert is searched among those of the others.
    ///
    /// The processor time of an alert among many is compared with that among few; with such a search, it would be
    /// twenty times as long.
    @Test(arguments: [true, false])
    func alertAmong20000_takesAsLongAsAmong1000(isOneHost: Bool) throws {
        let folder = try AlertFolder()
        func time(_ count: Int) throws -> Duration {
            let store = AlertStore(path: folder.file)
            let alerts = (0..<count).map { AlertFolder.alert("c\($0)") }
            for (index, alert) in alerts.enumerated() {
                let channel = try #require(alert.channel)
                store.assign(channel: channel, to: isOneHost ? "host" : "host\(index)", at: 1_000_000)
            }
            let start = SystemClock.system.processorTime
            for alert in alerts { store.observe(.raised(alert), at: 1_000_000) }
            #expect(store.activeCount == count)
            #expect(store.takeChanges(at: .steady(1_020_000)).changes.count == (isOneHost ? 1 : count))
            for alert in alerts { store.observe(.cleared(alert), at: 1_030_000) }
            #expect(store.activeCount == 0)
            #expect(store.takeChanges(at: .steady(1_040_000)).changes.count == (isOneHost ? 1 : count))
            return (SystemClock.system.processorTime - start) / count
        }
        let few = try (0..<3).map { _ in try time(1_000) }.max() ?? .zero
        #expect(try time(20_000) < few * 5)
    }

    /// The end of a problem whose alert is held, and the findings; neither of an alert or a channel that has gone.
    @Test func stateOfAChannel_isKeptForARestart_untilTheChannelIsRemoved() throws {
        let folder = try AlertFolder()
        let text = """
            {"check":"time.gap","status":"warn","detail":"d","count":2,"first":{"at":1},"last":{"at":2}}
            """
        let findings = [try JSONDecoder().decode(FindingGroup.self, from: Data(text.utf8))]
        let store = AlertStore(path: folder.file)
        for channel in ["one", "two"] {
            store.assign(channel: channel, to: "\(channel).example", at: 1_000_000)
        }
        store.observe(.raised(AlertFolder.alert("one")), at: 1_000_000)
        var alert = AlertFolder.alert("one")
        alert.episode.last = WallTime(unixSeconds: 1_010)
        alert.episode.over = WallTime(unixSeconds: 1_020)
        store.keep([alert, AlertFolder.alert("one", since: 7)], findings, of: "one")
        store.keep([AlertFolder.alert("two")], [], of: "two")
        _ = store.settle(at: 1_030_000)
        let again = AlertStore(path: folder.file)
        #expect(again.memory(of: "one").open == [alert.episode])
        #expect(again.memory(of: "one").findings == findings)
        #expect(again.memory(of: "two").open.isEmpty && again.memory(of: "two").findings.isEmpty)
        again.assign(channel: "one", to: nil, at: 1_040_000)
        _ = again.settle(at: 1_040_000)
        #expect(AlertStore(path: folder.file).memory(of: "one").findings.isEmpty)
        #expect(AlertStore(path: folder.file).memory(of: "one").open.isEmpty)
    }

    @Test func alert_isPublishedOnce_andKnownAfterARestart() throws {
        let folder = try AlertFolder()
        let alerts = AlertStore(path: folder.file)
        alerts.assign(channel: "a", to: "host", at: 1_000_000)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        #expect(alerts.settle(at: 1_000_000).alerts == ["raise a presence.silent"])
        #expect(alerts.settle(at: 1_001_000).isEmpty)

        let again = AlertStore(path: folder.file)
        #expect(again.problem == nil)
        #expect(again.alerts(of: "a") == [AlertFolder.alert("a")])
        #expect(again.alerts(of: "b").isEmpty)
        #expect(again.activeCount == 1)
        // The alert is still active, so it is not published again.
        again.observe(.raised(AlertFolder.alert("a")), at: 1_002_000)
        #expect(again.settle(at: 1_002_000).isEmpty)
        again.observe(.cleared(AlertFolder.alert("a")), at: 1_003_000)
        #expect(again.settle(at: 1_003_000).alerts == ["clear a presence.silent"])
        #expect(AlertStore(path: folder.file).activeCount == 0)
        // An alert that was not raised is not cleared.
        again.observe(.cleared(AlertFolder.alert("a")), at: 1_004_000)
        #expect(again.settle(at: 1_004_000).isEmpty)
    }

    @Test func removedChannel_hasItsAlertsCleared() throws {
        let folder = try AlertFolder()
        let alerts = AlertStore(path: folder.file)
        for channel in ["a", "b"] {
            alerts.assign(channel: channel, to: "host", at: 1_000_000)
            alerts.observe(.raised(AlertFolder.alert(channel)), at: 1_000_000)
        }
        _ = alerts.settle(at: 1_000_000)
        alerts.assign(channel: "a", to: nil, at: 1_000_000)
        #expect(alerts.settle(at: 1_001_000).alerts == ["clear a presence.silent"])
        #expect(AlertStore(path: folder.file).alerts(of: "b").count == 1)
        #expect(AlertStore(path: folder.file).activeCount == 1)
    }

    private static func now(
        _ seconds: Int64, boot: Int64? = nil, _ bootID: String = "boot", isTrusted: Bool = true
    ) -> ClockReading {
        ClockReading(
            wall: seconds * 1_000, boot: (boot ?? seconds) * 1_000, bootID: bootID, isTrusted: isTrusted)
    }

    /// Returns a store with an alert of one of six channels of a host, raised at 1,000,000 s and still held.
    private static func withOneHeld(in folder: AlertFolder) -> AlertStore {
        let alerts = AlertStore(path: folder.file)
        for channel in ["a", "b", "c", "d", "e", "f"] {
            alerts.assign(channel: channel, to: "host", at: now(1_000_000))
        }
        alerts.observe(.raised(AlertFolder.alert("a")), at: now(1_000_000))
        #expect(alerts.settle(at: now(1_000_000)).isEmpty)
        return alerts
    }

    /// An alert waits ten seconds for others of its host, wherever the wall clock is set, and across a restart.
    @Test(
        arguments: [
            // The clock is unchanged, set back by a day, or set forward by a day, without and with a restart.
            (0, false), (-86_400, false), (86_400, false), (0, true), (-86_400, true), (86_400, true),
        ] as [(Int64, Bool)])
    func heldAlert_isPublishedAfterTheHold_despiteClockStepAndRestart(step: Int64, isStartedAgain: Bool)
        throws
    {
        let folder = try AlertFolder()
        var alerts = Self.withOneHeld(in: folder)
        if isStartedAgain { alerts = AlertStore(path: folder.file) }
        #expect(alerts.settle(at: Self.now(1_000_009 + step, boot: 1_000_009)).isEmpty)
        let told = alerts.settle(at: Self.now(1_000_010 + step, boot: 1_000_010))
        #expect(told.alerts == ["raise a presence.silent"])
        #expect(told.first?.time == (1_000_010 + step) * 1_000)
    }

    /// Across a reboot, the wall clock counts only if it is trusted.
    @Test(arguments: [true, false])
    func heldAlert_afterReboot_usesTheWallClockOnlyIfTrusted(isTrusted: Bool) throws {
        let folder = try AlertFolder()
        _ = Self.withOneHeld(in: folder)
        let alerts = AlertStore(path: folder.file)
        let first = alerts.settle(at: Self.now(1_000_060, boot: 5, "new", isTrusted: isTrusted))
        #expect(first.alerts == (isTrusted ? ["raise a presence.silent"] : []))
        let second = alerts.settle(at: Self.now(1_000_065, boot: 10, "new", isTrusted: isTrusted))
        #expect(second.alerts == (isTrusted ? [] : ["raise a presence.silent"]))
    }

    /// The alert of a host has the wall time at which it was raised.
    @Test func hostAlert_afterWallClockStep_hasTheNewWallTime() throws {
        let folder = try AlertFolder()
        let alerts = AlertStore(path: folder.file)
        for channel in ["a", "b", "c", "d", "e"] {
            alerts.assign(channel: channel, to: "host", at: Self.now(1_000_000))
        }
        _ = alerts.settle(at: Self.now(1_000_000))
        let later = Self.now(1_172_801, boot: 1_000_001)
        for channel in ["a", "b", "c", "d", "e"] {
            alerts.observe(.raised(AlertFolder.alert(channel)), at: later)
        }
        #expect(alerts.settle(at: later).count == 1)
        #expect(alerts.published.map(\.since) == [1_172_801_000])
    }

    /// A host alert replaces the alerts of its channels, but none that are raised later.
    @Test func channelAlert_raisedAfterHostAlert_isPublishedSeparately() throws {
        let folder = try AlertFolder()
        let alerts = AlertStore(path: folder.file)
        for channel in ["a", "b", "c", "d", "e", "f"] {
            alerts.assign(channel: channel, to: "host", at: 1_000_000)
        }
        for channel in ["a", "b", "c", "d", "e"] {
            alerts.observe(.raised(AlertFolder.alert(channel)), at: 1_000_000)
        }
        _ = alerts.settle(at: 1_000_000)
        alerts.observe(.raised(AlertFolder.alert("f", since: 1_100)), at: 1_100_000)
        #expect(alerts.settle(at: 1_100_000).isEmpty && alerts.published.map { $0.channel == nil } == [true])
        #expect(alerts.settle(at: 1_110_000).alerts == ["raise f presence.silent"])
        #expect(alerts.published.map { $0.channel == nil } == [true, false])
    }

    @Test(arguments: ["", "{", "[]", "\u{0}\u{1}", #"{"active":[{"channel":1}],"hosts":{}}"#])
    func damagedAlertFile_isReported_andReplacedByTheNextSave(text: String) throws {
        let folder = try AlertFolder()
        try text.write(toFile: folder.file, atomically: true, encoding: .utf8)
        let alerts = AlertStore(path: folder.file)
        #expect(alerts.problem == "it is damaged")
        #expect(alerts.activeCount == 0)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        #expect(alerts.settle(at: 1_000_000).alerts == ["raise a presence.silent"])
        #expect(AlertStore(path: folder.file).problem == nil)
        #expect(AlertStore(path: folder.file).activeCount == 1)
        #expect(try String(contentsOfFile: folder.file + ".damaged", encoding: .utf8) == text)
    }

    /// A file with any one byte changed, or truncated at any byte, is rejected or read with arbitrary numbers.
    @Test func file_changedOrTruncatedAtAnyByte_doesNotCrash() throws {
        let folder = try AlertFolder()
        let first = AlertStore(path: folder.file, webhook: folder.queue())
        for channel in ["a", "b", "c", "d", "e", "f"] {
            first.assign(channel: channel, to: "host", at: 1_000_000)
            first.observe(.raised(AlertFolder.alert(channel)), at: 1_000_000)
        }
        _ = first.settle(at: 1_000_000)
        let intact = try [UInt8](Data(contentsOf: URL(fileURLWithPath: folder.file)))
        var readCount = 0
        for index in intact.indices {
            var changed = intact
            changed[index] = changed[index] == UInt8(ascii: "9") ? UInt8(ascii: "-") : UInt8(ascii: "9")
            for bytes in [changed, Array(intact[..<index])] {
                guard let contents = try? AtomicJSONFile<AlertStore.Contents>.value(of: bytes) else {
                    continue
                }
                readCount += 1
                let alerts = AlertStore(
                    AtomicJSONFile(path: "/dev/null/a"), contents: contents, webhook: folder.queue())
                for channel in alerts.channels { alerts.assign(channel: channel, to: nil, at: 1_000_000) }
                _ = alerts.settle(at: 1_800_000_000_000)
                #expect(alerts.activeCount == 0)
            }
        }
        #expect(readCount > 100 && readCount < 2 * intact.count)
    }

    @Test(arguments: ["1e300", "-1e300", "9223372036854775807", "0", "-0.0004"])
    func file_withExtremeTime_isRead(time: String) throws {
        let folder = try AlertFolder()
        let first = AlertStore(path: folder.file, webhook: folder.queue())
        first.assign(channel: "a", to: "host", at: 1_000_000)
        first.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        _ = first.settle(at: 1_000_000)
        let text = try String(contentsOfFile: folder.file, encoding: .utf8)
            .replacing(#""since":1000"#, with: #""since":\#(time)"#)
        #expect(text.contains(time))
        try text.write(toFile: folder.file, atomically: true, encoding: .utf8)
        let alerts = AlertStore(path: folder.file, webhook: folder.queue())
        #expect(alerts.activeCount == 1 && alerts.problem == nil)
        alerts.assign(channel: "a", to: nil, at: 1_000_000)
        #expect(alerts.settle(at: 1_000_000).alerts == ["clear a presence.silent"])
    }

    @Test func unwritableFile_delaysNoAlert() throws {
        let folder = try AlertFolder()
        let alerts = AlertStore(path: folder.path + "/none/alerts.json")
        #expect(alerts.problem == nil)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        #expect(alerts.settle(at: 1_000_000).alerts == ["raise a presence.silent"])
        #expect(alerts.settle(at: 1_001_000).isEmpty)
    }

    /// If the disk was full, the file is written as soon as there is room, without a new alert.
    @Test func failedWrite_isRetried_withoutANewAlert() throws {
        let folder = try AlertFolder()
        let file = folder.path + "/later/alerts.json"
        let alerts = AlertStore(path: file)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        #expect(alerts.settle(at: 1_000_000).alerts == ["raise a presence.silent"])
        try FileManager.default.createDirectory(
            atPath: folder.path + "/later", withIntermediateDirectories: false)
        #expect(alerts.settle(at: 1_001_000).isEmpty)
        #expect(AlertStore(path: file).alerts(of: "a").count == 1)
    }

    @Test func file_isPrivateToItsOwner_andNotReadThroughASymlink() throws {
        let folder = try AlertFolder()
        let alerts = AlertStore(path: folder.file)
        alerts.observe(.raised(AlertFolder.alert("a")), at: 1_000_000)
        _ = alerts.settle(at: 1_000_000)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file)
        #expect((attributes[.posixPermissions] as? Int) == 0o600)
        try FileManager.default.moveItem(atPath: folder.file, toPath: folder.path + "/elsewhere")
        try FileManager.default.createSymbolicLink(
            atPath: folder.file, withDestinationPath: folder.path + "/elsewhere")
        #expect(AlertStore(path: folder.file).problem != nil)
    }
}

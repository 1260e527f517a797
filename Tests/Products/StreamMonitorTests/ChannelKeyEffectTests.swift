import Foundation
import HTTPServing
import HostSystem
import StreamHealth
import StreamSynthesis
import Testing

@testable import StreamMonitor

/// Every key of a channel file has its effect: channels that are followed with it and without it differ.
@Suite(.timeLimit(.minutes(30))) struct ChannelKeyEffectTests {
    /// Follows the channel of a file whose section has these lines, and returns the station.
    private static func follow(
        _ lines: [String], script: String = "", for seconds: Double = 90, renditionCount: Int = 1,
        playlistCount: Int = 1,
        _ body: (LiveMonitor, MonitoredStation) throws -> Void = { _, _ in }
    ) async throws -> MonitoredStation {
        let renditions = (0..<renditionCount).map {
            SynthesisSettings.Rendition(name: "r\($0)", video: renditionCount == 1 ? nil : .smallest)
        }
        let station = try MonitoredStation(
            channels: 2, script: script, renditions: renditions, playlistCount: playlistCount)
        let url = station.channels(1...1)[0].url
        let text =
            (["[channel ch1]"] + (lines.contains { $0.hasPrefix("url") } ? [] : ["url = \(url)"]) + lines)
            .joined(separator: "\n").replacing("%", with: url.replacing("/ch1/index.m3u8", with: ""))
        let channels = try ChannelFile(parsing: text, environment: ["TOKEN": "s3cret"]).channels
        _ = try await station.monitor(channels, for: seconds) { monitor, time in
            if time == seconds - 1 { try body(monitor, station) }
        }
        return station
    }

    /// The effects of the keys; a key without one fails `everyChannelKey_hasAnEffectTest`.
    static let effects: [String: @Sendable () async throws -> Void] = [
        "name": name, "url": url, "backup": backup, "compare-backup": compareBackup, "rendition": rendition,
        "header": header, "quiet": quiet, "expect-tags-in-ads": expectTagsInAds, "ignore": ignore,
        "accept": accept, "may-end": mayEnd,
    ]

    /// The keys that need another kind of server; `MonitorConnectionTests` of the tool tests them.
    private static let others: Set<String> = ["ca-file", "client-cert", "proxy"]

    @Test func everyChannelKey_hasAnEffectTest() {
        let limits = (HealthLimit.all + HealthLimit.ofMonitorOnly).map(\.name)
        #expect(Set(ChannelFile.keys) == Set(Self.effects.keys).union(Self.others).union(limits))
        #expect(Set(ChannelFile.keys).count == ChannelFile.keys.count)
    }

    @Test(arguments: effects.keys.sorted()) func channelKey_hasItsEffect(name: String) async throws {
        let effect = try #require(Self.effects[name])
        try await effect()
    }

    /// The effects of the limits are tested by `LimitEffectTests` of the tool, `LiveCheckTests`, `AlertLimitTests` and
    /// `OverLimitTests`.
    @Test func limitKey_setsOnlyItsLimit() throws {
        let limits = HealthLimit.all + HealthLimit.ofMonitorOnly
        for limit in limits {
            let file = try ChannelFile(parsing: "[channel a]\nurl = http://a/b\n\(limit.name) = 7")
            var expected = HealthPolicy()
            expected[limit] = 7
            #expect(file.channels.first?.policy == expected, "\(limit.name)")
        }
    }

    // MARK: The keys

    @Sendable private static func name() async throws {
        for (lines, shown) in [([], "ch1"), (["name = Channel One"], "Channel One")] as [([String], String)] {
            _ = try await follow(lines, for: 10) { monitor, station in
                let answer = station.site(of: monitor).answer(to: .local("GET", "/api/channels"))
                let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
                let channels = object?["channels"] as? [[String: Any]]
                #expect(channels?.first?["name"] as? String == shown)
            }
        }
    }

    @Sendable private static func url() async throws {
        let owners = try await [1, 2].asyncMap {
            Set(try await follow(["url = %/ch\($0)/index.m3u8"], for: 30).events.owners(of: "ch1"))
        }
        #expect(owners.allSatisfy { !$0.isEmpty } && owners[0].isDisjoint(with: owners[1]))
    }

    @Sendable private static func backup() async throws {
        let script = "at 40s for 600s channel 1: status 503"
        let alone = try await follow([], script: script, for: 120)
        let backed = try await follow(
            ["backup = %/backup/ch1/index.m3u8"], script: script, for: 120, playlistCount: 2)
        #expect(alone.events.states(of: "ch1").contains(.unreachable))
        #expect(!backed.events.states(of: "ch1").contains(.unreachable))
        #expect(backed.events.owners(of: "ch1").count > alone.events.owners(of: "ch1").count)
    }

    @Sendable private static func compareBackup() async throws {
        for (value, isRead) in [("no", false), ("yes", true)] {
            let lines = ["backup = %/backup/ch1/index.m3u8", "compare-backup = \(value)"]
            let count = try await follow(lines, for: 60, playlistCount: 2).backupSegmentCount
            #expect((count > 0) == isRead, "\(value)")
        }
    }

    @Sendable private static func rendition() async throws {
        for (value, names) in [("r1/index.m3u8", ["r1"]), ("all", ["r0", "r1"])] {
            let station = try await follow(
                ["rendition = \(value)"], for: 30, renditionCount: 2, playlistCount: names.count)
            let segments = station.targets.filter { !$0.hasSuffix(".m3u8") }
            let read = ["r0", "r1"].filter { name in segments.contains { $0.contains("/\(name)/") } }
            #expect(read == names, "\(value): \(Set(station.targets))")
        }
    }

    @Sendable private static func header() async throws {
        for (lines, isSent) in [([], false), (["header = X-Token: a${TOKEN}b"], true)] as [([String], Bool)] {
            let station = try await follow(lines, for: 10)
            #expect(station.requestCount > 1 && station.wasSentAlways("x-token: as3cretb") == isSent)
        }
    }

    @Sendable private static func quiet() async throws {
        let script = "at 0s for 600s channel 1: no-tags"
        // In local time by the clock of the stations: the current hour, and one that begins later.
        let hour = SystemClock.minuteOfDay(unixSeconds: 1_800_000_000) / 60
        let times = [0, 1, 2, 3].map { "\((hour + $0) % 24 + 100):00".dropFirst() }
        let (now, later) = ("quiet = \(times[0])-\(times[1])", "quiet = \(times[2])-\(times[3])")
        for (line, state) in [(now, ChannelState.paused), (later, .silent)] {
            #expect(
                try await follow([line], script: script).events.states(of: "ch1").last == state, "\(line)")
        }
    }

    @Sendable private static func ignore() async throws {
        let events = try await follow(
            ["ignore = presence.silent tag.count info.late"], script: "at 60s for 600s channel 1: no-tags",
            for: 180
        ).events
        #expect(!events.findings.contains("ch1 presence.silent") && events.alerts == [])
        #expect(!events.states(of: "ch1").contains(.silent))
    }

    @Sendable private static func accept() async throws {
        let events = try await follow(
            ["accept = presence.silent"], script: "at 60s for 600s channel 1: no-tags", for: 180
        ).events
        #expect(events.findings.contains("ch1 presence.silent") && events.alerts == [])
        #expect(!events.states(of: "ch1").contains(.silent))
    }

    @Sendable private static func mayEnd() async throws {
        for (value, alerts) in [("no", ["raise ch1 channel.ended"]), ("yes", [])] {
            let station = try MonitoredStation(channels: 1, endsAfter: .seconds(30))
            let url = station.channels(1...1)[0].url
            let text = "[channel ch1]\nurl = \(url)\nmay-end = \(value)"
            _ = try await station.monitor(try ChannelFile(parsing: text).channels, for: 60)
            #expect(station.events.alerts == alerts && station.events.states(of: "ch1").last == .ended)
        }
    }

    @Sendable private static func expectTagsInAds() async throws {
        let script = "at 60s for 90s channel 1: ad-break"
        for (value, isSilent) in [("no", false), ("yes", true)] {
            let station = try await follow(["expect-tags-in-ads = \(value)"], script: script, for: 180)
            #expect(station.events.states(of: "ch1").contains(.silent) == isSilent, "\(value)")
        }
    }
}

extension Array {
    /// Returns the results of an asynchronous function, which is called for one element after the other.
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows
        -> [Result]
    {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}

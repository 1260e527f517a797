import Foundation
import HLSInput
import NielsenID3
import StreamHealth
import StreamSynthesis
import Synchronization
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor

/// A monitor and live channels with one clock: the stored tags, the findings and the alerts.
@Suite(.timeLimit(.minutes(30))) struct LiveMonitorTests {
    @Test func healthyChannels_for15Minutes_storeEachTagOnce_withoutFindings() async throws {
        let station = try MonitoredStation(channels: 3)
        let totals = try await station.monitor(station.channels(1...3), for: 900)
        let events = station.events
        #expect(events.findings.isEmpty)
        #expect(events.alerts.isEmpty)
        #expect(station.notes.isEmpty)
        var count = 0
        for channel in ["ch1", "ch2", "ch3"] {
            let owners = events.owners(of: channel)
            // A DATA tag every 10 s, including the 38 s of the first window, and an INFO tag every 300 s.
            #expect((93...98).contains(owners.count), "\(owners.count) tags")
            #expect(Set(owners).count == owners.count)
            #expect(events.states(of: channel) == [.healthy])
            count += owners.count
        }
        #expect(totals.accepted == Int64(count))
        #expect(totals.inStore == Int64(count))
        let summaries = events.compactMap { event in
            if case .summary(let summary) = event.kind { summary } else { nil }
        }
        // One summary a minute, and one at the end.
        #expect(summaries.count == 15 || summaries.count == 16)
        #expect(summaries.last?.tagCount == UInt64(count))
        #expect(summaries.last?.waitingCount == Int64(count))
        #expect(summaries.last?.channelCounts == [.healthy: 3])
    }

    /// The windows of many channels are not all read at the same time.
    @Test func channelsBeyondAHundred_startOneAfterTheOther() async throws {
        let station = try MonitoredStation(channels: 110)
        var counts: [Int] = []
        _ = try await station.monitor(station.channels(1...110), for: 2) { _, _ in
            counts.append(Set(station.targets.compactMap { $0.split(separator: "/").first }).count)
        }
        // Every half second.
        #expect(counts == [100, 100, 110, 110])
        #expect(station.events.findings.isEmpty)
        #expect((1...110).allSatisfy { station.events.states(of: "ch\($0)") == [.healthy] })
    }

    @Test func channelsThatWaitWhenTheMonitorEnds_areNotStarted() async throws {
        let station = try MonitoredStation(channels: 110)
        var ended: LiveMonitor?
        _ = try await station.monitor(station.channels(1...110), for: 0.5) { monitor, _ in ended = monitor }
        #expect(ended?.waitingCount == 10)
    }

    @Test func tag_isCounted_beforeItsEvent() async throws {
        let station = try MonitoredStation(channels: 1)
        let counts = Mutex<[UInt64]>([])
        station.observe { event, monitor in
            guard case .tag = event.kind else { return }
            counts.withLock { $0.append(monitor.snapshots.first?.tagCount ?? 0) }
        }
        _ = try await station.monitor(station.channels(1...1), for: 60)
        let seen = counts.withLock { $0 }
        #expect(seen.count >= 9)
        // Each of these segments has one tag at most.
        #expect(seen == seen.indices.map { UInt64($0 + 1) })
    }

    @Test func channelWhoseTagsStop_isSilent_withOneRaiseAndOneClear() async throws {
        let station = try MonitoredStation(channels: 2, script: "at 120s for 90s channel 2: no-tags")
        _ = try await station.monitor(station.channels(1...2), for: 420)
        let events = station.events
        #expect(
            events.alerts.filter { $0.hasSuffix("presence.silent") } == [
                "raise ch2 presence.silent", "clear ch2 presence.silent",
            ])
        #expect(events.states(of: "ch2").contains(.silent))
        #expect(events.states(of: "ch2").last == .healthy)
        #expect(events.states(of: "ch1") == [.healthy])
        #expect(events.findings.allSatisfy { $0.hasPrefix("ch2 ") })
    }

    @Test func failingChannelsOfOneHost_raiseOneHostAlert() async throws {
        let station = try MonitoredStation(channels: 6, script: "at 60s for 60s channel *: status 503")
        _ = try await station.monitor(station.channels(1...6), for: 300)
        let events = station.events
        let raised = events.alerts.filter { $0.hasPrefix("raise") }
        #expect(
            raised.first?.hasPrefix("raise 5 channels") == true
                || raised.first?.hasPrefix("raise 6 channels") == true)
        #expect(raised.count == events.alerts.count - raised.count)
        for channel in 1...6 {
            #expect(events.states(of: "ch\(channel)").contains(.unreachable))
            #expect(events.states(of: "ch\(channel)").last == .healthy)
        }
    }

    @Test func restartedMonitor_storesNoTagTwice_andKnowsItsAlerts() async throws {
        let station = try MonitoredStation(channels: 2, script: "at 60s for 120s channel 1: no-tags")
        let channels = station.channels(1...2)
        let first = try await station.monitor(channels, for: 120)
        #expect(station.events.alerts.contains("raise ch1 presence.silent"))
        let second = try await station.monitor(channels, for: 180)
        let events = station.events
        for channel in ["ch1", "ch2"] {
            let owners = events.owners(of: channel)
            #expect(Set(owners).count == owners.count)
        }
        #expect(second.accepted > first.accepted)
        #expect(
            second.accepted == Int64(events.owners(of: "ch1").count + events.owners(of: "ch2").count))
        #expect(events.alerts.filter { $0 == "raise ch1 presence.silent" }.count == 1)
        #expect(events.alerts.filter { $0 == "clear ch1 presence.silent" }.count == 1)
    }

    @Test func renamedChannel_isStillFollowed_andKeepsItsCounters() async throws {
        let station = try MonitoredStation(channels: 1)
        var channels = station.channels(1...1)
        var before: UInt64 = 0
        _ = try await station.monitor(channels, for: 61) { monitor, time in
            guard time == 60 else { return }
            before = try #require(monitor.snapshots.first).tagCount
            channels[0].name = "Another"
            monitor.follow(channels)
            let after = try #require(monitor.snapshots.first)
            #expect(after.name == "Another" && after.tagCount == before && before > 0)
        }
        #expect(!station.events.states(of: "ch1").contains(.ended))
    }

    @Test func newSession_afterARestart_continuesWithoutDuplicateTags() async throws {
        let station = try MonitoredStation(channels: 1, script: "at 60s channel 1: expired-session")
        _ = try await station.monitor(station.channels(1...1), for: 120)
        let countBefore = station.events.owners(of: "ch1").count
        _ = try await station.monitor(station.channels(1...1), for: 60)
        let owners = station.events.owners(of: "ch1")
        #expect(Set(owners).count == owners.count && owners.count > countBefore)
    }

    /// After five minutes of silence all renditions are probed again, with the URIs of the current session.
    @Test func silence_afterSessionExpiry_endsWithoutDuplicateTags() async throws {
        let station = try MonitoredStation(
            channels: 1,
            script: "at 60s channel 1: expired-session\nat 330s for 60s channel 1: no-tags")
        _ = try await station.monitor(station.channels(1...1), for: 480)
        let owners = station.events.owners(of: "ch1")
        #expect(Set(owners).count == owners.count)
        #expect(
            station.events.findings.isSubset(of: [
                "ch1 presence.silent", "ch1 sequence.step", "ch1 time.gap", "ch1 info.late", "ch1 tag.count",
            ]))
        #expect(station.events.states(of: "ch1").contains(.silent))
        #expect(station.events.states(of: "ch1").last != .silent)
    }

    /// The rendition without tags is read while the others are probed, so none of its segments is missed.
    @Test func silence_afterFiveMinutes_losesNoLaterTag() async throws {
        let renditions = Self.renditions(withTags: [true, false])
        let whole = try MonitoredStation(channels: 1, renditions: renditions)
        _ = try await whole.monitor(whole.channels(1...1), for: 480)
        let station = try MonitoredStation(
            channels: 1, script: "at 330s for 60s channel 1: no-tags", renditions: renditions)
        _ = try await station.monitor(station.channels(1...1), for: 480)
        #expect(
            station.events.findings.isSubset(of: [
                "ch1 presence.silent", "ch1 sequence.step", "ch1 time.gap", "ch1 info.late", "ch1 tag.count",
            ]), "\(station.events.findings)")
        let owners = station.events.owners(of: "ch1")
        let after = whole.events.owners(of: "ch1").suffix(7)
        #expect(owners.suffix(7) == after && Set(owners).count == owners.count)
    }

    @Test func channelRemovedBeforeARestart_hasItsAlertCleared() async throws {
        let station = try MonitoredStation(channels: 2, script: "at 0s channel 1: no-tags")
        _ = try await station.monitor(station.channels(1...2), for: 60)
        #expect(station.events.alerts == ["raise ch1 presence.silent"])
        _ = try await station.monitor(station.channels(2...2), for: 10)
        #expect(station.events.alerts == ["raise ch1 presence.silent", "clear ch1 presence.silent"])
        #expect(AlertStore(path: "\(station.directory)/alerts.json").activeCount == 0)
    }

    /// The shares of 512 requests and 1,000 renditions, of channels that run while others come and go.
    @Test func sharesOfRunningChannels_followTheNumberOfChannels() async throws {
        let station = try MonitoredStation(channels: 5)
        let counts = [1: (512, 1_000), 5: (102, 200), 2: (256, 500)]
        _ = try await station.monitor(station.channels(1...1), for: 4) { monitor, seconds in
            guard let count = [1: 1, 2: 5, 3: 2][seconds], let share = counts[count] else { return }
            monitor.follow(station.channels(1...count))
            #expect(monitor.runners.count == count)
            for runner in monitor.runners {
                #expect(runner.context.use.maximumTransferCount == share.0, "\(count)")
                #expect(runner.context.use.maximumRenditionCount == share.1, "\(count)")
                #expect(runner.sources.allSatisfy { $0.share == share.0 }, "\(count)")
            }
        }
    }

    @Test func changedChannelList_startsAndStopsChannels() async throws {
        let station = try MonitoredStation(channels: 3)
        _ = try await station.monitor(station.channels(1...2), for: 120) { monitor, seconds in
            if seconds == 40 { monitor.follow(station.channels(2...3)) }
        }
        let events = station.events
        #expect(events.owners(of: "ch1").count < 10)
        #expect(events.owners(of: "ch2").count > 12)
        #expect(events.owners(of: "ch3").count > 8)
        #expect(events.states(of: "ch2") == [.healthy])
    }

    private static func renditions(withTags: [Bool]) -> [SynthesisSettings.Rendition] {
        withTags.enumerated().map { index, carriesTags in
            .init(name: "r\(index)", video: index == 0 ? nil : .smallest, carriesTags: carriesTags)
        }
    }

    @Test func renditions_thatAllCarryTheTags_storeEachTagOnce() async throws {
        let station = try MonitoredStation(
            channels: 1, renditions: Self.renditions(withTags: [true, true]), playlistCount: 2)
        let channels = station.channels(1...1).map { channel in
            var channel = channel
            channel.rendition = .chosen(.all)
            return channel
        }
        let totals = try await station.monitor(channels, for: 60)
        let owners = station.events.owners(of: "ch1")
        // Each tag is reported for both renditions and stored once.
        #expect(owners.count == 2 * Set(owners).count)
        #expect(totals.accepted == Int64(Set(owners).count))
        #expect(station.events.alerts.isEmpty)
    }

    @Test func automaticRendition_isTheOneThatCarriesTags_andIsReported() async throws {
        let station = try MonitoredStation(channels: 1, renditions: Self.renditions(withTags: [false, true]))
        let totals = try await station.monitor(station.channels(1...1), for: 60)
        #expect(station.notes == ["ch1: tags are in r1/index.m3u8"])
        let owners = station.events.owners(of: "ch1")
        #expect(owners.count > 8 && Set(owners).count == owners.count)
        #expect(totals.accepted == Int64(owners.count))
        #expect(station.events.states(of: "ch1") == [.healthy])
    }

    /// A probe takes half a minute, or two minutes if a rendition does not respond: longer than a playlist lists a
    /// segment.
    @Test func automaticRendition_afterARestart_isReadAtOnce() async throws {
        let station = try MonitoredStation(channels: 1, renditions: Self.renditions(withTags: [false, true]))
        _ = try await station.monitor(station.channels(1...1), for: 60)
        let before = station.events.owners(of: "ch1").count
        station.clock.advance(by: .seconds(12))
        var readAtOnce = 0
        let totals = try await station.monitor(station.channels(1...1), for: 90) { _, seconds in
            if seconds == 10 { readAtOnce = station.events.owners(of: "ch1").count - before }
        }
        #expect(readAtOnce > 0)
        // The rendition with the tags is still followed, so the note is not repeated.
        #expect(station.notes == ["ch1: tags are in r1/index.m3u8"])
        let owners = station.events.owners(of: "ch1")
        #expect(Set(owners).count == owners.count && totals.accepted == Int64(owners.count))
    }

    @Test func automaticRendition_whoseTagsMovedBeforeARestart_isSelectedAgain() async throws {
        let station = try MonitoredStation(channels: 1, renditions: Self.renditions(withTags: [false, true]))
        let buffer = try await TagBuffer.open(
            directory: station.directory, settings: StoreSettings(), clock: station.clock)
        // The tags were in the audio rendition then.
        let bookmark = Bookmark(channel: "ch1", reader: "ch1/rendition AUDIO audio r0  0", position: 0)
        try await buffer.append([NewTag(body: [1])], bookmark: bookmark)
        await buffer.close()
        var readAtOnce: UInt64 = 0
        _ = try await station.monitor(station.channels(1...1), for: 120) { monitor, seconds in
            if seconds == 10 { readAtOnce = monitor.snapshots.first?.segmentCount ?? 0 }
        }
        #expect(readAtOnce > 0)
        #expect(station.notes == ["ch1: tags are in r1/index.m3u8"])
        #expect(station.events.owners(of: "ch1").count > 3)
    }

    @Test func channelWithoutTagsInAnyRendition_isSilent_andReported() async throws {
        let station = try MonitoredStation(
            channels: 1, renditions: Self.renditions(withTags: [false, false]))
        _ = try await station.monitor(station.channels(1...1), for: 60)
        #expect(station.notes == ["ch1: no rendition carries tags"])
        #expect(station.events.states(of: "ch1").last == .silent)
        #expect(station.events.alerts == ["raise ch1 presence.silent"])
    }

    /// As after a new setup of an encoder: other bit rates, other paths, the same channel.
    @Test func removedRendition_isReplacedByANewSelection() async throws {
        let station = try MonitoredStation(
            channels: 1,
            renditions: [.init(name: "r0", video: .smallest), .init(name: "r1", video: .smallest)],
            readdress: { target, time in
                guard time >= .seconds(60) else { return target }
                return target.contains("/r0/")
                    ? "/gone" : target.replacingOccurrences(of: "/new/", with: "/r0/")
            },
            rewrite: { playlist, _, time in
                guard time >= .seconds(60) else { return playlist }
                return playlist.replacingOccurrences(of: "r0/", with: "new/")
                    .replacingOccurrences(of: "BANDWIDTH=", with: "BANDWIDTH=1")
            })
        var channel = station.channels(1...1)[0]
        channel.rendition = .chosen(.lowest)
        let totals = try await station.monitor([channel], for: 240)
        let owners = station.events.owners(of: "ch1")
        // Tags in segments that both renditions list are reported for both and stored once.
        #expect((22...30).contains(Set(owners).count) && totals.accepted == Int64(Set(owners).count))
        #expect(station.events.states(of: "ch1").last == .healthy)
        #expect(station.events.findings == ["ch1 playlist.http"])
        #expect(station.events.alerts.isEmpty)
    }

    @Test func channelThatMayEnd_andEndsWhileSilent_isEnded_andNotReopened() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 0s channel 1: no-tags\nat 60s channel 1: stalled-playlist",
            endsAfter: .seconds(60))
        var channel = station.channels(1...1)[0]
        channel.mayEnd = true
        var countAtTheEnd = 0
        _ = try await station.monitor([channel], for: 120) { monitor, seconds in
            if seconds == 80 { countAtTheEnd = station.requestCount }
        }
        #expect(station.events.states(of: "ch1").contains(.silent))
        #expect(station.events.states(of: "ch1").last == .ended)
        #expect(countAtTheEnd > 0 && station.requestCount == countAtTheEnd)
        #expect(station.events.alerts == ["raise ch1 presence.silent", "clear ch1 presence.silent"])
    }

    @Test func fullBuffer_isReportedOnce_andMonitoringContinues() async throws {
        let station = try MonitoredStation(channels: 1)
        // The buffer is full before the monitor starts.
        let settings = StoreSettings(maximumByteCount: 2_000_000, fullPolicy: .refuseNewest)
        let buffer = try await TagBuffer.open(directory: station.directory, settings: settings)
        do throws(StoreError) {
            while true {
                try await buffer.append(
                    (0..<20).map { _ in NewTag(body: [UInt8](repeating: 7, count: 3_000)) })
            }
        } catch {
            #expect(error == .full)
        }
        do throws(StoreError) {
            while true { try await buffer.append([NewTag(body: [1])]) }
        } catch {
            #expect(error == .full)
        }
        await buffer.close()
        _ = try await station.monitor(station.channels(1...1), for: 60, settings: settings)
        #expect(station.notes == ["the buffer is full: new tags are lost"])
        #expect(station.events.owners(of: "ch1").count > 6)
    }
}

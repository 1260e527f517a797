import Foundation
import HLSInput
import StreamHealth
import StreamMonitor
import StreamSynthesis
import Synchronization
import TagStore
import TestSupport
import Testing

/// Channels with a backup.
@Suite(.timeLimit(.minutes(30))) struct BackupTests {
    /// Returns whether the notes say that the backup replaced the primary, and that the primary was used again.
    private static func saysThatTheBackupWasUsed(_ station: MonitoredStation) -> Bool {
        station.notes.count == 2 && station.notes[0].hasPrefix("ch1: on the backup since ")
            && station.notes[0].contains(" UTC because ") && station.notes[1] == "ch1: on the primary again"
    }

    @Test func backup_isFollowedButNotRead_whileThePrimaryWorks() async throws {
        let station = try MonitoredStation(channels: 1, playlistCount: 2)
        _ = try await station.monitor([station.channelWithBackup(1)], for: 120)
        #expect(station.backupSegmentCount == 0 && station.notes.isEmpty)
        #expect(station.events.states(of: "ch1") == [.healthy])
        #expect(station.events.findings.isEmpty)
    }

    /// Playlists and segments fail, or only segments fail, or the playlist is not updated.
    @Test(arguments: ["status 503", "status 404 segment", "stalled-playlist"])
    func backup_isReadWhileThePrimaryFails_withoutDuplicateOrMissingTags(fault: String) async throws {
        let whole = try MonitoredStation(channels: 1)
        let expected = try await whole.monitor(whole.channels(1...1), for: 240).accepted
        let station = try MonitoredStation(
            channels: 1, script: "at 60s for 60s channel 1: \(fault)", playlistCount: 2)
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 240)
        #expect(Self.saysThatTheBackupWasUsed(station), "\(station.notes)")
        let states = station.events.states(of: "ch1")
        #expect(!states.contains(.silent) && !states.contains(.unreachable), "\(states)")
        #expect(states.last == .healthy)
        #expect(Set(station.events.owners(of: "ch1")).count == Int(expected))
        #expect(totals.accepted == expected)
        #expect((5...20).contains(station.backupSegmentCount))
        #expect(!station.events.findings.contains("ch1 rendition.tags-differ"), "\(station.events.findings)")
    }

    /// One of the two followed playlists fails, or both fail.
    @Test(arguments: [(["r0"], false), (["r0", "r1"], true)])
    func backup_isReadOnlyIfAllPlaylistsOfThePrimaryFail(failing: [String], isRead: Bool) async throws {
        let station = try MonitoredStation(
            channels: 1,
            renditions: [.init(name: "r0", video: .smallest), .init(name: "r1", video: .smallest)],
            playlistCount: 3,
            rewrite: { playlist, target, time in
                let isFailing = failing.contains { target == "/ch1/\($0)/index.m3u8" }
                return isFailing && (.seconds(60)..<(.seconds(120))).contains(time) ? "none" : playlist
            })
        var channel = station.channelWithBackup(1)
        channel.rendition = .chosen(.all)
        _ = try await station.monitor([channel], for: 180) { _, seconds in
            // The backup is opened once the two playlists of the primary are known, and then follows two as well.
            if seconds > 10 { await station.clock.waitForSleepers(5) }
        }
        #expect(
            station.targets.contains("/ch1/r0/index.m3u8") && station.targets.contains("/ch1/r1/index.m3u8"))
        #expect(isRead ? Self.saysThatTheBackupWasUsed(station) : station.notes.isEmpty, "\(station.notes)")
        #expect((station.backupSegmentCount > 0) == isRead, "\(station.backupSegmentCount)")
    }

    /// Only the last minute of a backup is held in case it is needed.
    @Test func backup_afterLongPrimaryUptime_isReadFromOneMinuteBeforeTheFailure() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 300s for 30s channel 1: status 503", playlistCount: 2)
        _ = try await station.monitor([station.channelWithBackup(1)], for: 360)
        #expect(Self.saysThatTheBackupWasUsed(station), "\(station.notes)")
        #expect((5...20).contains(station.backupSegmentCount), "\(station.backupSegmentCount)")
    }

    @Test func channelWhosePrimaryCannotBeOpened_isReadFromItsBackup() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 0s for 600s channel 1: status 503", playlistCount: 2)
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 120)
        #expect(totals.accepted >= 10)
        #expect(station.events.states(of: "ch1").last == .degraded)
        #expect(station.events.alerts == ["raise ch1 channel.backup"])
    }

    @Test func backupThatFailsWithThePrimary_leavesTheChannelUnreachable() async throws {
        let fault = "at 60s for 120s channel 1: status 503"
        let station = try MonitoredStation(channels: 1, script: fault, backupScript: fault, playlistCount: 2)
        _ = try await station.monitor([station.channelWithBackup(1)], for: 300)
        let states = station.events.states(of: "ch1")
        #expect(states.contains(.unreachable) && states.last == .healthy, "\(states)")
    }

    /// The primary has variants and the backup is a media playlist, or the other way round.
    @Test(arguments: [true, false])
    func backup_withDifferentPlaylistStructure_isFollowedAndRead(primaryHasVariants: Bool) async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 60s for 60s channel 1: status 503",
            renditions: [.init(name: "r0", video: .smallest), .init(name: "r1", video: .smallest)],
            playlistCount: 2)
        var channel = station.channelWithBackup(1)
        channel.rendition = .chosen(.lowest)
        if primaryHasVariants {
            channel.backup = channel.backup?.replacingOccurrences(of: "index.m3u8", with: "r0/index.m3u8")
        } else {
            channel.url = channel.url.replacingOccurrences(of: "index.m3u8", with: "r0/index.m3u8")
        }
        let totals = try await station.monitor([channel], for: 180)
        #expect(Self.saysThatTheBackupWasUsed(station), "\(station.notes)")
        #expect((5...20).contains(station.backupSegmentCount))
        #expect(Set(station.events.owners(of: "ch1")).count == Int(totals.accepted))
        let states = station.events.states(of: "ch1")
        #expect(!states.contains(.silent) && !states.contains(.unreachable), "\(states)")
    }

    @Test func backup_thatEndedAndRestarted_isReadWhenNeeded_withoutVariantDrift() async throws {
        let last = Mutex<[String: String]>([:])
        let station = try MonitoredStation(
            channels: 1, script: "at 240s for 60s channel 1: status 503", playlistCount: 2,
            rewrite: { playlist, target, time in
                guard target.hasPrefix("/backup/"), (.seconds(30)..<(.seconds(150))).contains(time) else {
                    return playlist
                }
                return last.withLock { last in
                    let ended = last[target] ?? playlist + "#EXT-X-ENDLIST\n"
                    last[target] = ended
                    return ended
                }
            })
        let totals = try await station.monitor([station.channelWithBackup(1)], for: 360)
        #expect(Self.saysThatTheBackupWasUsed(station), "\(station.notes)")
        #expect(!station.events.findings.contains("ch1 playlist.variant-drift"))
        #expect((5...20).contains(station.backupSegmentCount))
        #expect(Set(station.events.owners(of: "ch1")).count == Int(totals.accepted))
        let states = station.events.states(of: "ch1")
        #expect(!states.contains(.silent) && !states.contains(.unreachable), "\(states)")
    }

    @Test func backup_followsThePrimaryToAnotherRendition() async throws {
        let station = try MonitoredStation(
            channels: 1,
            renditions: [
                .init(name: "r0", video: nil, carriesTags: false), .init(name: "r1", video: .smallest),
            ], playlistCount: 2)
        // The tags were in the audio rendition when it was last read.
        let buffer = try await TagBuffer.open(
            directory: station.directory, settings: StoreSettings(), clock: station.clock)
        let bookmark = Bookmark(channel: "ch1", reader: "ch1/rendition AUDIO audio r0  0", position: 0)
        try await buffer.append([NewTag(body: [1])], bookmark: bookmark)
        await buffer.close()
        _ = try await station.monitor([station.channelWithBackup(1)], for: 120)
        #expect(station.notes == ["ch1: tags are in r1/index.m3u8"])
        let targets = station.targets.filter { $0.hasPrefix("/backup/ch1/r") }
        #expect(targets.contains("/backup/ch1/r0/index.m3u8"))
        #expect(targets.last == "/backup/ch1/r1/index.m3u8")
    }

    /// The backup has its own media sequence numbers.
    ///
    /// After a restart the numbers are new, so all segments are read.
    @Test func backup_withOtherMediaSequence_storesEachTagOnce_acrossARestart() async throws {
        let station = try MonitoredStation(
            channels: 1, script: "at 60s for 600s channel 1: status 503", playlistCount: 2,
            rewrite: { playlist, target, time in
                guard target.hasPrefix("/backup/") else { return playlist }
                return playlist.replacing(#/#EXT-X-MEDIA-SEQUENCE:(\d+)/#) { match in
                    // The backup was restarted too, so its numbers are different again.
                    "#EXT-X-MEDIA-SEQUENCE:\((Int(match.1) ?? 0) + (time < .seconds(150) ? 5_000 : 90_000))"
                }
            })
        let channel = station.channelWithBackup(1)
        var totals = try await station.monitor([channel], for: 150)
        let before = totals.accepted
        totals = try await station.monitor([channel], for: 60)
        #expect(totals.accepted > before)
        #expect(Set(station.events.owners(of: "ch1")).count == Int(totals.accepted))
    }

    @Test func backup_withTheSameTags_isNotAFinding() async throws {
        let station = try MonitoredStation(channels: 1, playlistCount: 2)
        let totals = try await station.monitor([station.channelWithBackup(1, isCompared: true)], for: 300)
        #expect(station.backupSegmentCount > 40)
        #expect(station.events.findings.isEmpty && station.events.alerts.isEmpty)
        #expect(Set(station.events.owners(of: "ch1")).count == Int(totals.accepted))
    }

    @Test func backupThatLosesItsTags_isReportedBeforeItIsNeeded() async throws {
        let station = try MonitoredStation(
            channels: 1, backupScript: "at 60s for 180s channel 1: no-tags", playlistCount: 2)
        _ = try await station.monitor([station.channelWithBackup(1, isCompared: true)], for: 400)
        #expect(station.events.findings.contains("ch1 rendition.tags-differ"), "\(station.events.findings)")
        #expect(station.events.alerts.contains("raise ch1 rendition.tags-differ"), "\(station.events.alerts)")
        #expect(station.events.alerts.last == "clear ch1 rendition.tags-differ")
        #expect(station.events.states(of: "ch1").last == .healthy)
    }
}

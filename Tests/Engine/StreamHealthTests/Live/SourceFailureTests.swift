import HLSPlaylist
import ID3v2
import NielsenID3
import Testing

@testable import StreamHealth

/// Whether a source of a channel can be used, as its loads and segments show.
@Suite struct SourceFailureTests {
    /// A channel with a backup, whose times are seconds from its start.
    private struct Channel {
        var health: ChannelHealth
        let first = RenditionID(0)
        let second = RenditionID(1)
        let backup = RenditionID(0, of: .backup)

        init() {
            var settings = ChannelHealthSettings()
            settings.hasBackup = true
            health = ChannelHealth(
                policy: HealthPolicy(), settings: settings,
                at: ClockMoment(steady: Self.time(0), wall: WallTime(unixSeconds: 1_000_000)))
            follow([first, second])
            health.setRenditions([ChannelRendition(id: backup, name: nil)], of: .backup)
            for id in [first, second, backup] { load(id, at: 1) }
        }

        static func time(_ seconds: Double) -> SteadyTime { SteadyTime(seconds: 1_000_000 + seconds) }

        mutating func follow(_ ids: [RenditionID]) {
            health.setRenditions(ids.map { ChannelRendition(id: $0, name: "r\($0.index)") })
        }

        mutating func load(_ id: RenditionID, at seconds: Double) {
            let edge = PlaylistEdge(targetDuration: 6)
            health.observe(.changed(edge), rendition: id, at: Self.time(seconds))
        }

        mutating func fail(_ id: RenditionID, at seconds: Double) {
            health.observe(.failed(FetchFailure(httpStatus: 503)), rendition: id, at: Self.time(seconds))
        }

        mutating func read(_ isSuccess: Bool, of id: RenditionID, at seconds: Double) {
            health.observeAttempt(isSuccess, toReadSegmentOf: id, at: Self.time(seconds))
        }

        func isFailing(at seconds: Double) -> Bool { health.isFailing(.primary, at: Self.time(seconds)) }
    }

    /// Segments that are read slowly delay the loads of the playlist.
    @Test func sourceWhoseSegmentsFail_failsUntilOneIsRead_alsoWithoutLoads() {
        var channel = Channel()
        for id in [channel.first, channel.second] {
            for second in [2.0, 3] { channel.read(false, of: id, at: second) }
        }
        channel.health.advance(to: Channel.time(500))
        #expect(channel.isFailing(at: 500))
        channel.read(true, of: channel.second, at: 501)
        #expect(!channel.isFailing(at: 501))
    }

    @Test func sourceThatCannotBeOpenedAgain_fails_althoughItsPlaylistsWereLoaded() {
        var channel = Channel()
        let failure = FetchFailure(httpStatus: 503)
        channel.health.observe(failure, opening: .primary, at: Channel.time(5))
        #expect(channel.isFailing(at: 5) && channel.health.backupUse != nil)
        channel.follow([channel.first])
        channel.load(channel.first, at: 10)
        #expect(channel.isFailing(at: 10))
        channel.read(true, of: channel.first, at: 11)
        #expect(!channel.isFailing(at: 11) && channel.health.backupUse == nil)
    }

    @Test func sourceWithOneWorkingPlaylist_doesNotFail() {
        var channel = Channel()
        for second in [2.0, 3, 4] { channel.fail(channel.first, at: second) }
        #expect(!channel.isFailing(at: 5))
        for second in [5.0, 6] { channel.fail(channel.second, at: second) }
        #expect(channel.isFailing(at: 6))
    }

    /// No segment of a backup is read while the primary works.
    @Test func backupThatRecovered_isUsedAtOnce() {
        var channel = Channel()
        for second in [2.0, 3] { channel.fail(channel.backup, at: second) }
        channel.load(channel.backup, at: 10)
        for id in [channel.first, channel.second] {
            for second in [11.0, 12] { channel.fail(id, at: second) }
        }
        #expect(channel.health.backupUse != nil)
        for second in [13.0, 14] { channel.fail(channel.backup, at: second) }
        #expect(channel.health.backupUse == nil)
    }

    /// Whether the failed load of the backup explains a silence is tried, and it does not.
    @Test func silence_thatLoadsDoNotExplain_changesNoStartOfTheBackupsUse() {
        var channel = Channel()
        for id in [channel.first, channel.second] {
            for second in [2.0, 3] { channel.read(false, of: id, at: second) }
        }
        let start = channel.health.backupUse?.since
        channel.fail(channel.backup, at: 30)
        channel.health.advance(to: Channel.time(31))
        #expect(channel.health.isSilent)
        #expect(start != nil && channel.health.backupUse?.since == start)
    }

    /// The load of each playlist is in progress for longer than the playlist may stay unchanged.
    @Test func sourceThatDoesNotAnswer_fails() {
        var channel = Channel()
        for id in [channel.first, channel.second] { channel.health.beginLoad(of: id, at: Channel.time(2)) }
        #expect(!channel.isFailing(at: 10) && channel.isFailing(at: 12))
    }

    @Test func pausedChannel_stillFindsOutThatItsPrimaryFails() {
        var channel = Channel()
        channel.health.pause(at: Channel.time(2))
        for id in [channel.first, channel.second] {
            for second in [3.0, 4] { channel.fail(id, at: second) }
        }
        #expect(channel.isFailing(at: 5))
        channel.health.resume(at: Channel.time(6))
        #expect(channel.isFailing(at: 6))
    }
}

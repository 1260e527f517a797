import HLSInput
import HTTPServing
import ID3v2
import NielsenID3
import StreamHealth
import StreamSynthesis
import TagRecord
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor
@testable import TagDelivery

/// The records of breaks, outages and watched times that a monitor stores for reports.
@Suite(.timeLimit(.minutes(30))) struct ChannelPeriodsTests {
    /// Whether the collector asks for the records.
    private static func delivery(wanted: Bool) -> DeliveryProgress {
        var progress = DeliveryProgress()
        progress.wantsPeriods = wanted
        return progress
    }

    /// Marks the segments with these media sequence numbers as an advertisement break.
    private static func mark(_ numbers: Range<Int>, in playlist: String) -> String {
        var lines: [Substring] = []
        var number = 0
        for line in playlist.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#EXT-X-MEDIA-SEQUENCE:") { number = Int(line.dropFirst(22)) ?? 0 }
            if line.hasPrefix("#EXTINF") {
                if numbers.contains(number) {
                    lines.append(
                        number == numbers.lowerBound ? "#EXT-X-CUE-OUT:60" : "#EXT-X-CUE-OUT-CONT:1/60")
                } else if number == numbers.upperBound {
                    lines.append("#EXT-X-CUE-IN")
                }
                number += 1
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }

    /// Returns a station with a break of ten segments, and an outage from 500 s to 560 s.
    private static func station() throws -> MonitoredStation {
        try MonitoredStation(
            channels: 1, rewrite: { playlist, _, _ in mark(1_040..<1_050, in: playlist) },
            fault: { _, time, _ in
                time >= .seconds(500) && time < .seconds(560) ? .status("503 Service Unavailable") : nil
            })
    }

    /// The periods in the buffer, and their ids, in order.
    private static func periods(
        of station: MonitoredStation
    ) async throws -> (periods: [ChannelPeriod], ids: [TagID]) {
        let buffer = try await TagBuffer.open(directory: station.directory, clock: station.clock)
        var found: (periods: [ChannelPeriod], ids: [TagID]) = ([], [])
        for tag in try await buffer.nextBatch(maximumCount: 2_000, maximumByteCount: 10_000_000) {
            guard case .period(let period) = try StoredRecord.decode(tag.body.span) else { continue }
            found.periods.append(period)
            found.ids.append(tag.id)
        }
        await buffer.close()
        return found
    }

    private static func seconds(_ period: ChannelPeriod, since start: Int64) -> ClosedRange<Double> {
        Double(period.time.lowerBound - start) / 1_000...Double(period.time.upperBound - start) / 1_000
    }

    @Test func breaksOutagesAndWatchedTimes_areStored_ifTheCollectorAsksForThem() async throws {
        let station = try Self.station()
        _ = try await station.monitor(
            station.channels(1...1), for: 1_000, delivery: Self.delivery(wanted: true))
        let start = station.startMilliseconds
        let (periods, ids) = try await Self.periods(of: station)
        #expect(Set(ids).count == ids.count)
        #expect(periods.allSatisfy { $0.channel == "ch1" && $0.name == nil && $0.monitor.count == 32 })
        // The clock starts at a quarter of an hour.
        let watched = periods.filter { $0.state == .watched }.map { Self.seconds($0, since: start) }
        try #require(watched.count == 2)
        #expect(watched[0].lowerBound < 15 && watched[0].upperBound == 900)
        #expect(watched[1] == 900...1_000)
        let breaks = periods.filter { $0.state == .advertisement }.map { Self.seconds($0, since: start) }
        try #require(breaks.count == 1)
        let length = breaks[0].upperBound - breaks[0].lowerBound
        let others = periods.filter { ![.watched, .advertisement].contains($0.state) }
        try #require(others.map(\.state) == [.unreachable])
        let outage = Self.seconds(others[0], since: start)
        #expect(outage.lowerBound > 500 && outage.lowerBound < 530)
        #expect(outage.upperBound > 560 && outage.upperBound < 590)
        #expect(others[0].reason?.contains("503") == true)
        // Ten segments of 6.4 s, in the time of the tags; the first segment is as old as the playlist is long.
        #expect(abs(length - 64) < 1.5 && abs(breaks[0].lowerBound - 256) < 60, "\(breaks)")
    }

    @Test func nothing_isStored_unlessTheCollectorAsksForIt() async throws {
        let station = try Self.station()
        _ = try await station.monitor(
            station.channels(1...1), for: 600, delivery: Self.delivery(wanted: false))
        #expect(try await Self.periods(of: station).periods == [])
    }

    @Test func restart_beginsNewPeriods_withoutTheTimeBetween() async throws {
        let station = try MonitoredStation(channels: 1)
        for _ in 1...2 {
            _ = try await station.monitor(
                station.channels(1...1), for: 60, delivery: Self.delivery(wanted: true))
            station.clock.advance(by: .seconds(40))
        }
        let start = station.startMilliseconds
        let (periods, ids) = try await Self.periods(of: station)
        #expect(periods.map(\.state) == [.watched, .watched] && Set(ids).count == 2)
        let times = periods.map { Self.seconds($0, since: start) }
        #expect(times[0].upperBound == 60)
        #expect(times[1].lowerBound >= 100 && times[1].upperBound == 160)
    }

    // MARK: Limits

    /// A channel whose only playlist is followed.
    private static func health() -> ChannelHealth {
        var health = ChannelHealth(
            policy: HealthPolicy(),
            at: ClockMoment(steady: SteadyTime(seconds: 0), wallOffset: 1_800_000_000))
        health.setRenditions([ChannelRendition(id: .first, name: nil)])
        return health
    }

    /// A channel that comes and goes every few seconds has a limited number of records, and no watched time after them.
    @Test func flappingChannel_hasALimitedNumberOfRecords_andIsNotWatchedAfterThem() {
        var health = Self.health()
        var periods = ChannelPeriods(channel: "a", monitor: "m")
        var found: [ChannelPeriod] = []
        for second in 1...1_000 {
            let outcome: PlaylistLoadOutcome =
                second % 6 < 3 ? .failed(FetchFailure()) : .changed(PlaylistEdge(targetDuration: 2))
            health.observe(outcome, at: SteadyTime(seconds: Double(second)))
            _ = health.drain()
            found += periods.observe(&health, name: "a")
        }
        let start: Int64 = 1_800_000_000_000
        let quarter = found.filter { $0.time.lowerBound < start + 899_000 }
        #expect(quarter.count == 60)
        // Watched time ends with the last record.
        #expect(quarter.allSatisfy { $0.time.upperBound < start + 800_000 })
        #expect(found.count > 60)
    }

    /// The time over which the clock was set, or the process was stopped, is not watched.
    @Test(arguments: [-7_200.0, 7_200]) func clockThatIsSet_endsThePeriods(difference: Double) {
        var health = Self.health()
        var periods = ChannelPeriods(channel: "a", monitor: "m")
        var found: [ChannelPeriod] = []
        for second in 1...200 {
            if second == 100 { health.wallTimeOffset += difference }
            health.observe(.failed(FetchFailure()), at: SteadyTime(seconds: Double(second)))
            _ = health.drain()
            found += periods.observe(&health, name: "The A", isEnd: second == 200)
        }
        let watched = found.filter { $0.state == .watched }.map {
            [$0.time.lowerBound, $0.time.upperBound].map { Double($0) / 1_000 - 1_800_000_000 }
        }
        #expect(watched == [[2, 99], [100 + difference, 200 + difference]])
        #expect(found.filter { $0.state == .watched }.allSatisfy { $0.name == "The A" })
        #expect(found.filter { $0.state == .unreachable }.count == 2)
    }
}

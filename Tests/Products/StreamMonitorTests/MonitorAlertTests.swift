import Foundation
import NielsenID3
import StreamHealth
import Synchronization
import TagStore
import TestSupport
import Testing

@testable import StreamMonitor
@testable import TagDelivery

/// The alerts of a monitor about itself, from their causes: a buffer that is full, a collector that is away, segments
/// that are read late, and a wrong clock.
@Suite(.timeLimit(.minutes(30))) struct MonitorAlertTests {
    /// A cause of an alert, while a monitor follows a channel.
    struct Cause: Sendable {
        var settings = StoreSettings()
        var policy = HealthPolicy()
        var delivery: DeliveryProgress?
        /// The size of the tags in the buffer before the monitor starts.
        var byteCount: Int64 = 0
        /// The seconds between the listing of a segment and its arrival on the server.
        var lateness = 0
        /// The number of channels.
        var channelCount = 1
        /// The seconds from the right time to the wall clock.
        var clockError: Int64 = 0
        /// The start of the detail of the alert.
        let detail: String

        init(_ detail: String, _ change: (inout Cause) -> Void) {
            self.detail = detail
            change(&self)
        }
    }

    /// The maximum size of a small buffer.
    private static let smallByteCount = 4 << 20

    static let causes: [CheckID: Cause] = [
        .deliveryStalled: Cause("") {
            $0.policy[.deliveryStalled] = 60
            $0.delivery = DeliveryProgress()
        },
        .deliveryRefused: Cause("the collector needs an operator: it answers 401") {
            $0.delivery = DeliveryProgress()
            $0.delivery?.activity = .holding(until: .max, reason: "it answers 401")
        },
        .bufferEvicting: Cause("the buffer uses 8") {
            $0.settings.maximumByteCount = smallByteCount
            $0.byteCount = Int64(smallByteCount / 100 * 85)
        },
        .bufferDisk: Cause("the buffer is full: new tags are lost") {
            $0.settings.maximumByteCount = smallByteCount
            $0.settings.fullPolicy = .refuseNewest
            $0.byteCount = .max
        },
        // Each segment is read when the playlist lists at least one later segment of 6.4 s.
        .monitorOverloaded: Cause("1 of 1 channel is read more than 5 s late") {
            $0.policy[.late] = 5
            $0.lateness = 20
        },
        .monitorClock: Cause(
            "the tags of 3 of 3 channels are 12 h 0 min before the clock of this machine: it is"
        ) {
            $0.channelCount = 3
            $0.clockError = 43_200
        },
    ]

    @Test func everyCheckOfTheMonitor_hasACause() {
        #expect(Set(Self.causes.keys) == Set(CheckID.ofMonitorItself))
    }

    /// Returns a station whose segments are missing for some seconds after they are listed.
    private static func station(_ channelCount: Int, lateness seconds: Int) throws -> MonitoredStation {
        let listed = Mutex<[Substring: Duration]>([:])
        return try MonitoredStation(
            channels: channelCount,
            rewrite: { playlist, _, time in
                listed.withLock { listed in
                    for line in playlist.split(separator: "\n") where line.hasSuffix(".ts") {
                        listed[line] = listed[line] ?? time
                    }
                }
                return playlist
            },
            fault: { target, time, _ in
                let start = listed.withLock { $0.first { target.hasSuffix($0.key) }?.value }
                guard let start, time - start < .seconds(seconds) else { return nil }
                return .status("404 Not Found")
            })
    }

    /// Fills a buffer up to a size, or until it refuses tags.
    private static func fill(_ directory: String, _ cause: Cause, _ clock: ManualClock) async throws {
        let buffer = try await TagBuffer.open(directory: directory, settings: cause.settings, clock: clock)
        // Up to the smallest tag, so that the buffer has no space for those of the channel.
        for size in [20_000, 2_000, 100] {
            var isFull = false
            while !isFull {
                // Incompressible, so that the size is known.
                let body = (0..<size).map { _ in UInt8.random(in: .min ... .max) }
                let pieces = try await buffer.appendInPieces([NewTag(body: body)])
                let byteCount = try await buffer.status().byteCount
                isFull = byteCount >= cause.byteCount || pieces[0].outcome == nil
            }
        }
        await buffer.close()
    }

    /// The cause lasts from before the first start until after the second one.
    @Test(arguments: CheckID.ofMonitorItself)
    func alert_isRaisedOnceAndClearedOnce_acrossARestart(check: CheckID) async throws {
        let cause = try #require(Self.causes[check])
        let station = try Self.station(cause.channelCount, lateness: cause.lateness)
        if cause.byteCount > 0 { try await Self.fill(station.directory, cause, station.clock) }
        func alerts() -> [String] {
            station.events.alerts.filter { $0.hasPrefix("raise monitor \(check.rawValue)") }
                + station.events.alerts.filter { $0.hasPrefix("clear monitor \(check.rawValue)") }
        }
        var clockError: Int64 = 0
        func monitor(_ cause: Cause) async throws {
            let change = (cause.clockError - clockError) * 1_000
            clockError = cause.clockError
            station.clock.setWallClock(unixMilliseconds: station.clock.unixMilliseconds + change)
            _ = try await station.monitor(
                station.channels(1...cause.channelCount), for: 240, settings: cause.settings,
                policy: cause.policy,
                delivery: cause.delivery)
        }
        try await monitor(cause)
        #expect(alerts() == ["raise monitor \(check.rawValue)"], "\(station.notes)")
        let details = station.events.compactMap { event in
            if case .alert(let change, _) = event.kind, change.alert.check == check {
                change.alert.detail
            } else {
                nil
            }
        }
        #expect(details.allSatisfy { $0.hasPrefix(cause.detail) }, "\(details)")
        try await monitor(cause)
        #expect(alerts() == ["raise monitor \(check.rawValue)"])
        try await monitor(Cause("") { $0.channelCount = cause.channelCount })
        #expect(alerts() == ["raise monitor \(check.rawValue)", "clear monitor \(check.rawValue)"])
    }

    /// Below the limit of 80 %, nothing is raised.
    @Test func bufferBelowTheLimit_raisesNoAlert() async throws {
        let cause = Cause("") {
            $0.settings.maximumByteCount = Self.smallByteCount
            $0.byteCount = Int64(Self.smallByteCount / 100 * 70)
        }
        let station = try MonitoredStation(channels: 1)
        try await Self.fill(station.directory, cause, station.clock)
        _ = try await station.monitor(station.channels(1...1), for: 60, settings: cause.settings)
        #expect(station.events.alerts == [])
    }
}

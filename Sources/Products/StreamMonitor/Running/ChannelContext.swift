import HLSPlaylist
import HostSystem
import StreamHealth
import Synchronization

/// The settings and services that all parts of a channel share.
struct ChannelContext: Sendable {
    /// The settings of the channel.
    let settings: ChannelSettings
    /// The services that all channels share.
    let services: MonitorServices
    /// The use that the channel makes of shared resources.
    let use: ChannelUse

    init(_ settings: ChannelSettings, services: MonitorServices) {
        self.settings = settings
        self.services = services
        use = ChannelUse(settings.policy)
    }

    /// Reports a one-line message about the channel.
    func note(_ text: String) { services.note("\(settings.id): \(text)") }

    /// Sleeps; returns false if the task was cancelled.
    func sleep(_ duration: Duration) async -> Bool {
        do throws(CancellationError) {
            try await services.clock.sleep(for: duration)
            return true
        } catch {
            return false
        }
    }
}

/// The limits of a channel on resources that all channels share, and its use of them.
final class ChannelUse: Sendable {
    /// The total numbers of concurrent requests and of followed renditions.
    private static let transferCount = 512
    private static let renditionCount = 1_000
    /// The limit on events in the first minute, when every segment of the playlist is new.
    private static let initialLineCount = 100_000

    private let policy: HealthPolicy
    private let state: Mutex<State>

    private struct State {
        /// The limit on new segments that are read.
        var segments: RateShare
        /// The limit on tags and findings that are reported.
        var lines: RateShare
        var maximumRenditionCount = 1
        var maximumTransferCount: Int
        var hasReadList = false
    }

    init(_ policy: HealthPolicy) {
        self.policy = policy
        state = Mutex(
            State(
                segments: RateShare(
                    policy.count(.channelSegments), every: .seconds(60),
                    initialCount: PlaylistLimit.segments.maximum),
                lines: RateShare(
                    policy.count(.channelLines), every: .seconds(60), initialCount: Self.initialLineCount),
                maximumTransferCount: policy.count(.channelTransfers)))
    }

    /// Sets the limits on renditions and requests for a monitor with `channelCount` channels.
    ///
    /// With few channels, each gets an equal part of the total if that exceeds the default limit. An explicit limit
    /// applies unchanged.
    func share(with channelCount: Int) {
        func share(_ limit: HealthLimit, of all: Int) -> Int {
            let share = max(1, policy.count(limit))
            return policy.isSet(limit) ? share : max(share, all / max(1, channelCount))
        }
        state.withLock { state in
            state.maximumRenditionCount = share(.channelRenditions, of: Self.renditionCount)
            state.maximumTransferCount = share(.channelTransfers, of: Self.transferCount)
        }
    }

    /// The maximum number of renditions that may be followed.
    var maximumRenditionCount: Int { state.withLock(\.maximumRenditionCount) }

    /// The number of concurrent requests of each source while other channels have requests too.
    var maximumTransferCount: Int { state.withLock(\.maximumTransferCount) }

    /// Whether the channel has tried to read all that its first playlist lists.
    var hasReadList: Bool {
        get { state.withLock(\.hasReadList) }
        set { state.withLock { $0.hasReadList = newValue } }
    }

    /// Returns how many of the `wanted` segments may be read now.
    ///
    /// - Parameter time: The time by a monotonic clock.
    func claimSegments(_ wanted: Int, at time: Duration) -> Int {
        state.withLock { $0.segments.claim(wanted, at: time) }
    }

    /// Returns how many of the `wanted` events may be reported now.
    ///
    /// - Parameter time: The time by a monotonic clock.
    func claimEvents(_ wanted: Int, at time: Duration) -> Int {
        state.withLock { $0.lines.claim(wanted, at: time) }
    }
}

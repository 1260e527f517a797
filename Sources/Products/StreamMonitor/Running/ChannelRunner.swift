import HLSInput
import HostSystem
import NielsenID3
import StreamHealth
import TagStore

/// Follows one channel until its task ends: its sources read segments, and its pipeline processes them.
final class ChannelRunner: Sendable {
    let context: ChannelContext
    private let tags: ChannelTags
    /// The state of the channel, and what changes it.
    let pipeline: ChannelPipeline
    private let primary: SourceFollower
    private let backup: SourceFollower?

    /// The settings of the channel, with its current display name.
    var settings: ChannelSettings {
        var settings = context.settings
        settings.name = pipeline.snapshot.name
        return settings
    }

    init(
        _ settings: ChannelSettings, services: MonitorServices, alerts: AlertStore,
        report: @escaping @Sendable (MonitorEvent) -> Void
    ) {
        let context = ChannelContext(settings, services: services)
        let tags = ChannelTags(context)
        let pipeline = ChannelPipeline(context, tags: tags, alerts: alerts, report: report)
        self.context = context
        self.tags = tags
        self.pipeline = pipeline
        let primary = SourceFollower(
            LiveInput(settings.url, as: .primary, in: context), context, tags: tags,
            pipeline: pipeline)
        self.primary = primary
        backup = settings.backup.map { url in
            SourceFollower(
                LiveInput(url, as: .backup, in: context), context, tags: tags, pipeline: pipeline,
                primary: primary)
        }
    }

    /// The limit of `time.wall-clock`; nil if that check is ignored or accepted.
    var wallClockLimit: Double? {
        let settings = context.settings
        let isMuted = [settings.ignoredChecks, settings.acceptedChecks].contains {
            $0.contains(.timeWallClock)
        }
        return isMuted ? nil : settings.policy[.wallClock]
    }

    var sources: [LiveInput] { [primary, backup].compactMap { $0?.input } }

    /// Sets the limits on renditions and requests for a monitor with `channelCount` channels.
    func share(with channelCount: Int) {
        context.use.share(with: channelCount)
        for source in sources { source.share = context.use.maximumTransferCount }
    }

    /// Follows the channel until the task is cancelled or the channel has ended.
    func run() async {
        await tags.loadRecentTags()
        await withTaskGroup(of: Bool.self) { group in
            for follower in [primary, backup].compactMap({ $0 }) {
                group.addTask {
                    await follower.run()
                    return follower.input.isBackup
                }
            }
            // The backup stops with the primary.
            for await isBackup in group where !isBackup { group.cancelAll() }
        }
    }

    // MARK: Status

    /// The current state and recent history of the channel.
    var details: ChannelDetails {
        var details = pipeline.details
        details.address = printableAddress
        details.renditions = primary.places.compactMap(\.printableURI)
        return details
    }

    /// The address of the channel without its secrets.
    var printableAddress: String { primary.input.printableURL }

    /// The data for evidence of an alert.
    var evidenceSubject: EvidenceSubject {
        let details = pipeline.details
        return EvidenceSubject(
            settings: settings, input: primary.input, place: primary.places.first,
            state: details.snapshot.state, lastTagTime: details.snapshot.lastTagTime,
            findings: details.findings)
    }

    // MARK: Control

    /// Advances the channel's clock; called about once a second.
    ///
    /// - Parameters:
    ///   - losing: The owners that lost tags in the buffer because they exceeded their share.
    ///   - hasClockProblem: Whether the clock of the machine is, or may be, off the tags of most channels.
    func advance(losing: Set<TagOwner>, hasClockProblem: Bool) {
        if losing.contains(tags.owner) { pipeline.observe(.buffer, maximum: .channelBuffer) }
        observeShare(of: primary)
        if let backup { observeShare(of: backup) }
        pipeline.advance(hasClockProblem: hasClockProblem)
    }

    private func observeShare(of follower: SourceFollower) {
        guard follower.input.takeExceededShare() else { return }
        pipeline.observe(.transfers, maximum: follower.input.share)
    }
}

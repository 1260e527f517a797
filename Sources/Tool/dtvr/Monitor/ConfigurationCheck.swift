import HLSInput
import StreamMonitor

/// `dtvr monitor --check-config`: reports all errors of the channel file, without the usage text.
struct ConfigurationCheck {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    /// Prints the errors, or the number of channels, and returns the exit status.
    func perform() async throws(UsageError) -> ExitStatus {
        let faults: [String]
        do throws(ChannelChangeError) {
            faults = try ChannelListing.faults(context)
        } catch {
            return report(["\(error)"])
        }
        if !faults.isEmpty { return report(faults) }
        let listing = try ChannelListing(context)
        if context.invocation.isOn(.connect) {
            let fetcher = try InputAccess.makeFetcher(context)
            let probe = ChannelProbe(
                fetcher: fetcher, allowsPrivateAddresses: context.invocation.isOn(.allowPrivate))
            let bar = ProgressBar("Loading", on: context.console)
            let count = listing.channels.count
            let problems = await probe.problems(of: listing.channels) { bar.show($0, of: count, "channels") }
            bar.end()
            if Task.isCancelled { return .interrupted }
            if !problems.isEmpty { return report(problems) }
        }
        context.console.print(listing.countText)
        if listing.channels.isEmpty { context.console.note("the channel file contains no channel") }
        return .done
    }

    private func report(_ faults: [String]) -> ExitStatus {
        for fault in faults { context.console.note(fault) }
        return .usage
    }
}

package import HLSInput
import NielsenID3

/// Loads the playlists of channels once, to check their settings.
package struct ChannelProbe: Sendable {
    private let fetcher: ResourceFetcher
    private let allowsPrivateAddresses: Bool

    /// Creates a probe that loads with a fetcher.
    package init(fetcher: ResourceFetcher, allowsPrivateAddresses: Bool) {
        self.fetcher = fetcher
        self.allowsPrivateAddresses = allowsPrivateAddresses
    }

    /// The number of channels that are loaded at the same time.
    private static let maximumCount = 16

    /// Returns the addresses of channels that cannot be loaded or lack the rendition, as sentences without secrets, in
    /// the order of the channels.
    ///
    /// - Parameter progress: Called with the number of channels that are done.
    package func problems(
        of channels: [ChannelSettings], progress: (Int) -> Void = { _ in }
    ) async -> [String] {
        await withTaskGroup(of: (Int, [String]).self) { group in
            var problems = [[String]](repeating: [], count: channels.count)
            var doneCount = 0
            func add(_ found: [String], of index: Int) {
                problems[index] = found
                doneCount += 1
                progress(doneCount)
            }
            for (index, channel) in channels.enumerated() {
                if index >= Self.maximumCount, let (done, found) = await group.next() { add(found, of: done) }
                group.addTask { (index, await self.problems(of: channel)) }
            }
            for await (done, found) in group { add(found, of: done) }
            return problems.flatMap(\.self)
        }
    }

    private func problems(of channel: ChannelSettings) async -> [String] {
        var problems: [String] = []
        let choice: RenditionChoice =
            if case .chosen(let choice) = channel.rendition { choice } else { .all }
        let addresses: [(key: String, url: String?, source: RenditionID.Source)] = [
            ("url", channel.url, .primary), ("backup", channel.backup, .backup),
        ]
        for (key, url, source) in addresses {
            guard let url else { continue }
            let input = LiveInput(
                channel, url, as: source, fetcher: fetcher, allowsPrivateAddresses: allowsPrivateAddresses)
            do throws(InputError) {
                _ = try await input.open(choice)
            } catch {
                problems.append("[channel \(channel.id)] \(key): \(error.reason)")
            }
        }
        return problems
    }
}

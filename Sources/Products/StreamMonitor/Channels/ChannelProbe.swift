package import HLSInput
import NielsenID3

/// Loads the playlists of a channel once, to check its settings.
package struct ChannelProbe: Sendable {
    private let fetcher: ResourceFetcher
    private let allowsPrivateAddresses: Bool

    /// Creates a probe that loads with a fetcher.
    package init(fetcher: ResourceFetcher, allowsPrivateAddresses: Bool) {
        self.fetcher = fetcher
        self.allowsPrivateAddresses = allowsPrivateAddresses
    }

    /// Returns the addresses of a channel that cannot be loaded or lack its rendition, as sentences without secrets.
    package func problems(of channel: ChannelSettings) async -> [String] {
        var problems: [String] = []
        for (key, url) in [("url", channel.url), ("backup", channel.backup)] {
            guard let url else { continue }
            let input = LiveInput(
                channel, url, as: key == "url" ? .primary : .backup, fetcher: fetcher,
                allowsPrivateAddresses: allowsPrivateAddresses)
            let choice: RenditionChoice =
                if case .chosen(let choice) = channel.rendition { choice } else { .all }
            do throws(InputError) {
                _ = try await input.open(choice)
            } catch {
                problems.append("[channel \(channel.id)] \(key): \(error.reason)")
            }
        }
        return problems
    }
}

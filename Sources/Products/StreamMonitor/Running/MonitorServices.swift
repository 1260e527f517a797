package import HLSInput
package import HostSystem
package import TagStore

/// What all channels of a monitor share.
package struct MonitorServices: Sendable {
    /// Fetches playlists and segments.
    let fetcher: ResourceFetcher
    /// Keeps the tags.
    let buffer: TagBuffer
    /// The time.
    let clock: any HostClock
    /// Whether playlists at public addresses may name private ones.
    let allowsPrivateAddresses: Bool
    /// Whether tags are kept.
    let buffering: Buffering
    /// Keeps evidence of alerts; nil where none is kept.
    let evidence: EvidenceRecorder?
    /// How long fetches took.
    let fetchTimes = FetchTimes()
    /// Says something about the monitor itself, in one line.
    let note: @Sendable (String) -> Void

    /// The services of a monitor.
    ///
    /// - Parameter note: told what is wrong with the monitor itself, from many threads.
    package init(
        fetcher: ResourceFetcher, buffer: TagBuffer, clock: any HostClock = .system,
        allowsPrivateAddresses: Bool = false, evidence: EvidenceRecorder? = nil,
        note: @escaping @Sendable (String) -> Void
    ) {
        self.fetcher = fetcher
        self.buffer = buffer
        self.clock = clock
        self.allowsPrivateAddresses = allowsPrivateAddresses
        self.evidence = evidence
        self.note = note
        buffering = Buffering(note: note)
    }
}

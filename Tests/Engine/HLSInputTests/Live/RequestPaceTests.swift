import TestSupport
import Testing

@testable import HLSInput

/// The pace of a channel's searches and retries.
@Suite struct RequestPaceTests {
    /// The hosts of a channel come from its playlists; the one that is free for the longest time is forgotten.
    @Test func hosts_beyondTheLimit_evictTheOldest() {
        let pace = RequestPace(clock: ManualClock())
        let urls = (0...64).map { "http://host-\($0)/a" }
        for url in urls.dropLast() { #expect(pace.claim(url) == .zero) }
        #expect(urls.dropLast().allSatisfy { pace.claim($0) == RequestPace.interval })
        #expect(pace.claim(urls[64]) == .zero)
        // A host that was forgotten does not have to wait.
        #expect(urls.contains { pace.claim($0) == .zero })
    }
}

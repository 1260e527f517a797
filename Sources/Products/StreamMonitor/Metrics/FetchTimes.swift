import Synchronization
import TextForms

/// The durations of fetches, for all channels together.
final class FetchTimes: Sendable {
    /// The kind of resource that is fetched.
    enum Kind: String, Sendable, CaseIterable {
        case playlist
        case segment
    }

    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let histograms = Mutex<[Kind: Histogram]>([:])

    /// Counts a fetch, successful or not.
    func observe(_ kind: Kind, _ duration: Duration) {
        histograms.withLock {
            $0[kind, default: Histogram(bounds: Self.bounds)].observe(duration / .seconds(1))
        }
    }

    /// Returns the durations for a kind, in seconds.
    func histogram(of kind: Kind) -> Histogram {
        histograms.withLock { $0[kind] ?? Histogram(bounds: Self.bounds) }
    }
}

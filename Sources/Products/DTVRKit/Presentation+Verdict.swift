public import HLSInput
import Reporting
public import StreamHealth

extension Presentation {
    /// Returns the verdict of all checks on the presentation, read from its first segment to its last.
    ///
    /// A segment that cannot be read counts as failed, and the following ones are still checked. If the task is
    /// cancelled, the verdict covers everything read until then.
    ///
    /// - Parameters:
    ///   - fetcher: the fetcher that reads the segments.
    ///   - policy: the limits for the checks.
    public func verdict(
        through fetcher: ResourceFetcher, policy: HealthPolicy = HealthPolicy()
    ) async -> HealthVerdict {
        var reading = CheckedReading(
            readings(through: fetcher, policy: policy.tagPolicy), policy: policy)
        return await reading.read { _ in }
    }
}

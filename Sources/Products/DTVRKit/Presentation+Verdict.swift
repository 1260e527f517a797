public import HLSInput
public import StreamHealth

extension Presentation {
    /// What all checks say of the presentation, read from its first segment to its last.
    ///
    /// A segment that cannot be read counts as failed; the ones after it are checked all the same. Where the task is
    /// cancelled, the verdict is on what was read until then.
    ///
    /// - Parameters:
    ///   - fetcher: what reads the segments.
    ///   - policy: the limits that the checks go by.
    public func verdict(
        through fetcher: ResourceFetcher, policy: HealthPolicy = HealthPolicy()
    ) async -> HealthVerdict {
        var checker = PresentationChecker(outline, policy: policy)
        for await segment in readings(through: fetcher) { checker.observe(segment.observation) }
        return checker.finish()
    }
}

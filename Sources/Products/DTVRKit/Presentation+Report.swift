public import HLSInput
import HostSystem
import NielsenID3
public import Reporting
public import StreamHealth
import TagDelivery

extension Presentation {
    /// Returns the verdict of all checks on the presentation, and a document that shows it.
    ///
    /// Reads like `verdict(through:policy:)`. The `csv` and `html` formats show every tag, so their memory use grows
    /// with the input; that of the other formats is bounded.
    ///
    /// - Parameters:
    ///   - format: the format of the document.
    ///   - fetcher: the fetcher that reads the segments.
    ///   - policy: the limits for the checks.
    public func report(
        as format: ReportFormat, through fetcher: ResourceFetcher, policy: HealthPolicy = HealthPolicy()
    ) async -> (verdict: HealthVerdict, document: String) {
        var reading = CheckedReading(
            readings(through: fetcher, policy: policy.tagPolicy), policy: policy, for: format)
        let verdict = await reading.read { _ in }
        let document = format.document(
            of: [reading.report(verdict)], producer: "DTVRKit \(Uploader.version)",
            made: SystemClock().unixMilliseconds)
        return (verdict, String(decoding: document, as: UTF8.self))
    }
}

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

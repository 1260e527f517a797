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
        var checker = PresentationChecker(
            outline, policy: policy, listsSettledFindings: format.showsEveryTag)
        var material = ReportMaterial(outline, for: format)
        for await segment in readings(through: fetcher, policy: policy.tagPolicy) {
            checker.observe(segment.observation)
            material.add(segment.observation)
            material.mark(checker.drainSettledFindings())
        }
        let verdict = checker.finish()
        material.mark(checker.drainSettledFindings())
        let document = format.document(
            of: [material.finish(verdict)], producer: "DTVRKit \(Uploader.version)",
            made: SystemClock().unixMilliseconds)
        return (verdict, String(decoding: document, as: UTF8.self))
    }
}

public import HLSInput
import HostSystem
import NielsenID3
public import Reporting
public import StreamHealth
import TagDelivery

extension Presentation {
    /// What all checks say of the presentation, and the document that shows it.
    ///
    /// Reads as `verdict(through:policy:)` does. `csv` and `html` show every tag, so their memory grows with the
    /// input; the other forms are of bounded size.
    ///
    /// - Parameters:
    ///   - format: the form of the document.
    ///   - fetcher: what reads the segments.
    ///   - policy: the limits that the checks go by.
    public func report(
        as format: ReportFormat, through fetcher: ResourceFetcher, policy: HealthPolicy = HealthPolicy()
    ) async -> (verdict: HealthVerdict, document: String) {
        var checker = PresentationChecker(
            outline, policy: policy, listsSettledFindings: format.showsEveryTag)
        var material = ReportMaterial(outline, for: format, policy: policy)
        for await segment in readings(through: fetcher) {
            checker.observe(segment.observation)
            material.add(policy.checked(segment.observation))
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

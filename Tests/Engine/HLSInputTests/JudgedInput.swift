import HTTPTransfer
import StreamHealth

@testable import HLSInput

/// The verdict on an input: what `check` would report, as values.
struct JudgedInput {
    let verdict: HealthVerdict
    let notes: [String]
    /// The findings that were listed while the input was read.
    private(set) var settled: [(check: CheckID, finding: Finding)] = []

    /// Reads an input from its first segment to its last, and judges it.
    init(
        _ source: String, choice: RenditionChoice = .comparable, policy: HealthPolicy = HealthPolicy(),
        jobs: Int = 1
    ) async throws {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let fetcher = ResourceFetcher(client: client)
        let programme = try await InputResolver(fetcher: fetcher, choice: choice).resolve(source)
        notes = programme.notes
        let reader = ProgrammeReader(programme, fetcher: fetcher, observes: true, jobs: jobs)
        var checker = PresentationChecker(programme.outline, policy: policy, listsSettledFindings: true)
        while let reading = await reader.readNext() {
            if let observation = reading.observation { checker.observe(observation) }
            settled += checker.takeSettledFindings()
        }
        verdict = checker.finish()
        settled += checker.takeSettledFindings()
    }

    subscript(id: CheckID) -> CheckOutcome {
        verdict.outcomes.first { $0.id == id } ?? CheckOutcome(id: id, status: .notRun)
    }

    /// The checks that did not pass though they were run, with their statuses.
    var hits: [CheckID: CheckStatus] {
        var hits: [CheckID: CheckStatus] = [:]
        for outcome in verdict.outcomes where outcome.status > .pass { hits[outcome.id] = outcome.status }
        return hits
    }
}

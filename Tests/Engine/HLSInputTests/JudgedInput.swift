import HTTPTransfer
import NielsenID3
import StreamHealth

@testable import HLSInput

/// The verdict on an input: the report of `check`, as values.
struct JudgedInput {
    let verdict: HealthVerdict
    let notes: [String]
    /// The findings that were listed while the input was read.
    private(set) var settled: [(check: CheckID, finding: Finding)] = []

    /// Reads an input from its first segment to its last, and checks it.
    init(
        _ source: String, choice: RenditionChoice = .comparable, policy: HealthPolicy = HealthPolicy(),
        jobs: Int = 1
    ) async throws {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "dtvr/0.0-test"))
        let fetcher = try ResourceFetcher(client: client, jobs: jobs)
        let presentation = try await InputResolver(fetcher: fetcher, choice: choice).resolve(source)
        notes = presentation.notes
        var checker = StreamChecker(presentation.outline, policy: policy, listsSettledFindings: true)
        for await reading in presentation.readings(through: fetcher) {
            checker.observe(reading.observation)
            settled += checker.drainSettledFindings()
        }
        verdict = checker.finish()
        settled += checker.drainSettledFindings()
    }

    subscript(id: CheckID) -> CheckOutcome {
        verdict.outcomes.first { $0.id == id } ?? CheckOutcome(id: id, status: .notRun)
    }

    /// The checks that ran and did not pass, with their statuses.
    var hits: [CheckID: CheckStatus] {
        var hits: [CheckID: CheckStatus] = [:]
        for outcome in verdict.outcomes where outcome.status > .pass { hits[outcome.id] = outcome.status }
        return hits
    }
}

import DTVRKit
import Foundation

/// Checks the tags of an input; the exit status is 1 if a check fails, or if a part of the input could not be read.
///
///     swift run PlaylistVerdict ../../media/demo/index.m3u8
@main
struct PlaylistVerdict {
    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: PlaylistVerdict INPUT")
            return
        }
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "PlaylistVerdict/1.0"))
        let fetcher = try ResourceFetcher(client: client)
        // Reads all renditions, to compare them with each other, too.
        let presentation = try await InputResolver(fetcher: fetcher, choice: .all)
            .resolve(CommandLine.arguments[1])

        var policy = HealthPolicy()
        policy[.longestTag] = 15
        let verdict = await presentation.verdict(through: fetcher, policy: policy)

        print("\(verdict.status.rawValue): \(verdict.segmentCount) segments, \(verdict.tags.data) DATA tags")
        for outcome in verdict.outcomes where outcome.status > .pass {
            print("\(outcome.status.rawValue) \(outcome.id)")
            // The advice of `dtvr check --explain`.
            if let check = outcome.id.declaration { print("    \(check.title). \(check.action)") }
            for finding in outcome.findings { print("    \(finding.place.segment ?? "-"): \(finding.detail)") }
        }
        for failure in verdict.failures { print("\(failure.segment): \(failure.reason)") }
        if verdict.status == .fail || !verdict.isComplete { exit(1) }
    }
}

import TestSupport
import Testing

/// The version of the library, which its documents name.
@Suite struct VersionTests {
    @Test func version_isTheSame_inSourcesChangelogAndDocuments() async throws {
        let result = try await FinishedProcess.of(Project.root + "/Scripts/release.sh", ["--check"])
        #expect(result.status == 0, "\(String(decoding: result.errors, as: UTF8.self))")
    }
}

import Foundation
import TestSupport
import Testing

/// Two copies of the shards of a monitor, three collectors and a database, with a fault of each kind.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/nginx"), "nginx is absent"),
    .timeLimit(.minutes(30)))
struct FleetTests {
    /// One seed of the long test `Tests/System/fleet-test.py`, with fewer channels.
    @Test func faults_ofEveryKind_neitherLoseNorDuplicateTags() async throws {
        let folder = try TemporaryFolder()
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let script = try await FinishedProcess.of(
            "/usr/bin/env", [Tool.packageRoot + "/Tests/System/fleet-test.py", "1", "40"],
            environment: ["PATH": path, "TMPDIR": folder.path, "DTVR": Tool.path])
        let text = String(decoding: script.output + script.errors, as: UTF8.self)
        #expect(script.status == 0, "\(text)")
        #expect(text.contains("1 seeds: every tag is in the ledger once, and the copies add up."), "\(text)")
    }
}

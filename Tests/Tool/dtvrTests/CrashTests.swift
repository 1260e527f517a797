import Foundation
import TestSupport
import Testing

/// The tool is killed while it reads, sends and acknowledges; the collector's own records show any loss.
@Suite(.timeLimit(.minutes(30))) struct CrashTests {
    /// Some rounds of the long test `Tests/System/crash-test.py run`, which counts by itself and has its own control.
    @Test func kill9_atRandomTimes_neitherLosesNorDuplicatesTags() async throws {
        let folder = try TemporaryFolder()
        let script = try await FinishedProcess.of(
            "/usr/bin/env", [Tool.packageRoot + "/Tests/System/crash-test.py", "run", "20"],
            environment: ["PATH": "/usr/bin:/bin", "TMPDIR": folder.path, "DTVR": Tool.path])
        let text = String(decoding: script.output + script.errors, as: UTF8.self)
        #expect(script.status == 0, "\(text)")
        for line in ["rounds     20 of ", "waiting    0\n", "lost       0; 0 of", "doubled    0; "] {
            #expect(text.contains(line), "\(text)")
        }
    }
}

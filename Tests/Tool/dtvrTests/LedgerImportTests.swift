import Foundation
import TestSupport
import Testing

/// `dtvr ledger import` of files with lines that the database refuses.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerImportTests {
    private static func record(_ number: Int, _ more: String = "") -> String {
        let id = String(repeating: "0", count: 31) + String(number, radix: 16)
        return #"{"id":"\#(id)","received":"2026-11-20T12:00:01.250Z","channel":"one","kind":"data","#
            + #""first":1795176000,"owner":"www.nielsen.com/\#(number)"\#(more)}"# + "\n"
    }

    @Test func refusedAndDamagedLines_areCounted() async throws {
        let cluster = try await PostgresCluster()
        let folder = try TemporaryFolder()
        #expect(try await Tool.run("ledger", "init", "--ledger", cluster.uri()).status == 0)
        // PostgreSQL stores neither a NUL in a text nor this number.
        try folder.write(
            "collected/tags-2026-11-20.ndjson",
            Self.record(1) + Self.record(2, #","note":"\u0000""#) + "no record\n" + Self.record(1)
                + Self.record(3, #","media_time":1e131071"#))
        let call = ["ledger", "import", folder.path + "/collected", "--ledger", cluster.uri()]
        let first = try await Tool.run(arguments: call)
        #expect(first.status == 0 && first.errors.contains("1 line without a record"), "\(first)")
        #expect(first.output == "accepted 1, duplicate 1, rejected 2\n")
        let again = try await Tool.run(arguments: call)
        #expect(again.output == "accepted 0, duplicate 2, rejected 2\n", "\(again)")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.tags") == "1")
        try folder.write("others/tags-2026-11-20.ndjson", Self.record(1, #","owner":"x","source":"y""#))
        let others = try await Tool.run(
            "ledger", "import", folder.path + "/others", "--ledger", cluster.uri())
        #expect(others.output == "accepted 0, duplicate 1, rejected 0\n", "\(others)")
        #expect(others.errors.contains("1 duplicate with another owner, kind or channel"), "\(others)")
        #expect(!again.errors.contains("with another owner"), "\(again)")
    }
}

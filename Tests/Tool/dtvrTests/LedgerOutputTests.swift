import Foundation
import TestSupport
import Testing

@testable import dtvr

/// `dtvr ledger` with an output that fails, and a database.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerOutputTests {
    /// The actions with their arguments, in an order in which each has something to do.
    static let calls: [(action: String, arguments: [String])] = [
        ("init", []), ("migrate", []), ("import", ["INVALID"]), ("status", []), ("report", []),
        ("prune", ["--retention", "30d"]),
    ]

    @Test func everyAction_hasARow() {
        let ledger = CommandRegistry.declarations.first { $0.name == "ledger" }
        #expect(Set(Self.calls.map(\.action)) == Set(ledger?.operandChoices ?? []))
    }

    /// A reader that has ended is no failure; a full disk is one.
    @Test func outputThatFails_isReported_unlessItsReaderHasEnded() async throws {
        let cluster = try await PostgresCluster()
        for (action, arguments) in Self.calls {
            let call = CommandEnds.Call(["ledger", action] + arguments + ["--ledger", cluster.uri()], 0)
            let (closed, _) = try await CommandScene(call).run(to: .closedPipe)
            #expect(
                closed.status == 0 && !closed.errors.contains("cannot be written"), "\(action): \(closed)")
            let (full, _) = try await CommandScene(call).run(to: .fullDisk)
            #expect(full.status == 6 && full.errors.contains("cannot be written"), "\(action): \(full)")
        }
        // The work was done in spite of the output.
        #expect(try await cluster.sql("SELECT count(*) > 200 FROM dtvr.partitions") == "t")
    }
}

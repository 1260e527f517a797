import Foundation
import TestSupport
import Testing

@testable import StreamSynthesis

/// `docs/faults.md` has a row for each fault, with the same texts as the synthesizer.
struct FaultTableTests {
    private static let rows: [[String]] = {
        let path = Project.root + "/docs/faults.md"
        let text =
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst().dropLast().split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }()

    @Test func table_inItsFirstColumns_hasEveryFaultAndItsChange() {
        #expect(Self.rows.map(\.first) == SynthesisFault.allCases.map { "`\($0.id)`" })
        #expect(Self.rows.map { $0.dropFirst().first } == SynthesisFault.allCases.map(\.change))
    }

    @Test func table_inItsThirdColumn_hasTheFaultsOwnCheckAndAStatus() {
        #expect(Self.rows.count == SynthesisFault.allCases.count)
        for (row, fault) in zip(Self.rows, SynthesisFault.allCases) {
            #expect(row.count == 4)
            let expected = ["pass", "warn", "fail"].map { "`\(fault.id)` \($0)" }
            #expect(row.count > 2 && expected.contains(row[2]), "\(fault.id)")
        }
    }

    @Test func table_inItsLastColumn_namesOnlyOtherChecks() {
        #expect(Self.rows.count == SynthesisFault.allCases.count)
        let known = Set(SynthesisFault.allCases.map(\.id))
        for (row, fault) in zip(Self.rows, SynthesisFault.allCases) {
            let names = (row.last ?? "").split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
            #expect(names.allSatisfy { known.contains($0) && $0 != fault.id }, "\(fault.id)")
        }
    }

    @Test(arguments: SynthesisFault.allCases)
    func settings_thatShowAFault_areValidAndContainIt(fault: SynthesisFault) throws {
        var settings = SynthesisSettings()
        settings.show(fault)
        #expect(settings.fault == fault)
        #expect(throws: Never.self) { try settings.validate() }
        #expect(settings.duration >= fault.minimumDuration(tagInterval: settings.tagInterval))
        #expect(
            fault.container.map { [$0] } ?? [.transportStream] == Set(settings.renditions.map(\.container)))
    }
}

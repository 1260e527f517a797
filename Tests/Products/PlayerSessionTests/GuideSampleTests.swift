import Foundation
import TestSupport
import Testing
import TextForms

@testable import PlayerSession

/// Each sample and sequence of calls in the guides, made on a session, and the records that a collector receives.
@Suite struct GuideSampleTests {
    private static let folder = Project.root + "/Tests/Products/PlayerSessionTests/Guides"
    private static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { $0.hasSuffix(".jsonl") }.sorted()

    /// A log, and the expected results in its comments.
    private struct Sample {
        var lines: [CallLogLine] = []
        var expected: [String: String] = [:]

        init(_ name: String) throws {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder + "/" + name)))
            var reader = CallLogReader()
            reader.read(bytes) { lines.append($0) }
            reader.finish { lines.append($0) }
            for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
                if let match = line.wholeMatch(of: /# (assets|viewings|contradiction): (.*)/) {
                    expected[String(match.1)] = String(match.2)
                }
            }
        }
    }

    @Test func samples_coverEveryGuide() {
        #expect(Self.names.count >= 60)
        for number in ["000", "001", "002", "003", "004"] {
            #expect(Self.names.contains { $0.hasPrefix(number) })
        }
    }

    @Test(arguments: names)
    func sample_inSession_hasNoFindings_andAllRecords(name: String) throws {
        let sample = try Sample(name)
        var made = RecordedCalls()
        var findings: [String] = []
        for line in sample.lines {
            guard case .call(let call, let arguments) = line.content else {
                Issue.record("\(name):\(line.number) is unreadable")
                continue
            }
            try made.make([SessionCall(named: call, arguments)], at: .seconds(line.at))
            findings += made.results.last?.details.map { "\(line.number): \($0)" } ?? []
            #expect(made.machine.counts.isConserved)
        }
        // `free` makes the session write its last records.
        try made.make([SessionCall(.free)])

        let allowed = Set((sample.expected["contradiction"] ?? "").split(separator: " ").map(String.init))
        let unexpected = findings.filter { finding in !allowed.contains { finding.contains(" \($0)") } }
        #expect(unexpected == [], "\(name)")
        let measured = made.records.filter { $0["kind"] as? String == "session" || $0["owner"] != nil }
        let assets = Set(measured.compactMap { $0["asset_play"] as? String })
        #expect("\(assets.count)" == sample.expected["assets"], "\(name): \(made.kinds)")
        #expect("\(made.machine.counts.sessions)" == sample.expected["viewings"], "\(name)")
        #expect(RecordReferences.objections(made.records).isEmpty, "\(name)")

        let texts = made.records.flatMap { Self.texts(in: $0) }
        for value in Self.values(of: sample) where !texts.contains(value) {
            Issue.record("\(name): \(value) is in no record")
        }
    }

    /// The first examples of the documents follow the guides.
    @Test(arguments: DocumentedCalls.pages) func example_ofTheDocuments_hasNoFindings(
        page: String, blocks: Int
    ) throws {
        let owners = (0..<4).map { "www.nielsen.com/\($0)" }
        let log = try DocumentedCalls.log(of: page, blocks: blocks, owners: owners)
        var reader = CallLogReader()
        var lines: [CallLogLine] = []
        reader.read(Array(log.utf8)) { lines.append($0) }
        var evaluation = CallEvaluation()
        for line in lines { #expect(evaluation.evaluate(line).result.findings == [], "\(page): \(line)") }
        let summary = evaluation.summary
        #expect(
            summary.callCount >= 9 && summary.unreadableCount == 0 && summary.counts.stored == 2, "\(log)")
        #expect(summary.counts.sessions == 1)
    }

    /// Returns every text and number in a value, as text.
    private static func texts(in value: Any) -> Set<String> {
        switch value {
        case let object as [String: Any]: object.values.reduce(into: []) { $0.formUnion(texts(in: $1)) }
        case let list as [Any]: list.reduce(into: []) { $0.formUnion(texts(in: $1)) }
        case let text as String: [text]
        case let number as NSNumber: ["\(number)"]
        default: []
        }
    }

    /// Returns every value that the calls of a sample pass, except playheads and events.
    private static func values(of sample: Sample) -> Set<String> {
        var values: Set<String> = []
        for line in sample.lines {
            guard case .call(let name, let arguments) = line.content else { continue }
            switch CallName(name: name) {
            case .trackEvent:
                let event = Metadata(arguments[0]) ?? Metadata()
                let type = event.text("type") ?? ""
                let parts = event["metadata"].flatMap { Metadata($0) } ?? Metadata()
                for part in [parts[type], event["id3data"], event["ottdata"]] {
                    values.formUnion(scalars(part))
                }
            case .initialize, .play, .loadMetadata, .sendID3, .updateOTT:
                for argument in arguments { values.formUnion(scalars(argument)) }
            case .ggPM where arguments.count > 1 && arguments[1].members != nil:
                values.formUnion(scalars(arguments[1]))
            default: break
            }
        }
        return values
    }

    private static func scalars(_ value: MetadataValue?) -> Set<String> {
        if let members = value?.members {
            return members.reduce(into: []) { $0.formUnion(scalars($1.value)) }
        }
        return value?.scalarText.map { [$0] } ?? []
    }
}

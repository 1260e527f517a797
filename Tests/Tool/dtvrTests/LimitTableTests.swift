import Foundation
import TestSupport
import Testing

/// The list of all limits of time and memory: a limit in the sources without a row in `LimitTable` fails a test, and so
/// does a row whose limit or test does not exist.
@Suite struct LimitTableTests {
    /// Declarations and arguments with a number, each with the name of the limit in one of the groups.
    private static let patterns = [
        // `static let maximumWait = Duration.seconds(10)`, `limit: Duration = .seconds(1)`, `within: .seconds(2)`.
        #"(\w+)(?:\s*:\s*[\w.?]+)?\s*[:=]\s*(?:Duration|DispatchTimeInterval)?\.(?:seconds|milliseconds)\(\d"#,
        #"(?:let|var)\s+(\w*(?:[sS]econds\w*|Time|Delay|Interval|[wW]ait|Age|timeLimit|connect|RetryAfter))"#
            + #"(?:\s*:\s*[\w.?]+)?\s*=\s*[1-9]"#,
        #"\.(total|connect|lowSpeedSeconds)\s*=\s*[1-9]"#,
        // The settings of a database connection.
        #"["'](\w*timeout|keepalives_\w+)["'],\s*["']\d"#,
        // Sizes and counts.
        #"(?:let|var)\s+(maximum\w*|\w+Limit|usualCapacity)(?:\s*:\s*[\w.?]+)?\s*=\s*[1-9]"#,
    ]

    private static func matches(_ pattern: String, in text: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern)
        let all = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: all).compactMap { match in
            Range(match.range(at: 1), in: text).map { String(text[$0]) }
        }
    }

    private static func swiftFiles(in folder: String) throws -> [String: String] {
        let root = Project.root + "/" + folder
        let names = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        var files: [String: String] = [:]
        for name in names where name.hasSuffix(".swift") {
            files[name] = try String(contentsOfFile: root + "/" + name, encoding: .utf8)
        }
        return files
    }

    /// The limits of a source text, without its comments.
    private static func limits(in text: String) throws -> [String] {
        let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            .joined(separator: "\n")
        return try patterns.flatMap { try matches($0, in: code) }
    }

    /// The limits of all rows.
    private static var rows: [String] {
        let groups: [[String]] = [
            Array(LimitTable.waits.keys), Array(LimitTable.queues.keys), LimitTable.pauses,
            LimitTable.kernelTimes, LimitTable.contentTimes, LimitTable.contentSizes,
        ]
        return groups.flatMap { $0 }
    }

    @Test func everyLimitInTheSources_hasOneRow() throws {
        var found: Set<String> = []
        for (path, text) in try Self.swiftFiles(in: "Sources") {
            let file = (path as NSString).lastPathComponent.dropLast(".swift".count)
            for limit in try Self.limits(in: text) { found.insert("\(file).\(limit)") }
        }
        #expect(found.count > 250)
        #expect(found.subtracting(Self.rows).sorted() == [], "limits without a row")
        #expect(Set(Self.rows).subtracting(found).sorted() == [], "rows without a limit")
        #expect(Set(Self.rows).count == Self.rows.count, "limits with two rows")
    }

    @Test(arguments: [
        ("    private static let stopLimit = Duration.seconds(3)", "stopLimit"),
        ("    var memoryWait = Duration.milliseconds(1_500)", "memoryWait"),
        ("    var answer: Duration? = .seconds(20)", "answer"),
        ("    package func stop(within limit: Duration = .seconds(5)) {", "limit"),
        ("        server.stop(waitingAtMost: .seconds(1))", "waitingAtMost"),
        ("    private static let timeLimit = 20", "timeLimit"),
        ("        limits.total = 30", "total"),
        ("        (\"connect_timeout\", \"5\")", "connect_timeout"),
        ("    static let maximumByteCount = 8 << 20", "maximumByteCount"),
    ])
    func limit_inEachForm_isFound(line: String, name: String) throws {
        #expect(try Self.limits(in: "\(line)\n").contains(name))
        #expect(try Self.limits(in: "    // \(line)\n").isEmpty)
    }

    @Test func everyRowThatWaits_namesATest() throws {
        let files = try Self.swiftFiles(in: "Tests")
        for (limit, test) in LimitTable.waits.merging(LimitTable.queues, uniquingKeysWith: { $1 }) {
            let names = test.split(separator: ".")
            guard names.count == 2 else {
                Issue.record("\(limit): \(test)")
                continue
            }
            // A suite is a file, with extensions in others.
            let texts = files.filter { path, _ in
                let file = (path as NSString).lastPathComponent
                return file == "\(names[0]).swift" || file.hasPrefix("\(names[0])+")
            }
            #expect(
                texts.values.contains { text in
                    text.contains("func \(names[1])(") && text.contains("@Test")
                }, "\(limit): \(test)")
        }
    }
}

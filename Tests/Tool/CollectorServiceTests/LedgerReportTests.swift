import Reporting
import TestSupport
import Testing
import TextForms

@testable import CollectorService

/// `dtvr ledger report`: the numbers, compared with an independent count of each second.
@Suite(
    .enabled(if: PostgresCluster.isAvailable, "PostgreSQL's programs are absent"), .timeLimit(.minutes(30)))
struct LedgerReportTests {
    /// 2024-03-29T00:00:00Z: two days before the clocks of Oslo go from 02:00 to 03:00.
    private static let start = 1_711_670_400
    private static let dayLength = 86_400

    /// The contents of a channel's records, in whole seconds.
    private struct Sample {
        var channel: String
        var tags: [(first: Int, last: Int)] = []
        /// The number of tags that a second sender has delivered, too: the first ones.
        var copyCount = 0
        var periods: [(state: String, monitor: Int, start: Int, end: Int)] = []

        /// A channel with random tags, breaks and outages, whose first record is at `first`.
        init(_ channel: String, from first: Int, days: Int, using random: inout SeededGenerator) {
            self.channel = channel
            var time = first
            let end = LedgerReportTests.start + days * LedgerReportTests.dayLength
            while time < end {
                let last = time + Int.random(in: 5...300, using: &random)
                tags.append((time, last))
                // Mostly continuous, sometimes at the limit of a gap, sometimes a long one.
                let pause = [0, 1, 9, 10, 60, 20_000][
                    [0, 0, 1, 1, 1, 2, 3, 4, 5].randomElement(using: &random) ?? 0]
                time = last + (pause == 20_000 && Int.random(in: 0..<12, using: &random) > 0 ? 2 : pause)
            }
            copyCount = tags.count / 3
            for (state, longest) in [
                ("break", 400), ("quiet", 9_000), ("unreachable", 3_000), ("watched", 70_000),
            ] {
                var time = first
                while time < end {
                    let stop = time + Int.random(in: 1...longest, using: &random)
                    periods.append((state, Int.random(in: 1...2, using: &random), time, stop))
                    time = stop + Int.random(in: 0...longest * 4, using: &random)
                }
            }
        }
    }

    /// The expected numbers of a day, from arrays with an element for each second.
    private static func expected(_ sample: Sample, from begin: Int, to end: Int) -> [String: [Int]] {
        var covered = [Bool](repeating: false, count: end - begin)
        func fill(_ array: inout [Bool], _ first: Int, _ last: Int, _ value: Bool = true) {
            for second in max(first, begin)..<max(max(first, begin), min(last, end)) {
                array[second - begin] = value
            }
        }
        var last: Int?
        for tag in sample.tags.sorted(by: { $0.first < $1.first }) {
            fill(&covered, tag.first, tag.last)
            if let last, tag.first - last <= 9 { fill(&covered, last, tag.first) }
            last = max(last ?? tag.last, tag.last)
        }
        let first = (sample.tags.map(\.first) + sample.periods.map(\.start)).min() ?? begin
        var wanted = [Bool](repeating: true, count: end - begin)
        fill(&wanted, begin, first, false)
        var unknown = wanted
        for period in sample.periods {
            switch period.state {
            case "break": fill(&wanted, period.start - 10, period.end + 10, false)
            case "quiet": fill(&wanted, period.start, period.end, false)
            case "watched": fill(&unknown, period.start, period.end, false)
            default: break
            }
        }
        var result = ["expected": [wanted.count { $0 }], "unknown": [unknown.count { $0 }]]
        var gaps: [Int] = []
        var start: Int?
        for second in 0...covered.count {
            let isGap = second < covered.count && wanted[second] && !covered[second]
            if isGap { start = start ?? second }
            if !isGap, let begun = start {
                if second - begun > 9 { gaps += [begin + begun, begin + second] }
                start = nil
            }
        }
        result["gaps"] = gaps
        for state in ["break", "unreachable"] {
            var seconds = [Bool](repeating: false, count: end - begin)
            for period in sample.periods where period.state == state {
                fill(&seconds, period.start, period.end)
            }
            fill(&seconds, begin, first, false)
            result[state] = [seconds.count { $0 }]
        }
        let ofDay = sample.tags.indices.filter { (begin..<end).contains(sample.tags[$0].first) }
        result["tags"] = [ofDay.count, ofDay.count { $0 < sample.copyCount }]
        return result
    }

    /// The same numbers from the report.
    private static func found(_ day: CoverageReport.Day) -> [String: [Int]] {
        func seconds(_ state: CoverageReport.State) -> [Int] { [Int(day.total(state) / 1_000)] }
        return [
            "expected": [Int(day.expected / 1_000)], "unknown": seconds(.unknown),
            "gaps": (day.times[.gap] ?? []).flatMap {
                [Int($0.lowerBound / 1_000), Int($0.upperBound / 1_000)]
            },
            "break": seconds(.advertisement), "unreachable": seconds(.unreachable),
            "tags": [day.tagCount, day.copyCount],
        ]
    }

    private static func text(_ seconds: Int) -> String {
        RFC3339.text(unixMilliseconds: Int64(seconds) * 1_000)
    }

    private static func store(_ samples: [Sample], in cluster: PostgresCluster) throws {
        let ledger = try cluster.ledger(user: "collector")
        var number = 0
        func id() -> String {
            number += 1
            return TestRecord.id(number)
        }
        for sample in samples {
            let tags = sample.tags.map {
                #"{"id":"\#(id())","received":"\#(text($0.last))","channel":"\#(sample.channel)","kind":"data","#
                    + #""first":\#($0.first),"last":\#($0.last)}"#
            }
            let periods = sample.periods.map {
                #"{"id":"\#(id())","received":"\#(text($0.end))","channel":"\#(sample.channel)","kind":"period","#
                    + #""state":"\#($0.state)","monitor":"m\#($0.monitor)","started":"\#(text($0.start))","#
                    + #""ended":"\#(text($0.end))","name":"The <\#(sample.channel)>"}"#
            }
            for batch in [tags, periods] where !batch.isEmpty {
                #expect(try ledger.store(batch).accepted == batch.count)
            }
            // A second sender: a batch of copies, then one with copies and new records of another kind, then all again.
            let copies = Array(tags.prefix(sample.copyCount))
            let half = copies.count / 2
            let info = (0..<3).map { _ in
                #"{"id":"\#(id())","channel":"\#(sample.channel)","kind":"info","program_date_time":"\#(text(start))"}"#
            }
            for batch in [Array(copies.prefix(half)), Array(copies.dropFirst(half)) + info, copies] {
                _ = try ledger.store(batch, sender: "two", store: String(repeating: "2", count: 32))
            }
        }
    }

    @Test func numbers_areThoseOfACountOfEachSecond_inUTCAndAcrossAChangeOfClocks() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        for name in ["insert", "read"] {
            try await cluster.makeUser(name == "read" ? "analyst" : "collector", in: "dtvr_\(name)")
        }
        var random = SeededGenerator(seed: 7)
        let samples = [
            Sample("early", from: Self.start, days: 5, using: &random),
            Sample("noon", from: Self.start + 2 * Self.dayLength + 43_210, days: 4, using: &random),
        ]
        try Self.store(samples, in: cluster)
        let report = try LedgerReport(try LedgerAddress(cluster.uri(user: "analyst")))
        for step in ["as stored", "merged", "counted again"] {
            if step == "merged" {
                for day in 0..<5 {
                    _ = try await cluster.sql("SELECT dtvr.merge_totals(date '2024-03-29' + \(day))")
                }
            }
            if step == "counted again" { _ = try await cluster.sql("SELECT dtvr.count_totals('-infinity')") }
            for (zone, hours) in [("UTC", [0, 0, 0, 0, 0]), ("Europe/Oslo", [-1, -1, -1, -2, -2])] {
                var request = LedgerReport.Request(days: "2024-03-29"..."2024-04-01")
                request.timeZone = zone
                let read = try report.read(request)
                #expect(read.channels.map(\.id) == ["early", "noon"])
                #expect(read.channels.map(\.name) == ["The <early>", "The <noon>"])
                #expect(read.channels.map { $0.days.map(\.date).first } == ["2024-03-29", "2024-03-31"])
                for (channel, sample) in zip(read.channels, samples) {
                    for day in channel.days {
                        let number = try #require(
                            ["29", "30", "31", "01"].firstIndex(of: day.date.suffix(2)))
                        let begin = Self.start + number * Self.dayLength + hours[number] * 3_600
                        let end = Self.start + (number + 1) * Self.dayLength + hours[number + 1] * 3_600
                        #expect(day.bounds == Int64(begin) * 1_000..<Int64(end) * 1_000)
                        let wanted = Self.expected(sample, from: begin, to: end)
                        #expect(Self.found(day) == wanted, "\(step), \(zone), \(channel.id), \(day.date)")
                        #expect(day.lateCount == day.tagCount && day.monitorCount <= 2)
                    }
                }
            }
        }
    }

    @Test func channel_withoutTagsInTheDays_isListedForAMonth_andOthersOnRequest() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let first = Self.start
        let line = { (number: Int, channel: String, time: Int) in
            #"{"id":"\#(TestRecord.id(number))","channel":"\#(channel)","kind":"data","first":\#(time),"#
                + #""last":\#(time + 9)}"#
        }
        _ = try cluster.ledger().store([
            line(1, "gone", first - 20 * Self.dayLength), line(2, "long gone", first - 40 * Self.dayLength),
            line(3, "here", first),
        ])
        let report = try LedgerReport(try LedgerAddress(cluster.uri()))
        let read = try report.read(.init(days: "2024-03-29"..."2024-03-30"))
        #expect(read.channels.map(\.id) == ["gone", "here"])
        let gone = read.channels[0]
        #expect(gone.share == 0 && gone.days.count == 2 && gone.days.allSatisfy(\.isUnknown))
        #expect(gone.days[0].times[.gap] == [gone.days[0].bounds])
        #expect(gone.days[0].unknownText == "breaks unknown")
        var request = LedgerReport.Request(days: "2024-03-29"..."2024-03-29")
        request.channels = ["here", #"a"b\,{}"#]
        #expect(try report.read(request).channels.map(\.id) == ["here"])
        #expect(try report.knows(timeZone: "Europe/Oslo") && !report.knows(timeZone: "Oslo'"))
    }

    /// A record that another program sends is stored as any of an unknown kind.
    @Test func period_withInvalidTimes_isStored_andNotCounted() async throws {
        let cluster = try await PostgresCluster()
        try cluster.createSchema()
        let times = [
            ("2024-03-29T25:00:00Z", "2024-03-29T00:00:00Z"), ("x", "y"),
            ("2024-03-30T00:00:00Z", "2024-03-29T00:00:00Z"),
            ("2024-03-29T00:00:00Z", "2024-03-29T00:00:00Z"),
            ("2024-03-29T00:00:00Z", "2024-03-31T00:00:00Z"), ("-infinity", "infinity"),
        ]
        let lines = times.enumerated().map { number, time in
            #"{"id":"\#(TestRecord.id(number + 1))","received":"2024-03-29T00:00:00Z","kind":"period","channel":"a","#
                + #""state":"break","monitor":"m","started":"\#(time.0)","ended":"\#(time.1)"}"#
        }
        let more = [
            #"{"id":"\#(TestRecord.id(50))","received":"2024-03-29T00:00:00Z","kind":"period"}"#,
            #"{"id":"\#(TestRecord.id(51))","received":"2024-03-29T00:00:00Z","kind":"period","channel":"a","#
                + #""state":"other","monitor":"m","started":"2024-03-29T00:00:00Z","ended":"2024-03-29T00:10:00Z"}"#,
        ]
        let receipt = try cluster.ledger().store(lines + more)
        #expect(receipt.accepted == 8 && receipt.refused.isEmpty)
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.channel_times") == "0")
        #expect(try await cluster.sql("SELECT count(*) FROM dtvr.other_records") == "8")
    }
}

/// A generator whose numbers are the same in each run.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state ^ state >> 29) &* 0xBF58_476D_1CE4_E5B9
    }
}

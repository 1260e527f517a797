import Foundation
import NielsenID3
import StreamHealth
import TestSupport
import Testing

@testable import StreamMonitor

/// The alert rules and the dashboard in `Packaging` query only metrics that exist, by labels that they have.
@Suite(.timeLimit(.minutes(30))) struct OperatorFileTests {
    private static let rules = "Packaging/prometheus/rules.yml"
    private static let pairs = "Packaging/prometheus/pairs.yml"
    private static let collectorRules = "Packaging/prometheus/collector.yml"
    private static let dashboard = "Packaging/grafana/dashboard.json"
    private static let collectorDashboard = "Packaging/grafana/collectors.json"

    /// Returns the metrics of channels with findings, alerts and their consequences, and the labels of each.
    private static func labels() async throws -> [String: Set<String>] {
        let station = try MonitoredStation(
            channels: 2, script: "at 20s channel 1: status 503", fault: CauseTests.eachThirdSegmentIsMissing)
        var text: [UInt8] = []
        var hasConsequence = false
        _ = try await station.monitor(station.channels(1...2), for: 350) { monitor, _ in
            if hasConsequence { return }
            text = monitor.metricsText(bufferFolder: station.directory)
            hasConsequence = String(decoding: text, as: UTF8.self).contains("consequences_active{")
        }
        // Prometheus itself adds these.
        var labels: [String: Set<String>] = ["up": ["job", "instance"]]
        for sample in try MetricSamples(text).values.keys {
            let name = String(sample.prefix { $0 != "{" })
            let own = sample.matches(of: #/([a-z]+)="/#).map { String($0.1) }
            labels[name, default: ["job", "instance"]].formUnion(own)
        }
        return labels
    }

    /// Returns each metric in a query, with the labels in its braces.
    private static func uses(in query: String) -> [(name: String, labels: [String])] {
        query.matches(of: #/\b((?:dtvr|process)_[a-z_]+|up(?=\{))(?:\{([^}]*)\})?/#).map { match in
            let labels = (match.2 ?? "").matches(of: #/([a-z]+)(?:=|!=|=~|!~)\"/#).map { String($0.1) }
            return (String(match.1), labels)
        }
    }

    private static func expectMetrics(_ queries: [String], _ file: String) async throws -> Set<String> {
        let known = try await labels()
        var used: Set<String> = []
        for query in queries {
            for use in uses(in: query) {
                let labels = try #require(known[use.name], "\(file) asks for \(use.name)")
                #expect(labels.isSuperset(of: use.labels), "\(file): \(query)")
                used.insert(use.name)
            }
        }
        return used
    }

    private static func bytes(of file: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: "\(Project.root)/\(file)"))
    }

    @Test func alertingRules_queryExistingMetrics() async throws {
        let text = String(decoding: try Self.bytes(of: Self.rules), as: UTF8.self)
        let queries = text.matches(of: #/(?m)^ +expr: (?:>-\n)?((?:.|\n)*?)^ +(?:for|labels):/#).map {
            String($0.1)
        }
        #expect(queries.count == text.matches(of: #/- alert:/#).count && queries.count >= 12)
        let used = try await Self.expectMetrics(queries, Self.rules)
        #expect(
            used.isSuperset(of: [
                "up", "dtvr_channel_state", "dtvr_behind_live_seconds", "dtvr_segments_total",
                "dtvr_buffer_bytes",
                "dtvr_buffer_max_bytes", "dtvr_buffer_lost_total", "dtvr_delivered_total",
            ]))
    }

    @Test func pairRules_queryExistingMetrics() async throws {
        let text = String(decoding: try Self.bytes(of: Self.pairs), as: UTF8.self)
        let queries = text.matches(of: #/(?m)^ +expr: (?:>-\n)?((?:.|\n)*?)^ +(?:for|labels|-|#)/#).map {
            // The names of recorded series contain colons.
            String($0.1).replacing(#/\w+:\w+:\w+(\{[^}]*\})?/#, with: "")
        }
        #expect(queries.count == text.matches(of: #/expr:/#).count && queries.count == 7)
        let used = try await Self.expectMetrics(queries, Self.pairs)
        #expect(used == ["dtvr_channel_state", "dtvr_behind_live_seconds", "dtvr_tags_total"])
    }

    /// The guide explains every name that an operator may be called for.
    @Test func guide_listsEveryStateAndAlert() throws {
        let guide = String(decoding: try Self.bytes(of: "docs/operating.md"), as: UTF8.self)
        let alerts = try [Self.rules, Self.pairs, Self.collectorRules].flatMap { file in
            String(decoding: try Self.bytes(of: file), as: UTF8.self).matches(of: #/- alert: (\w+)/#).map {
                String($0.1)
            }
        }
        for name in alerts + ChannelState.allCases.map(\.rawValue) {
            #expect(guide.contains("\n| `\(name)` |"), "\(name)")
        }
    }

    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable { let expr: String }
            let id: Int
            let title: String
            let targets: [Target]?
        }
        struct Variables: Decodable {
            struct Variable: Decodable {
                let name: String
                let definition: String?
            }
            let list: [Variable]
        }
        let schemaVersion: Int
        let panels: [Panel]
        let templating: Variables
    }

    @Test func dashboard_queriesExistingMetrics_andShowsAllMeasurements() async throws {
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: Self.bytes(of: Self.dashboard))
        #expect(dashboard.schemaVersion >= 39)
        #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count)
        let variables = Set(dashboard.templating.list.map(\.name))
        #expect(variables == ["datasource", "job", "instance", "channel"])
        let queries = dashboard.panels.flatMap { $0.targets ?? [] }.map(\.expr)
        for query in queries {
            // `$__rate_interval`, which Grafana defines, does not match.
            let asked = query.matches(of: #/\$([a-z]+)/#).map { String($0.1) }
            #expect(variables.isSuperset(of: asked), "\(query)")
        }
        let used = try await Self.expectMetrics(
            queries + dashboard.templating.list.compactMap(\.definition), Self.dashboard)
        let known = Set(try await Self.labels().keys)
        // These metrics have settings as labels and measure nothing.
        let settings: Set = ["dtvr_build_info", "dtvr_channel_info", "dtvr_check_muted"]
        #expect(
            Self.families(of: used.subtracting(settings)) == Self.families(of: known.subtracting(settings)))
        #expect(used.contains("dtvr_channel_info"), "the names of channels are not shown")
    }

    /// A pair of monitors has two series for each channel; the dashboard has one.
    @Test func dashboard_aggregatesTheCopiesOfAPair() throws {
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: Self.bytes(of: Self.dashboard))
        for query in dashboard.panels.flatMap({ $0.targets ?? [] }).map(\.expr)
        where query.contains("$channel") {
            #expect(query.contains(#/\b(?:max|min|sum|count) ?(?:by \(|\()/#), "\(query)")
        }
    }

    @Test func collectorDashboard_queriesTheMetricsOfCollectors() throws {
        let dashboard = try JSONDecoder().decode(
            Dashboard.self, from: Self.bytes(of: Self.collectorDashboard))
        let queries = dashboard.panels.flatMap { $0.targets ?? [] }.map(\.expr)
        let used = Set(queries.flatMap { Self.uses(in: $0).map(\.name) })
        let source = String(
            decoding: try Self.bytes(of: "Sources/Tool/CollectorService/LedgerStorage.swift"), as: UTF8.self)
        let known = Set(source.matches(of: #/"(dtvr_[a-z_]+)"/#).map { String($0.1) })
        #expect(Self.families(of: used) == known)
        #expect(used.contains("up"))
    }

    /// Each link of an installed package leads to a file, and to a heading of it.
    @Test func installedDocuments_haveNoDeadLinks() async throws {
        let folder = try TemporaryFolder()
        for (package, path, folders) in [
            ("dtvr", folder.path + "/root", ["/usr/share/doc/dtvr", "/usr/share/dtvr"]),
            ("players", folder.path + "/players", [""]),
        ] {
            let installed = try await FinishedProcess.of(
                "\(Project.root)/Packaging/documents.sh", [package, path])
            #expect(installed.status == 0)
            let links = try await FinishedProcess.of(
                "/usr/bin/perl",
                ["\(Project.root)/Packaging/debian/links.pl", "--root", path] + folders.map { path + $0 })
            #expect(links.status == 0, "\(String(decoding: links.output, as: UTF8.self))")
        }
    }

    /// The pages of the monitor that alerts of Prometheus link to exist.
    @Test func alertingRules_linkToChecksThatExist() throws {
        let text = String(decoding: try Self.bytes(of: Self.rules), as: UTF8.self)
        let ids = text.matches(of: #/\/checks\/([a-z.-]+)/#).map { String($0.1) }
        #expect(ids.count > 8)
        for id in ids { #expect(CheckID(id).declaration != nil, "\(id)") }
    }

    /// Returns the metrics of channels and buffer; a histogram counts as one metric.
    private static func families(of names: Set<String>) -> Set<String> {
        Set(
            names.filter { $0.hasPrefix("dtvr_") }.map { $0.replacing(#/_(bucket|sum|count)$/#, with: "") })
    }
}

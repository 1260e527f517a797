import DTVRKit
import Foundation
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
import PlayerCertification
import PlayerSession

/// Checks segments, tags and logs that a packager, a proxy or a server has itself.
///
///     swift run OwnPipeline segments 6.4 ../../media/demo/v360/seg0000*.ts
///     swift run OwnPipeline load http://example.org/index.m3u8
///     swift run OwnPipeline buffer /tmp/tags
///     swift run OwnPipeline certify calls.jsonl
///     swift run OwnPipeline checks
@main
struct OwnPipeline {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("segments", 3...): try await segments(Double(arguments[1]) ?? 0, arguments.dropFirst(2))
        case ("load", 2): try await load(arguments[1])
        case ("buffer", 2): try await buffer(arguments[1])
        case ("certify", 2): try certify(arguments[1])
        case ("checks", 1): checks()
        default:
            print("usage: OwnPipeline segments SECONDS FILE... | load URL | buffer FOLDER | certify LOG | checks")
        }
    }

    /// Checks segments that are in memory, and prints their tags as `dtvr scan --format csv` does.
    static func segments(_ duration: Double, _ paths: ArraySlice<String>) async throws {
        let reader = try MemorySegmentReader(source: "channel 5")
        var checker = StreamChecker(source: "channel 5")
        print(TagOccurrence.csvHeader)
        for path in paths {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            let reading = await reader.read(
                bytes, name: path, duration: duration, isLast: path == paths.last)
            checker.observe(reading)
            for tag in reading.tags { print(tag.csvLine) }
        }
        let verdict = checker.finish()
        print("\(verdict.status.rawValue), \(verdict.isComplete ? "complete" : "incomplete")")
        let tagsOnly = HealthVerdict(of: [NielsenTag](), source: "a log without tags")
        print("\(tagsOnly.source): \(tagsOnly.status.rawValue)")
    }

    /// Reads a playlist with Foundation's client in place of DTVRKit's.
    static func load(_ address: String) async throws {
        let fetcher = try ResourceFetcher(loader: FoundationLoader())
        let presentation = try await InputResolver(fetcher: fetcher).resolve(address)
        var checker = StreamChecker(presentation.readings(through: fetcher))
        for await reading in presentation.readings(through: fetcher) {
            checker.observe(reading)
            for tag in reading.tags { print(tag.json) }
        }
        print(checker.finish().status.rawValue)
    }

    /// Exports the waiting tags of a buffer, and removes those older than ten days.
    static func buffer(_ folder: String) async throws {
        let buffer = try await TagBuffer.open(directory: folder)
        for rows in [BufferRows.waiting, .deadLetters] {
            var page = try await buffer.page(of: rows)
            while let end = page.last {
                for row in page { print(row.json ?? "unreadable: \(row.id)") }
                page = try await buffer.page(of: rows, after: end.sequence)
            }
        }
        let retried = try await buffer.retryDeadLetters()
        let pruned = try await buffer.prune(.waiting, olderThan: .seconds(864_000))
        let found = try await buffer.verify()
        print("\(retried) retried, \(pruned) pruned, \(found.isIntact ? "intact" : "damaged")")
        await buffer.close()
    }

    /// Applies the rules for players to a log of calls.
    static func certify(_ path: String) throws {
        var options = Certification.Options()
        options.platform = .ios
        var certification = Certification(of: path, options: options)
        certification.read([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
        let report = certification.finish()
        print(report.document(as: .text) ?? "")
        if report.status == .fail { exit(1) }
    }

    /// Lists the checks with what to do, and the limits.
    static func checks() {
        for id in CheckID.all + CheckID.ofMonitorOnly {
            guard let check = id.declaration else { continue }
            print("\(check.id): \(check.title). \(check.action)")
        }
        for limit in HealthLimit.all { print("\(limit.name) = \(limit.defaultValue) \(limit.unit)") }
    }
}

/// A client of the caller: it could add header fields, use a proxy, or answer from a cache.
struct FoundationLoader: ResourceLoader {
    func load(_ request: ResourceRequest) async throws -> ResourceResponse {
        guard let url = URL(string: request.url) else { throw URLError(.badURL) }
        var sent = URLRequest(url: url)
        for (name, value) in request.headers { sent.setValue(value, forHTTPHeaderField: name) }
        let (body, response) = try await URLSession.shared.data(for: sent)
        let answer = response as? HTTPURLResponse
        var headers: [String: String] = [:]
        for (name, value) in answer?.allHeaderFields ?? [:] { headers["\(name)"] = "\(value)" }
        return ResourceResponse(
            status: answer?.statusCode ?? 200, url: response.url?.absoluteString, headers: headers,
            body: [UInt8](body))
    }
}

import Foundation
import TestSupport

@testable import Reporting

/// Debian's Chromium in headless mode.
enum Chromium {
    private static let program = "/usr/bin/chromium"

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    struct Failed: Error {
        let status: Int32
        let errors: String
    }

    /// The state of a page after its script has run.
    struct Page {
        let html: String
        /// The messages that the browser wrote to its console.
        let complaints: [String]

        /// The number of matching tags, as each table of tags displays it.
        var matches: [String] {
            html.matches(of: /class="matches"[^>]*>([^<]*)</).map { String($0.output.1) }
        }

        /// The texts of the cells of the first table of tags.
        var rows: [[String]] {
            guard let table = html.range(of: "aria-label=\"Table of tags\""),
                let body = html.range(of: "<tbody>", range: table.upperBound..<html.endIndex),
                let end = html.range(of: "</tbody>", range: body.upperBound..<html.endIndex)
            else { return [] }
            return html[body.upperBound..<end.lowerBound].components(separatedBy: "<tr").dropFirst().map {
                row in
                row.matches(of: /<td[^>]*>([^<]*)<\/td>/).map {
                    String($0.output.1).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
                        .replacing("&amp;", with: "&")
                }
            }
        }

        var rowCount: Int { rows.count }
    }

    static func open(
        _ reports: [HealthReport], fragment: String = "", options: [String] = []
    ) async throws -> Page {
        try await open(
            PageReport.bytes(reports, producer: "dtvr", made: nil), fragment: fragment, options: options)
    }

    static func open(_ bytes: [UInt8], fragment: String = "", options: [String] = []) async throws -> Page {
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "page.html")
        try Data(bytes).write(to: file)
        let finished = try await FinishedProcess.of(
            program,
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
                "--user-data-dir=\(folder.path)/profile", "--virtual-time-budget=1000",
            ] + options + ["--dump-dom", file.absoluteString + (fragment.isEmpty ? "" : "#" + fragment)])
        let errors = String(decoding: finished.errors, as: UTF8.self)
        guard finished.status == 0 else { throw Failed(status: finished.status, errors: errors) }
        return Page(
            html: String(decoding: finished.output, as: UTF8.self),
            complaints: errors.split(separator: "\n").map(String.init).filter { $0.contains(":CONSOLE") })
    }
}

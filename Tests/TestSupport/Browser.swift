import Foundation

/// Debian's Chromium without a window, driven by the DevTools protocol (`Tests/Peers/browse.py`).
public enum Browser {
    /// Whether it is installed.
    public static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium") }

    /// What the steps gave, and what the browser wrote to its console and its log.
    public struct Visit: @unchecked Sendable {
        // Sendable: what JSONSerialization made is read only.

        /// The values, in order.
        public let values: [Any]
        /// Errors and warnings.
        public let complaints: [String]

        /// A value as a number.
        public func number(_ index: Int) -> Double { (values[index] as? NSNumber)?.doubleValue ?? .nan }

        /// A value as text.
        public func text(_ index: Int) -> String { values[index] as? String ?? "" }
    }

    /// It could not do the steps.
    public struct Failed: Error {
        /// What was said.
        public let errors: String
    }

    /// Does the steps that `browse.py` describes, JSON each.
    public static func visit(_ steps: String...) async throws -> Visit {
        let finished = try await FinishedProcess.of(
            "/usr/bin/env", ["python3", Project.root + "/Tests/Peers/browse.py"],
            input: Data("[\(steps.joined(separator: ","))]".utf8))
        guard finished.status == 0,
            let found = try JSONSerialization.jsonObject(with: finished.output) as? [String: Any],
            let values = found["values"] as? [Any], let complaints = found["complaints"] as? [String]
        else { throw Failed(errors: String(decoding: finished.errors, as: UTF8.self)) }
        return Visit(values: values, complaints: complaints)
    }
}

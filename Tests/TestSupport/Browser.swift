import Foundation

/// Debian's Chromium, headless, driven with the DevTools protocol by `Tests/Peers/browse.py`.
public enum Browser {
    /// Whether Chromium is installed.
    public static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium") }

    /// The results of the steps.
    public struct Visit: @unchecked Sendable {
        // Sendable: objects from JSONSerialization are immutable.

        /// The values that the steps returned, in order.
        public let values: [Any]
        /// The errors and warnings in the browser's console and log.
        public let complaints: [String]

        /// Returns a value as a number.
        public func number(_ index: Int) -> Double { (values[index] as? NSNumber)?.doubleValue ?? .nan }

        /// Returns a value as text.
        public func text(_ index: Int) -> String { values[index] as? String ?? "" }
    }

    /// A failure of a step.
    public struct Failed: Error {
        /// The standard error of `browse.py`.
        public let errors: String
    }

    /// Runs steps in a new browser; each is a JSON object that `browse.py` describes.
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

package import MarketProfiles

/// One line of a log of calls.
package struct CallLogLine: Sendable, Hashable {
    /// What a line says.
    package enum Content: Sendable, Hashable {
        /// A call, by the name that stands there.
        case call(name: String, arguments: [MetadataValue])
        /// The line is no JSON object with a call.
        case unreadable
    }

    /// Which line of the file it is, from 1; comments count.
    package let number: Int
    /// Seconds since the start: its own, or those of the line before.
    package let at: Double
    /// Which of several sessions is meant; empty where the line names none.
    package let instance: String
    /// What it says.
    package let content: Content
}

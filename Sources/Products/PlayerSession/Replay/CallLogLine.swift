package import MarketProfiles

/// One line of a log of calls.
package struct CallLogLine: Sendable, Hashable {
    /// The content of a line.
    package enum Content: Sendable, Hashable {
        /// A call, by the name in the line.
        case call(name: String, arguments: [MetadataValue])
        /// The line is not a JSON object with a call.
        case unreadable
    }

    /// The number of the line in the file, from 1; comments count.
    package let number: Int
    /// The seconds since the start, from this line or from the line before.
    package let at: Double
    /// The session that the line is for; empty if the line names none.
    package let instance: String
    /// The content of the line.
    package let content: Content
}

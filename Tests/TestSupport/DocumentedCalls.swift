import Foundation

/// The calls in the Swift examples of a page, as a log that `dtvr replay` and `dtvr certify` read.
public enum DocumentedCalls {
    /// The pages with a first example, relative to the project, and the number of code blocks that it has.
    public static let pages = [
        ("docs/players.md", 1), ("Sources/Products/PlayerSession/PlayerSession.docc/MeasureAPlayer.md", 2),
    ]

    /// Returns the log of the calls in the first code blocks of a page.
    ///
    /// The times follow the playheads. Each tag is another one of `owners`.
    public static func log(of page: String, blocks count: Int, owners: [String]) throws -> String {
        let text = try String(contentsOfFile: Project.root + "/" + page, encoding: .utf8)
        let blocks = text.components(separatedBy: "```swift\n").dropFirst().prefix(count)
        let code = blocks.map { $0.components(separatedBy: "```")[0] }.joined(separator: "\n")
        var lines: [String] = []
        var (time, last, tagCount) = (0.0, Double?.none, 0)
        if let app = code.firstMatch(of: /let app: MetadataValue = \[(?s)(.*?),?\s*\]/) {
            let members = app.1.split(whereSeparator: \.isNewline).joined()
            lines.append(#"{"at":0,"call":"init","arguments":[{\#(members)}]}"#)
        }
        // The delivery is not a call of the guides.
        for match in code.matches(of: /session\.(\w+)\((.*)\)/) where match.1 != "deliver" {
            let (call, given) = (String(match.1), String(match.2))
            var argument = given.replacing("playhead: ", with: "")
            if given.hasPrefix("[") { argument = "{\(given.dropFirst().dropLast())}" }
            if call == "sendID3" {
                let mediaTime = given.components(separatedBy: "mediaTime: ").dropFirst().first
                argument = "\"\(owners[tagCount % owners.count])\"" + (mediaTime.map { ",\($0)" } ?? "")
                tagCount += 1
            } else if let position = Double(argument) {
                time += max(0, position - (last ?? position))
                last = position
            } else if call == "loadMetadata" {
                last = nil
            }
            let name = call == "finish" ? "free" : call
            lines.append(#"{"at":\#(time),"call":"\#(name)","arguments":[\#(argument)]}"#)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

import NielsenID3

extension CheckDeclaration {
    /// Returns the explanation for a terminal, with the limits of `policy`.
    ///
    /// Paragraphs are broken into lines of at most `width` characters; a width below 40 counts as 40. The text ends
    /// with a newline.
    package func text(policy: HealthPolicy = HealthPolicy(), width: Int = 100) -> String {
        let width = max(width, 40)
        var lines = ExplanationLines.wrapped("\(id.rawValue): \(title)", width: width, indent: 0)
        lines.append("")
        lines += ExplanationLines.wrapped(severity, width: width, indent: 0)
        for part in parts {
            lines += ["", part.heading]
            lines += ExplanationLines.wrapped(part.text, width: width, indent: 4)
        }
        if !limits.isEmpty {
            lines += ["", "Limits"]
            for limit in limits {
                let line =
                    "\(limit.name) = \(ExplanationLines.text(policy[limit])) \(limit.unit): \(limit.help)"
                lines += ExplanationLines.wrapped(line, width: width, indent: 4)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The worst severity and the clock, as a sentence.
    var severity: String {
        let word =
            switch worst {
            case .fail: "Worst severity: fail"
            case .warn: "Worst severity: warn"
            case .pass, .notRun: "Information only"
            }
        let time: String? =
            switch clock {
            case nil: nil
            case .stream: "measured by the presentation times of the stream"
            case .tag: "measured by the times in the tags"
            case .both: "measured by the times in the tags against those of the stream"
            case .wall: "measured by the wall clock"
            }
        let place = isOfMonitorOnly ? "in the monitor only" : nil
        return [word, time, place].compactMap { $0 }.joined(separator: ", ") + "."
    }

    /// The paragraphs with their headings.
    var parts: [(heading: String, text: String)] {
        [
            ("What it means", meaning), ("What it looks like", appearance), ("Usual cause", cause),
            ("What to do", action),
            source.map { ("Source", $0) } ?? (
                "When to act", "\(urgency.prefix(1).uppercased())\(urgency.dropFirst())."
            ),
        ]
    }
}

/// Line wrapping and number formatting for explanations.
enum ExplanationLines {
    /// Breaks a paragraph into lines of at most `width` characters, each indented by `indent` spaces.
    ///
    /// A word that is too long gets a line to itself.
    static func wrapped(_ text: String, width: Int, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines.append(margin + line)
                line = ""
            }
            line += line.isEmpty ? "\(word)" : " \(word)"
        }
        if !line.isEmpty { lines.append(margin + line) }
        return lines
    }

    /// Formats a limit, without a fraction if it is a whole number.
    static func text(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}

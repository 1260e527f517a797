import NielsenID3

extension CheckDeclaration {
    /// The explanation for a terminal: paragraphs broken into lines of at most `width` characters (40 or more), with
    /// the limits as the policy sets them; ends in a line end.
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

    /// The explanation as a section of Markdown, with the check's id as its anchor and the limits' defaults; ends in
    /// a line end.
    package var markdown: String {
        var lines = [
            "<a id=\"\(id.rawValue)\"></a>", "", "### `\(id.rawValue)`", "", "**\(title).** \(severity)",
        ]
        for part in parts { lines += ["", "*\(part.heading).* \(part.text)"] }
        if !limits.isEmpty {
            let list = limits.map {
                "`\($0.name)` (\(ExplanationLines.text($0.defaultValue)) \($0.unit))"
            }
            lines += ["", "*Limits.* \(list.joined(separator: ", "))"]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// How bad it is, and by which clock, as a sentence.
    private var severity: String {
        let word =
            switch worst {
            case .fail: "Fails at worst"
            case .warn: "Warns at worst"
            case .pass, .notRun: "Information only"
            }
        let time: String? =
            switch clock {
            case nil: nil
            case .stream: "by the presentation times of the stream"
            case .tag: "by the times that the tags state"
            case .both: "by the tags' times against the stream's"
            case .wall: "by the wall clock"
            }
        let place = isOfMonitorOnly ? "in the monitor only" : nil
        return [word, time, place].compactMap { $0 }.joined(separator: ", ") + "."
    }

    private var parts: [(heading: String, text: String)] {
        [
            ("What it means", meaning), ("What it looks like", appearance), ("Usual cause", cause),
            ("What to do", action),
        ]
    }
}

/// Lines of text that are not too long.
enum ExplanationLines {
    /// A paragraph as lines of at most `width` characters, all of them `indent` to the right; a word that is
    /// longer has a line of its own.
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

    /// A limit's number: without a fraction where it has none.
    static func text(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}

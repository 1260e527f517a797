import TextForms

/// One setting of the tool: from this description come its flag, its environment variable, its key in the
/// configuration file, its help line and its completion.
struct Setting: Sendable, Hashable {
    /// The name: the flag without its dashes, and the key.
    let name: String
    var kind: Kind
    /// The commands that know the setting.
    let commands: Set<CommandName>
    /// One line of help; the default is added to it.
    var help: String
    /// What holds where nothing sets it; nil where then nothing is set.
    var defaultText: String?
    /// Words that a shell offers for the value; those of a choice are all that it takes.
    var suggestions: [String] = []
    /// Whether it is a limit that checks go by.
    let isLimit: Bool

    enum Kind: Sendable, Hashable {
        /// On or off; the flag alone turns it on.
        case toggle
        case text(_ placeholder: String)
        case path(_ placeholder: String)
        /// One of a few words, which help shows unless there are too many to be read.
        case choice([String], shownAs: String? = nil)
        /// A length of time, in seconds: `90s`, `15m`, `36h`, `10d`; seconds without a unit.
        case duration(ClosedRange<Double>)
        /// A size: `30000000`, `30MB`, `28MiB`.
        case byteCount(ClosedRange<Int>)
        case number(ClosedRange<Int>, shownAs: String = "N")

        /// The words of a choice; none for any other kind.
        var choices: [String] {
            if case .choice(let choices, _) = self { choices } else { [] }
        }
    }

    init(
        _ name: String, _ kind: Kind, for commands: Set<CommandName>, default defaultText: String? = nil,
        help: String, isLimit: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.commands = commands
        self.help = help
        self.defaultText = defaultText
        self.isLimit = isLimit
        suggestions = kind.choices
    }

    /// Makes the setting one that takes these words.
    mutating func take(_ choices: [String]) {
        kind = .choice(choices)
        suggestions = choices
    }

    var flag: String { "--\(name)" }

    var variable: String { "DTVR_" + name.uppercased().replacing("-", with: "_") }

    /// The flag with what follows it, as help shows it.
    var usage: String { placeholder.map { "\(flag) \($0)" } ?? flag }

    /// What stands for the value after the flag; nil where it takes none.
    var placeholder: String? {
        switch kind {
        case .toggle: nil
        case .text(let placeholder), .path(let placeholder): placeholder
        case .choice(let choices, let placeholder): placeholder ?? choices.joined(separator: "|")
        case .duration: "TIME"
        case .byteCount: "SIZE"
        case .number(_, let placeholder): placeholder
        }
    }

    /// What is wrong with a value, as the words after the setting's name; nil where nothing is.
    func objection(to value: String) -> String? {
        if isValid(value) { return nil }
        if value.isEmpty { return "must not be empty" }
        return "takes \(expectation(of: value)), not '\(value)'"
            + Suggestion.text(for: value, among: suggestions)
    }

    private func isValid(_ value: String) -> Bool {
        switch kind {
        case .toggle: ToggleText.isOn(value) != nil
        case .text, .path: !value.isEmpty
        case .choice(let choices, _): choices.contains(value)
        case .duration(let range): DurationText.seconds(value).map(range.contains) ?? false
        case .byteCount(let range): ByteCountText.bytes(value).map(range.contains) ?? false
        case .number(let range, _): Int(value).map(range.contains) ?? false
        }
    }

    private func expectation(of value: String) -> String {
        switch kind {
        case .duration where DurationText.seconds(value) == nil: "a time such as 90s, 15m, 36h or 10d"
        case .byteCount where ByteCountText.bytes(value) == nil: "a size such as 30000000, 30MB or 28MiB"
        default: values
        }
    }

    /// The values that it takes, in words: `a time from 0s to 3650d`.
    var values: String {
        switch kind {
        case .toggle: "true or false"
        case .text(let placeholder), .path(let placeholder): placeholder
        case .choice(let choices, let placeholder):
            placeholder ?? "one of \(choices.joined(separator: ", "))"
        case .duration(let range):
            "a time from \(DurationText.text(range.lowerBound)) to \(DurationText.text(range.upperBound))"
        case .byteCount(let range):
            "a size from \(ByteCountText.text(range.lowerBound)) to \(ByteCountText.text(range.upperBound))"
        case .number(let range, _): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

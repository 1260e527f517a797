import TextForms

/// A setting of the tool, which defines its flag, environment variable, configuration key, help line and completion.
///
/// A command reads the value of a setting by the setting's name. It may change the form for itself (`adapted`).
struct Setting: Sendable, Hashable {
    /// The name: the configuration key, and the flag without its dashes.
    let name: String
    var kind: Kind
    /// One line of help, without the default value.
    var help: String
    /// The default value, or nil without one.
    var defaultText: String?
    /// The completions for the value; for a choice, all valid values.
    var suggestions: [String] = []
    /// Whether the flag may be given several times; its values are then the lines of the value.
    var isRepeatable = false
    /// Whether the setting is a limit of a check.
    let isLimit: Bool

    enum Kind: Sendable, Hashable {
        /// On or off; the flag without a value turns it on.
        case toggle
        case text(_ placeholder: String)
        case path(_ placeholder: String)
        /// One of a list of words; `shownAs` replaces a list that is too long for the help.
        case choice([String], shownAs: String? = nil)
        /// A duration in seconds: `90s`, `15m`, `36h`, `10d`, or a number of seconds.
        case duration(ClosedRange<Double>)
        /// A size in bytes: `30000000`, `30MB`, `28MiB`.
        case byteCount(ClosedRange<Int>)
        case number(ClosedRange<Int>, shownAs: String = "N")
        /// A number that may have decimals, such as `1.5`.
        case decimal(ClosedRange<Int>)

        /// The words of a choice; empty for any other kind.
        var choices: [String] {
            if case .choice(let choices, _) = self { choices } else { [] }
        }
    }

    init(
        _ name: String, _ kind: Kind, default defaultText: String? = nil, help: String, isLimit: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.help = help
        self.defaultText = defaultText
        self.isLimit = isLimit
        suggestions = kind.choices
    }

    /// Restricts the setting to a list of words.
    mutating func limit(to choices: [String]) {
        kind = .choice(choices)
        suggestions = choices
    }

    /// Returns the form of the setting in a command that differs from the others.
    func adapted(_ change: (inout Setting) -> Void) -> Setting {
        var form = self
        change(&form)
        return form
    }

    var flag: String { "--\(name)" }

    var variable: String { "DTVR_" + name.uppercased().replacing("-", with: "_") }

    /// The flag with its placeholder, as in the help.
    var usage: String { placeholder.map { "\(flag) \($0)" } ?? flag }

    /// The placeholder for the value, or nil for a toggle.
    var placeholder: String? {
        switch kind {
        case .toggle: nil
        case .text(let placeholder), .path(let placeholder): placeholder
        case .choice(let choices, let placeholder): placeholder ?? choices.joined(separator: "|")
        case .duration: "TIME"
        case .byteCount: "SIZE"
        case .number(_, let placeholder): placeholder
        case .decimal: "N"
        }
    }

    /// Returns the error for an invalid value, to follow the setting's name, or nil if the value is valid.
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
        case .decimal(let range):
            DecimalText.value(value).map {
                (Double(range.lowerBound)...Double(range.upperBound)).contains($0)
            } ?? false
        }
    }

    private func expectation(of value: String) -> String {
        switch kind {
        case .duration where DurationText.seconds(value) == nil: "a time such as 90s, 15m, 36h or 10d"
        case .byteCount where ByteCountText.bytes(value) == nil: "a size such as 30000000, 30MB or 28MiB"
        default: values
        }
    }

    /// A description of the valid values: `a time from 0s to 3650d`.
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
        case .decimal(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

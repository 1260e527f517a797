/// Text in the man(7) language, as man and mandoc read it.
///
/// All of it is ASCII, and no line of prose is longer than 80 bytes.
struct ManualText {
    private static let width = 78

    private(set) var source = ""
    // A section begins with a paragraph of its own; one more would be a mistake.
    private var isAtStartOfSection = false

    /// The text of a page, from its title line on.
    init(title: String, section: Int, date: String, version: String) {
        let title = Self.escaped(title.uppercased())
        line(".TH \(title) \(section) \(date) \"\(Self.escaped(version))\" \"dtvr Manual\"")
    }

    /// Begins a section.
    mutating func section(_ title: String) {
        line(".SH \(title)")
        isAtStartOfSection = true
    }

    /// Begins a part of a section.
    mutating func subsection(_ title: String) {
        line(".SS \(title)")
        isAtStartOfSection = true
    }

    /// The line that the list of all manual pages is made from.
    mutating func name(_ name: String, _ summary: String) {
        line("\(Self.escaped(name)) \\- \(Self.escaped(summary))")
    }

    /// A call: the program's words in bold, what the user fills in (in capitals) in italics.
    mutating func synopsis(_ call: String) {
        beginParagraph()
        line(Self.marked(call))
    }

    /// A paragraph.
    mutating func paragraph(_ text: String) {
        beginParagraph()
        prose(text)
    }

    /// A term of a list, marked as in a call, and what it stands for.
    mutating func item(_ term: String, _ text: String) {
        isAtStartOfSection = false
        line(".TP")
        line(Self.marked(term))
        prose(text)
    }

    /// One more paragraph of an item.
    mutating func itemParagraph(_ text: String) {
        line(".IP")
        prose(text)
    }

    /// Lines that are shown as they are.
    mutating func verbatim(_ lines: [String]) {
        beginParagraph()
        line(".RS 4")
        line(".EX")
        for each in lines { line(Self.protected(Self.escaped(each))) }
        line(".EE")
        line(".RE")
    }

    /// A call as it is typed, and what it is for.
    mutating func example(_ example: CommandExample) {
        paragraph(Self.sentence(example.purpose) + ":")
        verbatim([example.call])
    }

    /// Other pages, as `dtvr-scan(1)`.
    mutating func references(_ pages: [String]) { prose(pages.joined(separator: ", ")) }

    /// A text with a capital letter at its start, unless it starts with names, as `time.gap` and `list, export: ` are.
    static func sentence(_ text: String) -> String {
        let beforeColon = text.contains(":") ? text.prefix { $0 != ":" } : ""
        let isListOfNames = !beforeColon.isEmpty && !beforeColon.replacing(", ", with: "").contains(" ")
        let firstWord = text.prefix { $0 != " " }
        if isListOfNames || firstWord.dropLast().contains(".") { return text }
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    private mutating func line(_ text: String) { source += text + "\n" }

    private mutating func beginParagraph() {
        if !isAtStartOfSection { line(".PP") }
        isAtStartOfSection = false
    }

    /// Running text; options and other pages are set in bold.
    ///
    /// Each sentence begins a line, by which the formatter knows where to put the space between sentences.
    private mutating func prose(_ text: String) {
        var words: [String] = []
        func wrapped() -> [String] { WrappedText.lines(words.joined(separator: " "), width: Self.width) }
        for word in text.split(separator: " ") {
            words.append(Self.word(String(word)))
            guard word.hasSuffix(".") else { continue }
            for each in wrapped() { line(Self.protected(each)) }
            words = []
        }
        for each in wrapped() { line(Self.protected(each)) }
    }

    /// A word of prose: an option and a page in bold, without the punctuation around it.
    private static func word(_ word: String) -> String {
        let opening = word.prefix { $0 == "(" }
        var core = word.dropFirst(opening.count)
        if core.contains("(1)") || core.contains("(5)"), let parenthesis = core.firstIndex(of: "(") {
            return escaped(String(opening)) + "\\fB" + escaped(String(core[..<parenthesis])) + "\\fR"
                + escaped(String(core[parenthesis...]))
        }
        guard core.hasPrefix("--") else { return escaped(word) }
        var closing = ""
        while let last = core.last, ",.;:)".contains(last) {
            closing = String(last) + closing
            core = core.dropLast()
        }
        return escaped(String(opening)) + "\\fB" + escaped(String(core)) + "\\fR" + escaped(closing)
    }

    /// The words of a call or of a term: what stands in capitals is filled in, what stands in small letters is typed.
    private static func marked(_ call: String) -> String {
        call.split(separator: " ").map { word in
            var result = ""
            for run in runs(of: word) {
                if run.contains(where: \.isLowercase) || run.hasPrefix("-") {
                    result += "\\fB" + escaped(String(run)) + "\\fR"
                } else if run.contains(where: \.isUppercase) {
                    result += "\\fI" + escaped(String(run)) + "\\fR"
                } else {
                    result += escaped(String(run))
                }
            }
            return result
        }.joined(separator: " ")
    }

    /// A word in runs of what belongs together: names with their dashes and digits, and signs between them.
    private static func runs(of word: Substring) -> [Substring] {
        var runs: [Substring] = []
        var start = word.startIndex
        func isSign(_ character: Character) -> Bool { "[]|.:".contains(character) }
        for index in word.indices.dropFirst() where isSign(word[index]) != isSign(word[start]) {
            runs.append(word[start..<index])
            start = index
        }
        runs.append(word[start...])
        return runs
    }

    /// A dot or an apostrophe at the start of a line would make a macro of it.
    private static func protected(_ text: String) -> String { text.hasPrefix(".") ? "\\&" + text : text }

    /// Signs that would be read as something else, or be shown as another sign than the one that is typed.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "`": result += "\\(ga"
            case "^": result += "\\(ha"
            case "~": result += "\\(ti"
            case "\"": result += "\\(dq"
            case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
            default: result += "\\[u\(hexadecimal(scalar))]"
            }
        }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

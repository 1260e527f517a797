/// Text in the man(7) language, for man and mandoc.
///
/// The text is ASCII, and no line of prose is longer than 80 bytes.
struct ManualText {
    private static let width = 78

    private(set) var source = ""
    // A section implies a new paragraph; an explicit one would be an error.
    private var isAtStartOfSection = false

    /// Creates the text of a page with its title line.
    init(title: String, section: Int, date: String, version: String) {
        let title = Self.escaped(title.uppercased())
        line(".TH \(title) \(section) \(date) \"\(Self.escaped(version))\" \"dtvr Manual\"")
    }

    /// Starts a section.
    mutating func section(_ title: String) {
        line(".SH \(title)")
        isAtStartOfSection = true
    }

    /// Starts a subsection.
    mutating func subsection(_ title: String) {
        line(".SS \(title)")
        isAtStartOfSection = true
    }

    /// Appends the NAME line, which `apropos` and `whatis` index.
    mutating func name(_ name: String, _ summary: String) {
        line("\(Self.escaped(name)) \\- \(Self.escaped(summary))")
    }

    /// Appends a synopsis line with literal words in bold and placeholders (in capitals) in italics.
    mutating func synopsis(_ call: String) {
        beginParagraph()
        line(Self.marked(call))
    }

    /// Appends a paragraph.
    mutating func paragraph(_ text: String) {
        beginParagraph()
        prose(text)
    }

    /// Appends a list item: a term, marked up like a synopsis, and its description.
    mutating func item(_ term: String, _ text: String) {
        isAtStartOfSection = false
        line(".TP")
        line(Self.marked(term))
        prose(text)
    }

    /// Appends another paragraph to an item.
    mutating func itemParagraph(_ text: String) {
        line(".IP")
        prose(text)
    }

    /// Appends lines verbatim.
    mutating func verbatim(_ lines: [String]) {
        beginParagraph()
        line(".RS 4")
        line(".EX")
        for each in lines { line(Self.protected(Self.escaped(each))) }
        line(".EE")
        line(".RE")
    }

    /// Appends an example: its purpose and the command line.
    mutating func example(_ example: CommandExample) {
        paragraph(Self.sentence(example.purpose) + ":")
        verbatim([example.call])
    }

    /// Appends a list of page references, such as `dtvr-scan(1)`.
    mutating func references(_ pages: [String]) { prose(pages.joined(separator: ", ")) }

    /// Returns the text with an initial capital, unless it starts with names, such as `time.gap` or `list, export: `.
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

    /// Appends running text, with options and page references in bold.
    ///
    /// Each sentence starts a new line, so that the formatter can choose the space between sentences.
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

    /// Formats a word of prose: options and page references in bold, without the surrounding punctuation.
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

    /// Formats a synopsis or term: placeholders are in capitals, literal words in small letters.
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

    /// Splits a word into runs of name characters (letters, digits, hyphens) and runs of signs.
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

    /// Protects a leading dot, which would start a macro; `escaped` handles the apostrophe.
    private static func protected(_ text: String) -> String { text.hasPrefix(".") ? "\\&" + text : text }

    /// Escapes the characters that man(7) interprets or replaces by typographic ones.
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

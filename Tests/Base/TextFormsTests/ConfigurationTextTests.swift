import Testing
import TextForms

@Suite struct ConfigurationTextTests {
    @Test func text_withSections_keepsLinesKeysAndOrder() throws {
        let text = try ConfigurationText(
            parsing: "a = 1 # one\n\n# none\n[ first ]\r\n b=x = y#z\n[second]\n[first]\nc =\n")
        #expect(text.entries.map(\.key) == ["a"])
        #expect(text.entries.map(\.value) == ["1"])
        #expect(text.sections.map(\.name) == ["first", "second", "first"])
        #expect(text.sections.map(\.line) == [4, 6, 7])
        #expect(text.sections[0].entries.map(\.value) == ["x = y#z"])
        #expect(text.sections[0].entries.map(\.line) == [5])
        #expect(text.sections[1].entries.isEmpty)
        #expect(text.sections[2].entries.map(\.value) == [""])
    }

    @Test(arguments: [
        ("a = 1\nb", 2, "not of the form key = value: b"),
        ("[a\nb = 1", 1, "a section without its closing bracket: [a"),
        ("[a] b", 1, "a section without its closing bracket: [a] b"),
    ])
    func text_withAFault_namesTheLine(text: String, line: Int, message: String) {
        let error = #expect(throws: ConfigurationText.Fault.self) { try ConfigurationText(parsing: text) }
        #expect(error == .init(line: line, message: message))
    }
}

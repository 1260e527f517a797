import Testing
import TextForms

@Suite struct JSONTokenizerTests {
    /// Returns the tokens of a text in chunks, with the strings of the key `k`.
    private static func tokens(_ text: String, chunk: Int) -> (
        tokens: [JSONTokenizer.Token], isComplete: Bool
    ) {
        let bytes = Array(text.utf8)
        var tokenizer = JSONTokenizer()
        var tokens: [JSONTokenizer.Token] = []
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            let part = Array(bytes[start..<min(start + chunk, bytes.count)])
            var index = 0
            while let token = tokenizer.next(in: part, at: &index) {
                if token == .key(Array(#""k""#.utf8)) { tokenizer.keepsNextString = true }
                tokens.append(token)
            }
        }
        return (tokens, tokenizer.isComplete)
    }

    @Test(arguments: [1, 2, 3, 100])
    func tokens_inChunksOfAnySize_matchTheText(chunk: Int) {
        let text = #"{"a":[1,-2.5e+3,true,"skipped\\\""],"k":"a\\\"b","b":{},"c":[]} "#
        let (tokens, isComplete) = Self.tokens(text, chunk: chunk)
        func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
        #expect(
            tokens == [
                .begin(isObject: true), .key(bytes(#""a""#)), .begin(isObject: false), .scalar, .scalar,
                .scalar,
                .string(nil), .end, .key(bytes(#""k""#)), .string(bytes(#""a\\\"b""#)), .key(bytes(#""b""#)),
                .begin(isObject: true), .end, .key(bytes(#""c""#)), .begin(isObject: false), .end, .end,
            ])
        #expect(isComplete)
    }

    @Test(arguments: [
        "{]", "[}", "{1:2}", #"{"a" 1}"#, #"{"a":1,}"#, "[1,]", "[1 2]", "[1]]", "{} {}", "[,1]", "[1:2]",
        "\u{1}",
        #"{"a":}"#, "]",
    ])
    func malformedText_endsTokenization(text: String) {
        let (tokens, isComplete) = Self.tokens(text + " ", chunk: 1)
        #expect(tokens.last == .malformed && !isComplete, "\(tokens)")
        #expect(tokens.count { $0 == .malformed } == 1)
    }

    @Test func text_isCompleteOnlyAtItsEnd() {
        let text = #"{"a":["b"]}"#
        for count in 0..<text.utf8.count {
            #expect(!Self.tokens(String(text.prefix(count)), chunk: 100).isComplete)
        }
        #expect(Self.tokens(text, chunk: 100).isComplete)
    }

    /// The length of a kept string is limited, and so is the depth of the nesting.
    @Test func stringLengthAndNesting_areLimited() {
        let long = String(repeating: "x", count: JSONTokenizer.maximumStringByteCount)
        #expect(Self.tokens(#"{"k":"\#(long)"}"#, chunk: 1 << 16).tokens[2] == .string(nil))
        #expect(Self.tokens(#"{"\#(long)":1}"#, chunk: 1 << 16).tokens[1] == .key([]))
        let deep = String(repeating: "[", count: JSONTokenizer.maximumDepth + 1)
        #expect(Self.tokens(deep, chunk: 1 << 16).tokens.last == .malformed)
    }
}

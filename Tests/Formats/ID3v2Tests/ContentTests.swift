import ID3v2
import Testing

@Suite struct ContentTests {
    /// Returns a text in an encoding, with a byte order mark if the encoding requires one.
    private static func encoded(_ text: String, _ encoding: UInt8, littleEndian: Bool = true) -> [UInt8] {
        switch encoding {
        case 1:
            let units = [0xFEFF] + Array(text.utf16)
            return units.flatMap { unit -> [UInt8] in
                let high = UInt8(unit >> 8)
                let low = UInt8(truncatingIfNeeded: unit)
                return littleEndian ? [low, high] : [high, low]
            }
        case 2: return text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        case 3: return Array(text.utf8)
        default: return text.unicodeScalars.map { UInt8($0.value) }
        }
    }

    private static func mark(_ encoding: UInt8) -> [UInt8] { encoding == 1 || encoding == 2 ? [0, 0] : [0] }

    private static func content(_ id: String, _ body: [UInt8]) throws -> ID3FrameContent? {
        try OwnedTag(TagBytes.tag(.v24, TagBytes.frame(.v24, id, body))).frames.first?.content
    }

    private static let texts = ["", "a", "Ünïcödé ÿ", "two words"]

    @Test(arguments: [0, 1, 2, 3] as [UInt8])
    func text_inEveryEncoding_isRead(encoding: UInt8) throws {
        let wide = encoding == 0 ? [] : ["日本語", "🎵 clef", "\u{FEFE}"]
        for text in Self.texts + wide {
            for end in [[], Self.mark(encoding)] {
                for littleEndian in [true, false] {
                    let body = [encoding] + Self.encoded(text, encoding, littleEndian: littleEndian) + end
                    let values = body.count == 1 ? [] : [text]
                    #expect(
                        try Self.content("TIT2", body) == .text(id: "TIT2", values: values),
                        "\(encoding) \(text)")
                }
            }
        }
    }

    @Test(arguments: [0, 1, 2, 3] as [UInt8])
    func values_inEveryEncoding_areSplitAtNullTerminators(encoding: UInt8) throws {
        let mark = Self.mark(encoding)
        let three = ["one", "", "three"].map { Self.encoded($0, encoding) }
        let body = [encoding] + three[0] + mark + three[1] + mark + three[2]
        #expect(try Self.content("TPE1", body) == .text(id: "TPE1", values: ["one", "", "three"]))
        #expect(try Self.content("TPE1", body + mark) == .text(id: "TPE1", values: ["one", "", "three"]))
    }

    /// Only the first text has a byte order mark, as some writers do it.
    @Test func laterValue_withoutByteOrderMark_usesTheByteOrderOfTheFirst() throws {
        let body: [UInt8] = [1, 0xFE, 0xFF, 0, 0x61, 0, 0, 0, 0x62]
        #expect(try Self.content("TPE1", body) == .text(id: "TPE1", values: ["a", "b"]))
        let odd: [UInt8] = [1, 0xFF, 0xFE, 0x61, 0, 0x62]
        #expect(try Self.content("TPE1", odd) == .text(id: "TPE1", values: ["a"]))
    }

    @Test(arguments: [0, 1, 2, 3] as [UInt8])
    func framesWithADescription_inEveryEncoding_areRead(encoding: UInt8) throws {
        let mark = Self.mark(encoding)
        let description = Self.encoded("déscription", encoding) + mark
        let value = Self.encoded("välue", encoding)
        #expect(
            try Self.content("TXXX", [encoding] + description + value)
                == .userText(description: "déscription", values: ["välue"]))
        #expect(
            try Self.content("WXXX", [encoding] + description + Array("http://a.b".utf8))
                == .userURL(description: "déscription", url: "http://a.b"))
        #expect(
            try Self.content("COMM", [encoding] + Array("eng".utf8) + description + value)
                == .comment(language: "eng", description: "déscription", text: "välue"))
        let name = Self.encoded("ä.bin", encoding) + mark
        #expect(
            try Self.content(
                "GEOB", [encoding] + Array("a/b".utf8) + [0] + name + description + [0, 1, 0, 2])
                == .object(
                    mimeType: "a/b", filename: "ä.bin", description: "déscription", data: [0, 1, 0, 2]))
    }

    @Test func binaryFrames_areRead() throws {
        #expect(
            try Self.content("PRIV", Array("o\u{E9}".unicodeScalars.map { UInt8($0.value) }) + [0, 1, 0, 2])
                == .priv(owner: "oé", data: [1, 0, 2]))
        #expect(
            try Self.content("UFID", Array("owner".utf8) + [0, 9, 0])
                == .uniqueFileIdentifier(owner: "owner", identifier: [9, 0]))
        #expect(try Self.content("APIC", [0, 1, 2]) == .other(id: "APIC", size: 3))
        #expect(try Self.content("WOAF", Array("http://a".utf8)) == .other(id: "WOAF", size: 8))
    }

    @Test func v22Frames_areReadWithTheirOwnIDs() throws {
        let body =
            TagBytes.frame(.v22, "TXX", Array("\0d\0v".utf8))
            + TagBytes.frame(.v22, "WXX", Array("\0d\0u".utf8))
            + TagBytes.frame(.v22, "COM", Array("\0engd\0t".utf8))
            + TagBytes.frame(.v22, "GEO", Array("\0m\0f\0d\0x".utf8))
            + TagBytes.frame(.v22, "UFI", Array("o\0i".utf8)) + TagBytes.frame(.v22, "PIC", [1])
        let tag = try OwnedTag(TagBytes.tag(.v22, body))
        #expect(
            tag.frames.map(\.content) == [
                .userText(description: "d", values: ["v"]), .userURL(description: "d", url: "u"),
                .comment(language: "eng", description: "d", text: "t"),
                .object(mimeType: "m", filename: "f", description: "d", data: [0x78]),
                .uniqueFileIdentifier(owner: "o", identifier: [0x69]), .other(id: "PIC", size: 1),
            ])
        #expect(tag.ids == ["TXX", "WXX", "COM", "GEO", "UFI", "PIC"])
        let ids = tag.frames.map(\.content.id)
        #expect(ids == ["TXXX", "WXXX", "COMM", "GEOB", "UFID", "PIC"])
    }

    /// An unknown encoding is not guessed.
    @Test func unknownEncodings_areNotDecoded() throws {
        for encoding in UInt8(4)...UInt8.max {
            for id in ["TIT2", "TXXX", "WXXX", "COMM", "GEOB"] {
                #expect(try Self.content(id, [encoding, 1, 2, 3, 4]) == .other(id: id, size: 5))
            }
        }
    }

    /// Every kind of frame at every length of its content: there is no trap, and the identifier is kept.
    @Test func frameContents_atEveryTruncation_retainTheFrameID() throws {
        let bodies: [(String, [UInt8])] = [
            ("PRIV", Array("owner\0data".utf8)), ("UFID", Array("owner\0data".utf8)),
            ("TXXX", [1, 0xFF, 0xFE, 0x61, 0, 0, 0, 0xFF, 0xFE, 0x62, 0]),
            ("WXXX", [2, 0, 0x61, 0, 0, 0x62]), ("COMM", Array("\u{3}engd\0t".utf8)),
            ("GEOB", Array("\u{3}m\0f\0d\0x".utf8)), ("TIT2", [1, 0xFE, 0xFF, 0, 0x61, 0, 0]),
        ]
        for (id, body) in bodies {
            for length in 0...body.count {
                #expect(try Self.content(id, Array(body.prefix(length)))?.id == id)
            }
        }
    }
}

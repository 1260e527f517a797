import ID3v2
import TestSupport
import Testing

@testable import NielsenID3

@Suite struct FormatTests {
    /// The characters that the expression allows at each position, built from its pieces.
    private static let pattern: [(FormatDefect.Piece, Set<UInt8>)] = {
        let base64 = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        let digits = Set("0123456789".utf8)
        var places: [(FormatDefect.Piece, Set<UInt8>)] = "www.nielsen.com/".utf8.map { (.domain, [$0]) }
        func add(_ piece: FormatDefect.Piece, _ count: Int, _ set: Set<UInt8>, end: String) {
            places += Array(repeating: (piece, set), count: count) + end.utf8.map { (piece, [$0]) }
        }
        add(.pcCID, 22, base64, end: "==/")
        add(.fdCID, 22, base64, end: "==/")
        add(.blob, 167, base64, end: "=/")
        add(.pcOffset, 5, digits, end: "/")
        add(.fdOffset, 5, digits, end: "/")
        add(.breakout, 2, digits, end: "")
        return places
    }()

    /// Every byte value at every position of a valid owner identifier: the defect has the right position, and the fast
    /// and the general method agree.
    @Test func ownerIdentifier_withAnyByteChanged_isParsedTheSameByBothMethods() throws {
        #expect(Self.pattern.count == 249)
        for place in 0..<249 {
            for value in UInt8.min...UInt8.max {
                var owner = Array(Samples.data2015.utf8)
                owner[place] = value
                let (piece, allowed) = Self.pattern[place]
                let tag = Samples.decode(owner: owner)
                let isBlank = value == 0x20 || (9...13).contains(value)
                if piece == .domain, !allowed.contains(value) {
                    #expect(tag == nil)
                    continue
                }
                let pieces = OwnerIdentifier(valid: owner.span)
                #expect((pieces != nil) == allowed.contains(value))
                let general = NielsenTag(
                    ownerIdentifier: owner, pieces: OwnerIdentifier(damaged: owner.span), envelope: Envelope()
                )
                if allowed.contains(value) {
                    #expect(general == tag)
                    #expect(tag?.formatDefect == nil)
                } else {
                    #expect(general.formatDefect == FormatDefect(piece: piece, character: place))
                    if !isBlank { #expect(general == tag) }
                }
            }
        }
    }

    /// Every byte of a complete tag, changed to each value: the exact layout and the general method have the same
    /// result.
    @Test(arguments: Samples.all)
    func tag_withAnyByteChanged_isParsedTheSameByBothMethods(owner: String) {
        let right = Samples.tag(owner)
        var exactCount = 0
        for place in right.indices {
            for value in UInt8.min...UInt8.max {
                var bytes = right
                bytes[place] = value
                guard let exact = NielsenTag(exact: bytes.span) else { continue }
                exactCount += 1
                do throws(ID3Error) {
                    let general = NielsenTag(tag: try ID3Tag(bytes.span))
                    #expect(general == exact, "\(place) \(value)")
                } catch {
                    Issue.record("\(place) \(value): \(error)")
                }
            }
        }
        // 211 positions allow the 64 characters of base64, 12 the ten digits, and the others one byte each.
        #expect(exactCount == 211 * 64 + 12 * 10 + (271 - 211 - 12))
    }

    /// One character more or less at every position: the pieces after the damaged one are still read.
    @Test func extraOrMissingCharacter_affectsOnlyItsOwnPiece() throws {
        let right = Array(Samples.data2015.utf8)
        let ends = [16, 41, 66, 235, 241, 247, 249]
        for place in 16..<249 {
            guard let index = ends.firstIndex(where: { place < $0 }) else { continue }
            var longer = right
            longer.insert(0x30, at: place)
            var shorter = right
            shorter.remove(at: place)
            for owner in [longer, shorter] {
                // Without its `/`, a piece runs into the next one, which is then lost too.
                if owner.count < right.count, right[place] == 0x2F { continue }
                let tag = try #require(Samples.decode(owner: owner))
                #expect(tag.formatDefect != nil)
                if index != 1 { #expect(tag.pcCID?.text == "065H2g6E7ZyQ5UdmMAbbpg==", "\(place)") }
                if index != 2 { #expect(tag.fdCID?.text == "_EMc37zfVgq_8KB7baUYfg==", "\(place)") }
                if index != 3 { #expect(tag.sequence == 52, "\(place)") }
                if index != 4 { #expect(tag.pcOffset == 33_648, "\(place)") }
                if index != 5 { #expect(tag.fdOffset == 22_847, "\(place)") }
                if index != 6 { #expect(tag.breakout == 0, "\(place)") }
            }
        }
    }

    @Test func ownerIdentifier_atEveryTruncation_hasADefectAtItsEnd() throws {
        let right = Array(Samples.data2015.utf8)
        for length in 16..<249 {
            let tag = try #require(Samples.decode(owner: Array(right.prefix(length))))
            let expected = FormatDefect(piece: Self.pattern[length].0, character: length)
            #expect(tag.formatDefect == expected, "\(length)")
        }
        let longer = try #require(Samples.decode(owner: right + [0x2F]))
        #expect(longer.formatDefect?.description == "end, character 249")
    }

    /// Blanks and line ends at every position are removed and counted.
    @Test func wrappedText_isRepairedAndReported() throws {
        let right = Array(Samples.data2017.utf8)
        let expected = try #require(Samples.decode(owner: right))
        #expect(expected.removedBlankCount == 0)
        for place in 0...right.count {
            for blanks in [" ", "\n", "\r\n", "\t  ", "\n    "] {
                var wrapped = right
                wrapped.insert(contentsOf: blanks.utf8, at: place)
                let tag = try #require(Samples.decode(owner: wrapped))
                #expect(tag.removedBlankCount == blanks.utf8.count)
                #expect(tag.ownerIdentifier == right)
                #expect(tag.formatDefect == nil && tag.isChecksumValid == true)
                #expect(tag.sequence == expected.sequence)
            }
        }
        // In a tag, a blank was transmitted as such, so it is damage.
        var owner = right
        owner[100] = 0x20
        let tag = try #require(Samples.decode(Samples.tag(owner)))
        #expect(tag.removedBlankCount == 0)
        #expect(tag.formatDefect == FormatDefect(piece: .blob, character: 100))
    }

    /// Fields with each bit set or cleared decode to the encoded values.
    @Test func fields_withEachBitSet_areDecoded() throws {
        for bit in 0..<32 {
            var tag = SyntheticTag()
            tag.firstTime = 1 << bit
            tag.lastTime = ~(1 << bit)
            tag.sequence = UInt16(truncatingIfNeeded: 1 << (bit % 16))
            let decoded = try #require(Samples.decode(owner: Array(tag.owner.utf8)))
            #expect(decoded.firstTime == tag.firstTime)
            #expect(decoded.lastTime == tag.lastTime)
            #expect(decoded.sequence == tag.sequence)
            #expect(decoded.isChecksumValid == true)
        }
    }
}

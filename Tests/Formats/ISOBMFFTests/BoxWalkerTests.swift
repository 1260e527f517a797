import ISOBMFF
import Testing

@Suite struct BoxWalkerTests {
    private static let uuid = (0..<16).map { UInt8($0) }

    /// Boxes with a large size, with a uuid, with both and without a payload; nested boxes; and a last box that extends
    /// to the end.
    private static let file: [UInt8] =
        box("ftyp", Array("iso6".utf8)) + bigEndian(UInt32(1)) + Array("free".utf8) + bigEndian(UInt64(20))
        + [1, 2, 3, 4] + box("uuid", uuid + [9]) + bigEndian(UInt32(1)) + Array("uuid".utf8)
        + bigEndian(UInt64(33)) + uuid + [7] + box("moof", box("mfhd") + box("traf", box("tfdt", [1, 2, 3])))
        + box("emsg", [UInt8](repeating: 5, count: 40)) + box("skip") + bigEndian(UInt32(0))
        + Array("mdat".utf8)
        + [UInt8](repeating: 6, count: 100)

    private static let expected = [
        "ftyp at 0 size 12", "free at 12 size 20", "uuid at 32 size 25", "uuid at 57 size 33",
        "moof at 90 size 35", "moof/mfhd at 98 size 8", "moof/traf at 106 size 19",
        "traf/tfdt at 114 size 11",
        "payload tfdt 3", "end traf", "end moof", "emsg at 125 size 48", "payload emsg 40",
        "skip at 173 size 8",
        "mdat at 181 size rest",
    ]

    @Test(arguments: [false, true])
    func file_inChunksOfAnySize_yieldsTheSameSteps(skipping: Bool) {
        for chunk in Array(1...200) + [Self.file.count] {
            let lines = walk(
                Self.file, chunk: chunk, descending: ["moof", "traf"], holding: ["emsg", "tfdt"],
                skipping: skipping)
            #expect(lines == Self.expected, "chunks of \(chunk)")
        }
    }

    @Test func file_truncatedAtAnyLength_isReadUpToItsEnd() {
        for count in 0..<Self.file.count {
            for chunk in [1, 7, 1_000] {
                let lines = walk(
                    Array(Self.file[..<count]), chunk: chunk, descending: ["moof", "traf"],
                    holding: ["emsg", "tfdt"])
                let whole = lines.filter { !$0.hasPrefix("isobmff.") }
                #expect(whole == Array(Self.expected.prefix(whole.count)), "cut at \(count)")
                let errors = lines.filter { $0.hasPrefix("isobmff.") }
                #expect(errors.count <= 1)
                #expect(errors.allSatisfy { $0.hasPrefix("isobmff.truncated") })
                // Between two top-level boxes, and inside the box that extends to the end, no box is truncated.
                let isWhole = [0, 12, 32, 57, 90, 125, 173, 181].contains(count) || count >= 189
                #expect(errors.isEmpty == isWhole, "cut at \(count)")
            }
        }
    }

    @Test func heldBox_thatIsTruncated_isReportedAndStillHeld() {
        let bytes = Array(box("emsg", [UInt8](repeating: 1, count: 40)).dropLast(10))
        #expect(walk(bytes, chunk: 5, holding: ["emsg"]).last == "isobmff.truncated at 0 cut emsg")
    }

    @Test(arguments: 0...7, ["free", "uuid"])
    func size_belowTheHeaderSize_isRefusedAndTheWalkContinues(size: Int, type: String) {
        guard size > 1 else { return }
        let bytes =
            bigEndian(UInt32(size)) + Array(type.utf8) + [UInt8](repeating: 0, count: 30) + box("emsg", [1])
        for chunk in [1, 3, 1_000] {
            #expect(
                walk(bytes, chunk: chunk, holding: ["emsg"]) == [
                    "isobmff.size-too-small at 0", "emsg at 38 size 9", "payload emsg 1",
                ])
        }
    }

    @Test func largeSize_belowTheHeaderSize_isRefused() {
        for size in 0..<UInt64(16) {
            let bytes = bigEndian(UInt32(1)) + Array("free".utf8) + bigEndian(size)
            #expect(walk(bytes, chunk: 4) == ["isobmff.size-too-small at 0"])
        }
    }

    @Test func largeSize_thatOverflows_isRefused() {
        let bytes = box("free") + bigEndian(UInt32(1)) + Array("free".utf8) + bigEndian(UInt64.max)
        #expect(walk(bytes, chunk: 4) == ["free at 0 size 8", "isobmff.size-past-parent at 8"])
    }

    @Test func child_beyondItsParent_isRefusedAndTheWalkContinuesAfterTheParent() {
        var child = box("traf", [1, 2, 3])
        child[3] = 200
        let bytes = box("moof", box("mfhd") + child) + box("emsg", [1])
        for chunk in [1, 5, 1_000] {
            #expect(
                walk(bytes, chunk: chunk, descending: ["moof"], holding: ["emsg"]) == [
                    "moof at 0 size 27", "moof/mfhd at 8 size 8", "isobmff.size-past-parent at 16",
                    "end moof",
                    "emsg at 27 size 9", "payload emsg 1",
                ])
        }
    }

    @Test func nesting_aboveItsLimit_isRefused() {
        var bytes = box("traf")
        for _ in 0..<1_000 { bytes = box("traf", bytes) }
        let lines = walk(bytes, chunk: 50, descending: ["traf"])
        #expect(lines.filter { $0.hasPrefix("isobmff.nested-too-deep") }.count == 1)
        #expect(lines.filter { $0 == "end traf" }.count == 16)
    }

    @Test func boxes_aboveTheCountLimit_areRefused() {
        var limits = BoxWalker.Limits()
        limits.maximumBoxCount = 10
        let bytes = Array(repeating: box("free"), count: 20).flatMap { $0 }
        let lines = walk(bytes, chunk: 50, limits: limits)
        #expect(lines.count == 11)
        #expect(lines.last == "isobmff.too-many-boxes at 80")
    }

    @Test func payload_aboveItsLimit_isSkipped() {
        var limits = BoxWalker.Limits()
        limits.maximumPayloadByteCount = 10
        let bytes =
            box("emsg", [UInt8](repeating: 1, count: 11)) + box("emsg", [UInt8](repeating: 1, count: 10))
        #expect(
            walk(bytes, chunk: 4, holding: ["emsg"], limits: limits) == [
                "emsg at 0 size 19", "isobmff.payload-too-long at 0", "emsg at 19 size 18", "payload emsg 10",
            ])
    }

    @Test func payload_extendingToTheEnd_isHeldUpToTheLimit() {
        var limits = BoxWalker.Limits()
        limits.maximumPayloadByteCount = 10
        let start = bigEndian(UInt32(0)) + Array("emsg".utf8)
        for count in 0...20 {
            for chunk in [1, 4, 100] {
                let lines = walk(
                    start + [UInt8](repeating: 1, count: count), chunk: chunk, holding: ["emsg"],
                    limits: limits)
                let end = count <= 10 ? "payload emsg \(count)" : "isobmff.payload-too-long at 0"
                #expect(lines == ["emsg at 0 size rest", end])
            }
        }
    }

    @Test func container_withTrailingPadding_ends() {
        for padding in 1..<8 {
            let bytes = box("moof", box("mfhd") + [UInt8](repeating: 0, count: padding)) + box("free")
            for chunk in [1, 3, 100] {
                #expect(
                    walk(bytes, chunk: chunk, descending: ["moof"]) == [
                        "moof at 0 size \(16 + padding)", "moof/mfhd at 8 size 8", "end moof",
                        "free at \(16 + padding) size 8",
                    ])
            }
        }
    }

    /// Any size and any type in any position: the walk ends, and never holds more than its limit.
    @Test func randomBytes_inChunks_yieldTheSameSteps() throws {
        var state: UInt64 = 1
        for _ in 0..<2_000 {
            var bytes: [UInt8] = []
            for _ in 0..<60 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let types = ["moof", "traf", "emsg", "mdat", "uuid"]
                bytes += bigEndian(UInt32(truncatingIfNeeded: state >> 33) % 64)
                bytes +=
                    Array(types[Int(state >> 40) % 5].utf8)
                    + [UInt8](repeating: 0, count: Int(state >> 50) % 9)
            }
            let whole = walk(bytes, chunk: bytes.count, descending: ["moof", "traf"], holding: ["emsg"])
            let split = walk(bytes, chunk: 3, descending: ["moof", "traf"], holding: ["emsg"])
            try #require(whole == split)
        }
    }

    @Test func boxType_asText_isItsCharacters() {
        #expect(BoxType("emsg").description == "emsg")
        #expect(BoxType(rawValue: 0x0061_6220).description == "?ab ")
    }

    @Test func descend_withoutABox_traps() async {
        await #expect(processExitsWith: .failure) {
            var walker = BoxWalker()
            try walker.descend()
        }
    }
}

import ISOBMFF
import Testing

@Suite struct BoxTests {
    private static let message: [UInt8] = [0x49, 0x44, 0x33, 4, 0]

    private static let version0: [UInt8] =
        [0, 0, 0, 0] + Array("urn:a\0v\0".utf8) + bigEndian(UInt32(90_000)) + bigEndian(UInt32(1_000))
        + bigEndian(UInt32.max) + bigEndian(UInt32(7)) + message

    private static let version1: [UInt8] =
        [1, 0, 0, 0] + bigEndian(UInt32(48_000)) + bigEndian(UInt64(1) << 40) + bigEndian(UInt32(5))
        + bigEndian(UInt32(8)) + Array("urn:b\0\0".utf8) + message

    /// A size of 1 means that a size of 64 bits follows the type.
    @Test(
        arguments: [
            ([], 0), ([0, 0, 0, 8, 0x6D, 0x64, 0x61], 0),
            ([0, 0, 0, 1, 0x6D, 0x64, 0x61, 0x74], 0x6D64_6174),
            ([0, 0, 0, 1, 0x6D, 0x64, 0x61, 0x74, 0, 0, 0, 0, 0, 0, 0], 0x6D64_6174),
        ] as [([UInt8], UInt32)])
    func header_truncated_isAnErrorWithTheType(bytes: [UInt8], type: UInt32) {
        #expect(
            throws: ISOBMFFError.truncated(
                at: 5, type: BoxType(rawValue: type), needed: 8, available: UInt64(bytes.count))
        ) {
            _ = try BoxHeader(bytes.span, offset: 5)
        }
    }

    @Test func eventMessage_ofVersion0_isReadCompletely() throws {
        let event = try EventMessageBox(Self.version0.span)
        #expect(event.version == 0 && event.schemeIDURI == "urn:a" && event.value == "v")
        #expect(event.timescale == 90_000 && event.time == .presentationTimeDelta(1_000))
        #expect(event.duration == nil && event.id == 7)
        #expect(event.messageOffset == 28 && event.messageData.count == 5)
    }

    @Test func eventMessage_ofVersion1_isReadCompletely() throws {
        let event = try EventMessageBox(Self.version1.span)
        #expect(event.version == 1 && event.schemeIDURI == "urn:b" && event.value.isEmpty)
        #expect(event.timescale == 48_000 && event.time == .presentationTime(1 << 40))
        #expect(event.duration == 5 && event.id == 8)
        #expect(event.messageOffset == 31 && event.messageData.count == 5)
    }

    @Test func eventMessage_truncatedAtAnyLength_isRefusedOrReadToItsEnd() {
        for (payload, header) in [(Self.version0, 28), (Self.version1, 31)] {
            for count in 0..<payload.count {
                let span = payload.span.extracting(0..<count)
                do throws(ISOBMFFError) {
                    let event = try EventMessageBox(span)
                    #expect(count >= header && event.messageData.count == count - header)
                } catch {
                    #expect(count < header)
                    #expect(error.offset <= UInt64(count))
                    #expect(["isobmff.truncated", "isobmff.unterminated-text"].contains("\(error.rule)"))
                }
            }
        }
    }

    @Test func eventMessage_ofAnyVersion_isReadOrRefused() {
        for version in UInt8.min...UInt8.max {
            var payload = Self.version1
            payload[0] = version
            do throws(ISOBMFFError) {
                let event = try EventMessageBox(payload.span)
                #expect(version <= 1 && event.version == version)
            } catch {
                // Version 0 has another layout, in which these bytes may be invalid.
                #expect(version != 1)
                if version > 1 {
                    #expect(error == .unknownVersion(at: 0, type: .eventMessage, version: version))
                }
            }
        }
    }

    @Test func eventMessage_withZeroTimescale_isRead() throws {
        var payload = Self.version1
        payload.replaceSubrange(4..<8, with: [0, 0, 0, 0])
        let event = try EventMessageBox(payload.span)
        let whole = try EventMessageBox(Self.version1.span)
        #expect(event.timescale == 0)
        #expect(event.messageOffset == whole.messageOffset && event.time == whole.time)
    }

    @Test(arguments: [UInt8(0), 1])
    func segmentIndex_ofEachVersion_isRead(version: UInt8) throws {
        let time = version == 0 ? bigEndian(UInt32(70_000)) : bigEndian(UInt64(1) << 35)
        let payload = [version, 0, 0, 0] + bigEndian(UInt32(1)) + bigEndian(UInt32(30_000)) + time
        let index = try SegmentIndexBox(payload.span)
        #expect(index.timescale == 30_000)
        #expect(index.earliestPresentationTime == (version == 0 ? 70_000 : 1 << 35))
        for count in 0..<payload.count {
            #expect(throws: ISOBMFFError.self) { try SegmentIndexBox(payload.span.extracting(0..<count)) }
        }
    }

    @Test(arguments: [UInt8(0), 1])
    func decodeTime_ofEachVersion_isRead(version: UInt8) throws {
        let payload = [version, 0, 0, 0] + (version == 0 ? bigEndian(UInt32(9)) : bigEndian(UInt64(1) << 33))
        #expect(
            try TrackFragmentDecodeTimeBox(payload.span).baseMediaDecodeTime == (version == 0 ? 9 : 1 << 33))
        #expect(throws: ISOBMFFError.self) {
            try TrackFragmentDecodeTimeBox(payload.span.extracting(0..<payload.count - 1))
        }
    }

    /// Each combination of the optional fields before the duration.
    @Test func trackFragmentHeader_withEachCombinationOfFields_isRead() throws {
        for flags in 0..<16 {
            var payload: [UInt8] = [0, 0, 0, UInt8(flags)] + bigEndian(UInt32(3))
            if flags & 1 != 0 { payload += bigEndian(UInt64(1)) }
            if flags & 2 != 0 { payload += bigEndian(UInt32(2)) }
            if flags & 8 != 0 { payload += bigEndian(UInt32(1_024)) }
            let header = try TrackFragmentHeaderBox(payload.span)
            #expect(header.trackID == 3)
            #expect(header.defaultSampleDuration == (flags & 8 != 0 ? 1_024 : nil))
        }
    }

    @Test func trackRun_withEachCombinationOfFields_sumsItsDurations() throws {
        for flags in [0, 1, 4, 5].flatMap({ first in (0..<16).map { first | $0 << 8 } }) {
            var payload: [UInt8] = [0, 0, UInt8(flags >> 8), UInt8(flags & 0xFF)] + bigEndian(UInt32(3))
            if flags & 1 != 0 { payload += bigEndian(UInt32(99)) }
            if flags & 4 != 0 { payload += bigEndian(UInt32(99)) }
            for sample in 1...3 {
                for bit in 0..<4 where flags & (0x100 << bit) != 0 {
                    payload += bigEndian(UInt32(bit == 0 ? sample * 10 : 77))
                }
            }
            let run = try TrackRunBox(payload.span)
            #expect(run.sampleCount == 3 && run.hasSampleDurations == (flags & 0x100 != 0))
            let sums = (0...4).map { run.duration(ofFirst: $0, defaultSampleDuration: 5) }
            #expect(sums == (flags & 0x100 != 0 ? [0, 10, 30, 60, 60] : [0, 5, 10, 15, 15]))
            for count in 0..<payload.count {
                #expect(throws: ISOBMFFError.self) {
                    _ = try TrackRunBox(payload.span.extracting(0..<count)).sampleCount
                }
            }
        }
    }

    @Test func trackRun_withMoreSamplesThanBytes_isRefused() {
        let payload: [UInt8] = [0, 0, 15, 0] + bigEndian(UInt32.max)
        #expect(throws: ISOBMFFError.self) { _ = try TrackRunBox(payload.span).sampleCount }
    }

    @Test(arguments: [UInt8(0), 1])
    func mediaAndTrackHeaders_ofEachVersion_areRead(version: UInt8) throws {
        let times = [UInt8](repeating: 9, count: version == 0 ? 8 : 16)
        let payload = [version, 0, 0, 0] + times + bigEndian(UInt32(44_100))
        #expect(try MediaHeaderBox(payload.span).timescale == 44_100)
        #expect(try TrackHeaderBox(payload.span).trackID == 44_100)
        let zero = [version, 0, 0, 0] + times + bigEndian(UInt32(0))
        #expect(throws: ISOBMFFError.self) { try MediaHeaderBox(zero.span) }
        #expect(throws: ISOBMFFError.self) { try TrackHeaderBox(zero.span.extracting(0..<zero.count - 1)) }
    }

    @Test func handlerTrackExtendsAndID3v2Boxes_areRead() throws {
        let handler: [UInt8] = [0, 0, 0, 0] + bigEndian(UInt32(0)) + Array("soun".utf8)
        #expect(try HandlerBox(handler.span).kind == HandlerBox.sound)
        let extends: [UInt8] =
            [0, 0, 0, 0] + bigEndian(UInt32(2)) + bigEndian(UInt32(1)) + bigEndian(UInt32(512))
        #expect(try TrackExtendsBox(extends.span).trackID == 2)
        #expect(try TrackExtendsBox(extends.span).defaultSampleDuration == 512)
        let tag: [UInt8] = [0, 0, 0, 0, 0x15, 0xC7] + Self.message
        #expect(try ID3v2Box(tag.span).data.count == 5)
        #expect(throws: ISOBMFFError.self) { _ = try ID3v2Box(tag.span.extracting(0..<5)).data.count }
    }

    /// A box is read if it has exactly the required bytes; one byte less is an error with the field's place.
    @Test func fullBox_withOneByteLess_isTruncated_atTheField() throws {
        let versions: [(version: UInt8, fields: [Int])] = [(0, [8, 4]), (1, [16, 4])]
        for (version, fields) in versions {
            let payload = [version, 0, 0, 0] + [UInt8](repeating: 0, count: fields[0]) + bigEndian(UInt32(7))
            #expect(try TrackHeaderBox(payload.span).trackID == 7)
            #expect(try TrackHeaderBox((payload + [9]).span).trackID == 7)
            for count in payload.indices {
                let place = count < 4 ? 0 : count < 4 + fields[0] ? 4 : 4 + fields[0]
                let needed = [0: 4, 4: fields[0]][place] ?? fields[1]
                #expect(
                    throws: ISOBMFFError.truncated(
                        at: UInt64(place), type: .trackHeader, needed: UInt64(needed),
                        available: UInt64(count - place)), "\(version) \(count)"
                ) { try TrackHeaderBox(Array(payload[..<count]).span) }
            }
        }
    }
}

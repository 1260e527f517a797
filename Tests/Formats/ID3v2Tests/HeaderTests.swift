import ID3v2
import Testing

@Suite struct HeaderTests {
    /// Every version and every byte of flags, compared with the rules of the three documents.
    @Test func header_ofEveryVersionAndFlags_isReadOrRefused() {
        for major in UInt8.min...UInt8.max {
            for flags in UInt8.min...UInt8.max {
                var bytes = Array("ID3".utf8) + [major, 0, flags, 0, 0, 0, 0]
                bytes += [UInt8](repeating: 0, count: 16)
                do throws(ID3Error) {
                    let header = try ID3Header(bytes.span)
                    #expect((2...4).contains(major))
                    #expect(header.version.rawValue == major)
                    #expect(header.flags.rawValue == flags)
                    #expect(header.declaredSize == 0)
                } catch {
                    switch error {
                    case .unknownVersion(at: 3, major): #expect(!(2...4).contains(major) && major != 0xFF)
                    case .forbiddenRevision(at: 3): #expect(major == 0xFF)
                    case .compressedTag(at: 5): #expect(major == 2 && flags & 0x40 != 0)
                    // The tag declares an extended header but has no room for one.
                    case .extendedHeaderInvalid(at: 10): #expect(major > 2 && flags & 0x40 != 0)
                    default: Issue.record("\(major) \(flags): \(error)")
                    }
                }
            }
        }
    }

    @Test(arguments: ID3Version.allCases)
    func header_withAnyRevision_isRefusedOnlyForFF(version: ID3Version) {
        for revision in UInt8.min...UInt8.max {
            let bytes = TagBytes.tag(version, revision: revision, TagBytes.title(version, "x"))
            let isPlausible = ID3Header.isPlausible(bytes.span, at: 0)
            #expect(isPlausible == (revision != 0xFF))
            if revision == 0xFF {
                #expect(throws: ID3Error.forbiddenRevision(at: 3)) { try ID3Header(bytes.span) }
            } else {
                #expect(throws: Never.self) { try ID3Header(bytes.span) }
            }
        }
    }

    @Test func header_atEveryTruncation_isRefused() {
        let whole = TagBytes.tag(.v24, TagBytes.title(.v24, "x"))
        for length in 0..<10 {
            let bytes = Array(whole.prefix(length))
            #expect(throws: ID3Error.headerTruncated(at: 0, available: length)) { try ID3Header(bytes.span) }
            let isPlausible = ID3Header.isPlausible(bytes.span, at: 0)
            #expect(!isPlausible)
        }
        #expect(throws: ID3Error.notATag(at: 0)) { try ID3Header(Array("IDX".utf8).span) }
        #expect(throws: ID3Error.notATag(at: 1)) { try ID3Header(whole.span, at: 1) }
        #expect(throws: ID3Error.self) { try ID3Header(whole.span, at: whole.count + 5) }
    }

    /// The size has 28 bits; with only the ten bytes of the header, it is read as the standard defines it.
    @Test func tagSize_withEachBitSet_isDecodedAsSyncSafe() throws {
        for bit in 0..<28 {
            let bytes = TagBytes.tag(.v24, size: TagBytes.syncSafe(1 << bit), [])
            let header = try ID3Header(bytes.span)
            #expect(header.declaredSize == 1 << bit)
            #expect(header.tagLength == 10 + 1 << bit)
        }
    }

    @Test func footerFlag_isDefinedOnlyInVersion24() throws {
        for version in ID3Version.allCases {
            let bytes = TagBytes.tag(version, flags: 0x10, size: TagBytes.syncSafe(300), [])
            let header = try ID3Header(bytes.span)
            #expect(header.hasFooter == (version == .v24))
            #expect(header.tagLength == (version == .v24 ? 320 : 310))
        }
    }

    @Test func undefinedFlags_areDeviations() throws {
        let defined: [ID3Version: UInt8] = [.v22: 0x80, .v23: 0xA0, .v24: 0xB0]
        for version in ID3Version.allCases {
            for bit in 0..<8 where bit != 6 {
                let flag = UInt8(1) << bit
                let frame = TagBytes.title(version, "x")
                var bytes = TagBytes.tag(version, flags: flag, frame)
                if flag == 0x10 { bytes += Array("3DI".utf8) + bytes[3..<10] }
                let tag = try OwnedTag(bytes)
                let isDefined = try #require(defined[version]) & flag != 0
                #expect(tag.deviations == (isDefined ? [] : .undefinedFlags), "\(version) \(flag)")
            }
        }
    }

    /// Every error has a different rule name.
    @Test func errorRules_areUnique() {
        let errors: [ID3Error] = [
            .headerTruncated(at: 1, available: 0), .notATag(at: 1), .unknownVersion(at: 1, major: 9),
            .forbiddenRevision(at: 1), .sizeNotSyncSafe(at: 1), .compressedTag(at: 1),
            .extendedHeaderInvalid(at: 1), .tagTruncated(at: 1, declared: 2, available: 1),
            .frameIdentifierInvalid(at: 1), .frameSizeInvalid(at: 1),
            .frameBeyondTag(at: 1, declared: 2, available: 1),
            .frameTruncated(at: 1, declared: 2, available: 1), .frameFieldsMissing(at: 1),
            .frameEncrypted(at: 1), .compressedDataInvalid(at: 1), .compressedDataTooLarge(at: 1),
        ]
        #expect(Set(errors.map(\.rule)).count == errors.count)
        #expect(errors.allSatisfy { $0.offset == 1 && "\($0.rule)".hasPrefix("id3.") })
    }
}

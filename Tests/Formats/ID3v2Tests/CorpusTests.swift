import Foundation
import ID3v2
import Testing

/// Compares every file of the corpus that begins with ID3v2 tags with the results of mutagen and TagLib.
@Suite struct CorpusTests {
    @Test(.enabled(if: Corpus.isThere, "the reference files are absent"))
    func leadingTags_ofEveryFile_haveTheExpectedHeaders() throws {
        let tags = try Corpus.leadingTags()
        #expect(tags.count >= 85)
        for tag in tags {
            let header = try ID3Header(tag.bytes.span)
            #expect("2.\(header.version.rawValue).\(header.revision)" == tag.truth.version, "\(tag.name)")
            #expect(Int(tag.truth.flags.dropFirst(2), radix: 16) == Int(header.flags.rawValue), "\(tag.name)")
            #expect(header.declaredSize == tag.truth.size, "\(tag.name)")
            #expect(header.tagLength == tag.truth.total, "\(tag.name)")
            let parsed = try ID3Tag(tag.bytes.span)
            #expect(parsed.isTruncated == tag.truth.truncated, "\(tag.name)")
        }
    }

    @Test(.enabled(if: Corpus.isThere, "the reference files are absent"))
    func frames_ofEveryFile_agreeWithMutagen() throws {
        var used: Set<String> = []
        var frameCount = 0
        for tag in try Corpus.leadingTags() {
            guard let theirs = tag.truth.mutagen.frames else {
                // mutagen refuses every tag whose size exceeds its file.
                #expect(tag.truth.truncated, "\(tag.name)")
                continue
            }
            var ours = try Self.frames(of: tag)
            frameCount += theirs.count
            for frame in theirs {
                let match = ours.firstIndex { $0.id == frame.id && $0.agrees(with: frame) }
                guard let match else {
                    let isExplained = Disagreement.mutagenMakes["\(tag.name) \(frame.id)"] != nil
                    #expect(isExplained, "\(tag.name): mutagen alone has \(frame)")
                    continue
                }
                ours.remove(at: match)
            }
            for frame in ours {
                let key = "\(tag.name) \(frame.id)"
                #expect(Disagreement.mutagenLacks[key] != nil, "\(key): not in mutagen")
                used.insert(key)
            }
        }
        #expect(used == Set(Disagreement.mutagenLacks.keys))
        #expect(frameCount >= 300)
    }

    @Test(.enabled(if: Corpus.isThere, "the reference files are absent"))
    func frames_ofEveryFile_agreeWithTagLib() throws {
        var used: Set<String> = []
        var frameCount = 0
        for tag in try Corpus.leadingTags() where tag.taglib != nil {
            var ours = try Self.frames(of: tag)
            frameCount += tag.taglib?.frames?.count ?? 0
            for frame in tag.taglib?.frames ?? [] {
                let match = ours.firstIndex { mine in
                    let renamed = tag.truth.version == "2.4.0" ? nil : Disagreement.taglibRenames[mine.id]
                    return [renamed ?? mine.id, mine.content.id].contains(frame.id)
                        && mine.size == frame.size && mine.agrees(with: frame)
                }
                guard let match else {
                    Issue.record("\(tag.name): TagLib alone has \(frame)")
                    continue
                }
                ours.remove(at: match)
            }
            for frame in ours {
                let key = "\(tag.name) \(frame.id)"
                let reason = Disagreement.taglibLacks[key] ?? Disagreement.taglibLacks[tag.name]
                #expect(reason != nil, "\(key): not in TagLib")
                used.insert(Disagreement.taglibLacks[key] != nil ? key : tag.name)
            }
        }
        #expect(used == Set(Disagreement.taglibLacks.keys))
        #expect(frameCount >= 300)
    }

    /// The later tags of files that begin with other data or have tags after their audio.
    @Test(
        .enabled(if: Corpus.isThere, "the reference files are absent"),
        arguments: [
            ("exoplayer/media/ts/sample_with_id3.adts", 85, 86),
            ("mutagen/audacious-trailing-id32-apev2.mp3", 2769, 137),
            ("mutagen/audacious-trailing-id32-id31.mp3", 15_070, 202),
            ("taglib/garbage.mp3", 2047, 208),
            ("taglib/duplicate_id3v2.mp3", 3943, 4106),
        ])
    func search_ofFilesWithLaterTags_findsThem(name: String, offset: Int, length: Int) throws {
        let bytes = try Corpus.bytes(name)
        var search = ID3TagSearch(bytes.span)
        var offsets: [Int] = []
        var lengths: [Int] = []
        while let finding = search.next() {
            guard case .tag(let found) = finding else { continue }
            offsets.append(found.range.lowerBound)
            lengths.append(found.header.tagLength)
        }
        let index = try #require(offsets.firstIndex(of: offset), "found at \(offsets)")
        #expect(lengths[index] == length)
    }

    /// The checksum of an extended header is read, even if it is wrong.
    @Test(
        .enabled(if: Corpus.isThere, "the reference files are absent"),
        arguments: [
            ("mutagen/id3v24_extended_header.id3", true), ("rust-id3/github-issue-60.id3", true),
            ("rust-id3/github-issue-91.id3", true), ("taglib/extended-header.mp3", true),
            ("rust-id3/id3v24_ext.id3", false),
        ])
    func crc_ofExtendedHeaders_isRead(name: String, hasSum: Bool) throws {
        let bytes = try Corpus.bytes(name)
        let header = try ID3Tag(bytes.span).extendedHeader
        #expect(header != nil)
        #expect((header?.crc != nil) == hasSum)
    }

    /// The deviations from the standard in the corpus, by file; no other file has any.
    @Test(.enabled(if: Corpus.isThere, "the reference files are absent"))
    func deviations_ofEveryFile_matchTheExpectedOnes() throws {
        let expected: [String: ID3Deviations] = [
            "mutagen/issue_21.id3": .absentExtendedHeader,
            "taglib/005411.id3": .plainFrameSizes,
            "muxjs/unit-vectors/md-id3-frame-is-malformed-first-time-but-gets-corrected-in-the.bin":
                .syncSafeFrameSizes,
            "muxjs/unit-vectors/md-id3-frame-reports-more-data-than-its-tagsize.bin": .syncSafeFrameSizes,
            "muxjs/unit-vectors/md-parses-tags-split-across-pushes.bin": .syncSafeFrameSizes,
            "muxjs/unit-vectors/md-parses-tags-split-across-pushes.bin@257": .syncSafeFrameSizes,
        ]
        var found: [String: ID3Deviations] = [:]
        for tag in try Corpus.leadingTags() {
            let parsed = try ID3Tag(tag.bytes.span)
            if !parsed.deviations.isEmpty { found[tag.name] = parsed.deviations }
        }
        #expect(found == expected)
    }

    /// The compressed pictures of two files, one with a wrong length; zlib determines the sizes.
    @Test(.enabled(if: Corpus.isThere, "the reference files are absent"))
    func compressedFrames_ofTheCorpus_areInflated() throws {
        let whole = try OwnedTag(try Corpus.bytes("taglib/compressed_id3_frame.mp3"))
        let picture = try #require(whole.frames.first)
        #expect(picture.id == "APIC")
        #expect(picture.format == [.compressed, .hasLength])
        #expect(picture.decoded?.count == picture.dataLengthIndicator)
        let beginning: [UInt8] = [0] + Array("image/bmp".utf8) + [0]
        #expect(picture.decoded?.starts(with: beginning) == true)

        // This frame declares 155 bytes and inflates to 86427.
        let miscounted = try OwnedTag(try Corpus.bytes("taglib/compressed_id3_frame_invalid.mp3"))
        let other = try #require(miscounted.frames.first)
        #expect(other.format == [.compressed, .hasLength])
        #expect(other.dataLengthIndicator == 155)
        #expect(other.decoded?.count == 86_427)
        #expect(other.decodingDeviations == .dataLengthIndicator)
    }

    private static func frames(of tag: Corpus.LeadingTag) throws -> [Corpus.Frame] {
        var list: [Corpus.Frame] = []
        var frames = try ID3Tag(tag.bytes.span).frames
        while let frame = frames.next() {
            var id = frame.id.description
            if frame.version == .v22 { id = try #require(Disagreement.successors[id], "\(tag.name) \(id)") }
            list.append(Corpus.Frame(id: id, size: frame.declaredSize, content: frame.content()))
        }
        return list
    }
}

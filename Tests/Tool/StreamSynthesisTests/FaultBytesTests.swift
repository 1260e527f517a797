import Testing

@testable import StreamSynthesis

/// Checks that each fault is in the bytes of its stream, and that nothing else changes.
///
/// Each stream is compared with a stream of the same settings without the fault. The reader of both is a program in
/// another language (`Tests/Peers/read_stream.py`).
@Suite(Peer.python.isInstalled, .timeLimit(.minutes(30))) struct FaultBytesTests {
    private typealias Fields = StreamReading.Fields

    @Test(arguments: FaultSubject.quick)
    func fault_comparedWithACleanStream_changesOnlyItsFields(subject: FaultSubject) async throws {
        let (faulty, clean) = try await Self.pair(subject)
        let fault = subject.fault
        let target = subject.target
        if fault != .continuity { #expect(faulty.problems == []) }
        if ![.pmtDescriptors, .streamType].contains(fault) { #expect(faulty.maps == clean.maps) }
        #expect(faulty.sound == clean.sound && faulty.playlist == clean.playlist)

        let expected = Self.expected(subject, tagCount: clean.tags.count)
        var tags = faulty.tags
        try #require(expected.added.allSatisfy(tags.indices.contains))
        for index in expected.added.reversed() { tags.remove(at: index) }
        let kept = clean.tags.indices.filter { !expected.removed.contains($0) }
        guard fault != .tagCount else { return }
        #expect(tags.count == kept.count)
        for (index, (tag, original)) in zip(tags, kept.map { clean.tags[$0] }).enumerated() {
            var names = tag.differences(from: original)
            // A tag at another time may be in another segment.
            if names.contains("pts") { names.remove("segment") }
            // Messages are numbered in order.
            if index >= target - 2, !expected.removed.isEmpty { names.remove("id") }
            #expect(names == expected.fields(index), "tag \(index)")
        }
    }

    @Test(arguments: FaultSubject.quick)
    func fault_inTheBytes_isWhatItsCheckDetects(subject: FaultSubject) async throws {
        let (faulty, clean) = try await Self.pair(subject)
        try #require(faulty.tags.count > subject.target && clean.tags.count > subject.target)
        let (tag, original) = (faulty.tags[subject.target], clean.tags[subject.target])
        try Self.evidenceOfCarriage(subject, faulty, tag)
        Self.evidenceOfTag(subject.fault, tag, original)
        try Self.evidenceOfTime(subject, faulty, clean)
        Self.evidenceOfContentIDs(subject, faulty, clean)
    }

    @Test(arguments: FaultSubject.all.filter(\.isOfRenditions))
    func fault_ofRenditions_isOnlyInTheLast(subject: FaultSubject) async throws {
        let stream = try await MadeStream.of(subject.settings)
        let (_, clean) = try await Self.pair(subject)
        let first = stream.renditions[0].reading
        #expect(first.tags.count == clean.tags.count && first.problems == [])
        for (tag, original) in zip(first.tags, clean.tags) {
            #expect(tag.differences(from: original) == [])
        }
    }

    @Test(arguments: SynthesisSettings.Container.allCases)
    func stream_withoutFault_hasValidConsecutiveTags(
        container: SynthesisSettings.Container
    ) async throws {
        let (_, clean) = try await Self.pair(FaultSubject(fault: .tagChecksum, container: container))
        #expect(clean.problems == [] && clean.tags.count == 6)
        for (index, tag) in clean.tags.enumerated() {
            #expect(tag.values["frameOK"] == .truth(true) && tag.values["checksumOK"] == .truth(true))
            #expect(tag.values["id3"] == .some(.none) && tag.text("owner") != nil)
            #expect(tag.number("sequence") == Int64(index))
            if index > 1 { #expect(tag.number("first") == clean.tags[index - 1].number("last")) }
        }
    }

    /// Returns the last rendition with the fault and without it.
    private static func pair(
        _ subject: FaultSubject
    ) async throws -> (faulty: StreamReading, clean: StreamReading) {
        var settings = subject.settings
        let faulty = try await MadeStream.of(settings)
        settings.fault = nil
        settings.renditions.removeFirst(settings.renditions.count - 1)
        let clean = try await MadeStream.of(settings)
        return (try #require(faulty.renditions.last).reading, try #require(clean.renditions.last).reading)
    }

    /// The differences between the tags of a faulty stream and those of the correct one.
    private struct Expected {
        /// The tags that only the correct stream has, and those that only the faulty stream has.
        var removed: [Int] = []
        var added: [Int] = []
        /// The fields in which the common tags differ, by their position in the faulty stream.
        var fields: (Int) -> Set<String> = { _ in [] }
    }

    private static func expected(_ subject: FaultSubject, tagCount: Int) -> Expected {
        let target = subject.target
        let atTarget = { (names: Set<String>) in
            Expected { $0 == target ? names : [] }
        }
        let fromTarget = { (names: Set<String>) in
            Expected { $0 >= target ? names : [] }
        }
        switch subject.fault {
        case .pmtDescriptors, .streamType, .tagCount: return Expected()
        case .ptsMissing: return atTarget(["pts", "pes"])
        case .pesIncomplete:
            return atTarget(
                pieces.union(["length", "tail", "pes", "rest"]))
        case .packetsPerTag: return atTarget(["packets"])
        case .continuity: return Expected(added: [target])
        case .emsgForm: return Expected { _ in ["scheme"] }
        case .ownerPresent:
            // The tag fits in one transport packet.
            let packets: Set = subject.container == .transportStream ? ["packets", "pes"] : []
            return Expected { _ in pieces.union(["length", "tail", "rest", "header"]).union(packets) }
        case .id3Malformed, .tagHeader: return atTarget(["header"])
        case .tagTail: return atTarget(["tail"])
        case .tagFormat, .offsetOfNull: return atTarget(["pc"])
        case .tagChecksum: return atTarget(["checksum"])
        case .tagBreakout: return atTarget(["breakout"])
        case .sequenceStep: return Expected(removed: [target])
        case .timeGap:
            return Expected(removed: [target - 2, target - 1]) {
                $0 >= target - 2 ? ["sequence", "checksum"] : []
            }
        case .timeOverlap: return atTarget(["first", "last", "checksum", "pcOffset", "fdOffset", "pts"])
        case .timeDuration: return atTarget(["first", "checksum", "pcOffset", "fdOffset"])
        case .timeRate:
            // Five of its tags take as long as six, so the last ones do not fit.
            let count = 1 + (tagCount - 1) * 5 / 6
            return Expected(removed: Array(count..<tagCount)) { $0 == 0 ? [] : ["pts"] }
        case .timeAudioSync: return Expected { _ in ["pts"] }
        case .timeWallClock:
            return Expected { index in
                Set(["first", "last", "checksum"]).union(index == 0 ? [] : ["pcOffset", "fdOffset"])
            }
        case .infoLate:
            // The second INFO tag moves from 295 to 345 seconds: from after 29 DATA tags to after 34.
            return Expected(removed: [30], added: [35]) {
                30..<35 ~= $0 ? ["sequence", "checksum"] : []
            }
        case .infoCIDs: return Expected { $0 == 0 ? ["fd"] : [] }
        case .infoOffsets: return Expected { $0 == 0 ? ["fdOffset"] : [] }
        case .nullRun:
            return Expected { target..<target + 5 ~= $0 ? ["pc", "pcOffset"] : [] }
        case .offsetAdvance: return fromTarget(["pcOffset"])
        case .cidChange: return fromTarget(["pc"])
        case .renditionTagsDiffer: return atTarget(["blocks"])
        case .renditionTimeDiffers: return atTarget(["pts"])
        }
    }

    /// The pieces of the owner identifier of a complete Nielsen tag, as the reader names them.
    private static let pieces: Set = [
        "site", "pc", "fd", "sequence", "kind", "blocks", "first", "last", "checksum", "pcOffset", "fdOffset",
        "breakout",
    ]

    private static func evidenceOfCarriage(
        _ subject: FaultSubject, _ faulty: StreamReading, _ tag: Fields
    ) throws {
        let pointer = "250fffff49443320ff49443320001f0001"
        let descriptor = "260dffff49443320ff49443320000f"
        switch subject.fault {
        case .pmtDescriptors: #expect(faulty.maps == ["program 1: []; 0x0f on 257: []; 0x15 on 258: []"])
        case .streamType:
            #expect(
                faulty.maps == [
                    "program 1: ['\(pointer)']; 0x0f on 257: []; 0x06 on 258: ['\(descriptor)']"
                ])
        case .ptsMissing:
            #expect(tag.values["pts"] == .some(.none) && tag.text("pes") == "000001bd0112840000")
            #expect(faulty.tags.count { $0.values["pts"] == .some(.none) } == 1)
        case .pesIncomplete:
            #expect(tag.number("length") == 200 && tag.text("id3") == "tag size 261, 190 bytes follow")
            // The PES packet has as many bytes as its header declares, and the usual number of transport packets.
            #expect(tag.text("pes") == "000001bd00d0848005" && tag.number("packets") == 2)
        case .packetsPerTag:
            #expect(tag.number("packets") == 3 && tag.values["contiguous"] == .truth(true))
            #expect(faulty.tags.count { $0.number("packets") == 2 } == faulty.tags.count - 1)
        case .continuity:
            // The tags before it use two packets each, and the tag of the other owner uses one.
            let last = 2 * subject.target % 16
            let problem = "counter of PID 258 steps from \(last) to \((last + 2) % 16)"
            #expect(faulty.problems.count == 1 && faulty.problems.first?.hasSuffix(problem) == true)
            #expect(tag.text("rest").map(isOtherOwners) == true)
            let next = faulty.tags.dropFirst(subject.target + 1).first
            #expect(next?.text("owner") != nil && next?.text("segment") == tag.text("segment"))
        case .emsgForm: #expect(faulty.tags.allSatisfy { $0.text("scheme") == "urn:example:synthetic" })
        case .ownerPresent: #expect(faulty.tags.allSatisfy { $0.text("rest").map(isOtherOwners) == true })
        default: break
        }
    }

    /// Whether the bytes after a frame header, in hexadecimal, are those of the synthetic other owner.
    private static func isOtherOwners(_ rest: String) -> Bool {
        rest == "synthetic.example".utf8.map { String($0, radix: 16) }.joined() + "0001020304"
    }

    private static func evidenceOfTag(_ fault: SynthesisFault, _ tag: Fields, _ original: Fields) {
        switch fault {
        case .id3Malformed:
            #expect(tag.text("header") == "49443304002000000205505249560000017f0000")
            #expect(tag.text("id3") == "frame size 255 beyond the end")
        case .tagHeader:
            #expect(tag.text("header") == "49443304000000000205505249560000017b0000")
            #expect(tag.values["id3"] == .some(.none))
        case .tagTail: #expect(tag.text("tail") == "0042" && tag.number("length") == 271)
        case .tagFormat:
            let pc = (original.text("pc") ?? "").enumerated().map { $0.offset == 3 ? "+" : $0.element }
            #expect(tag.text("pc") == String(pc) && tag.values["owner"] == .some(.none))
        case .tagChecksum:
            #expect(tag.number("checksum") == original.number("checksum").map { ($0 + 1) % 65_536 })
            #expect(tag.values["checksumOK"] == .truth(false))
        case .tagBreakout: #expect(tag.text("breakout") == "01")
        default: break
        }
        if fault != .tagChecksum, tag.number("length") == 271 {
            #expect(tag.values["checksumOK"] == .truth(true))
        }
    }

    private static func evidenceOfTime(
        _ subject: FaultSubject, _ faulty: StreamReading, _ clean: StreamReading
    ) throws {
        let tags = faulty.tags
        let data = tags.filter { $0.number("kind") == 2 }
        let first = data.compactMap { $0.number("first") }
        let last = data.compactMap { $0.number("last") }
        let gaps = zip(first.dropFirst(), last).map { $0 - $1 }
        let spans = zip(last, first).map { $0 - $1 }
        let numbers = data.compactMap { $0.number("sequence") }
        let steps = zip(numbers.dropFirst(), numbers).map { $0 - $1 }
        let times = tags.compactMap { $0.number("pts") }
        switch subject.fault {
        case .tagCount:
            #expect(data.count == 7 && data.count < (120 - 20) / 12)
            #expect(Set(spans) == [12] && Set(gaps) == [4] && Set(steps) == [1])
            let distances = zip(times.dropFirst(2), times.dropFirst()).map { $0 - $1 }
            #expect(distances.allSatisfy { abs($0 - 16 * 90_000) < 1920 })
            for tag in data {
                #expect(tag.text("pcOffset").flatMap { Int64($0) } == tag.number("first").map(Self.offset))
                let names = tag.differences(from: clean.tags[1])
                #expect(
                    names.isSubset(of: [
                        "pts", "segment", "sequence", "blocks", "first", "last", "checksum", "pcOffset",
                        "fdOffset",
                    ]))
            }
        case .sequenceStep:
            #expect(gaps.filter { $0 != 0 } == [10] && steps.filter { $0 != 1 } == [2])
            #expect(gaps.firstIndex(of: 10) == steps.firstIndex(of: 2))
        case .timeGap: #expect(gaps.filter { $0 != 0 } == [20] && Set(steps) == [1])
        case .timeOverlap:
            #expect(gaps.filter { $0 != 0 } == [-10, 8] && spans.filter { $0 != 10 } == [12])
            // The tag is sent when it closes, so both clocks stay aligned.
            #expect(
                zip(times.dropFirst(), last).allSatisfy { abs($0 - 900_000 - ($1 - start) * 90_000) < 3840 })
        case .timeDuration: #expect(spans.filter { $0 != 5 } == [14] && gaps.filter { $0 != 0 } == [-9])
        case .timeRate:
            let lag = zip(times.dropFirst(), last).map { Double($0 - 900_000) / 90_000 - Double($1 - start) }
            let drift = zip(lag.dropFirst(), lag).map { $0 - $1 }
            #expect(drift.allSatisfy { abs($0 - 0.4) < 0.025 } && (lag.last ?? 0) > 2 && data.count >= 4)
        case .timeAudioSync:
            for (tag, original) in zip(tags, clean.tags) {
                let pts = try #require(tag.number("pts"))
                let sound = try #require(tag.number("audio"))
                #expect(pts == original.number("pts").map { $0 + 2_376_000 })
                // More than 15 seconds after the preceding audio, or after the end of its segment of 6.4 seconds.
                let end = subject.container == .transportStream ? sound : sound + 576_000
                #expect(pts - end > 15 * 90_000)
            }
        case .timeWallClock:
            #expect(
                zip(tags, clean.tags).allSatisfy { tag, original in
                    tag.number("last") == original.number("last").map { $0 - 3600 }
                })
            #expect(faulty.playlist.contains("#EXT-X-PROGRAM-DATE-TIME:2026-11-20T12:00:00.000Z"))
        case .infoLate:
            let info = tags.filter { $0.number("kind") == 1 }.compactMap { $0.number("pts") }
            try #require(info.count == 2)
            #expect(abs(info[1] - info[0] - 345 * 90_000) < 3840)
        case .renditionTimeDiffers:
            let moved = zip(times, clean.tags.compactMap { $0.number("pts") }).map { $0 - $1 }
            // 47 audio frames.
            #expect(moved.filter { $0 != 0 } == [90_240])
        default: break
        }
    }

    /// The first second of the stream: noon of 20 November 2026.
    private static let start: Int64 = 1_795_176_000

    /// Returns the seconds since three in the morning.
    private static func offset(_ time: Int64) -> Int64 { (time - 3 * 3600) % 86_400 }

    private static let nullCID = "X100zdCIGeIlgZnkYj6UvQ=="

    private static func evidenceOfContentIDs(
        _ subject: FaultSubject, _ faulty: StreamReading, _ clean: StreamReading
    ) {
        let tags = faulty.tags
        let target = subject.target
        let data = tags.filter { $0.number("kind") == 2 }
        switch subject.fault {
        case .infoCIDs:
            #expect(tags[0].text("fd") != nullCID && tags[0].text("pc") == nullCID)
            #expect(tags[0].text("fdOffset") == "00000")
        case .infoOffsets:
            #expect(tags[0].text("fdOffset") == "00001" && tags[0].text("fd") == nullCID)
        case .offsetOfNull:
            #expect(tags[target].text("pc") == nullCID && tags[target].text("pcOffset") != "00000")
        case .nullRun:
            let isNull = data.map { $0.text("pc") == nullCID }
            #expect(isNull.first == false && isNull.count { $0 } == 5)
            #expect(data.allSatisfy { ($0.text("pc") == nullCID) == ($0.text("pcOffset") == "00000") })
        case .offsetAdvance:
            let offsets = data.compactMap { $0.text("pcOffset").flatMap { Int($0) } }
            let steps = zip(offsets.dropFirst(), offsets).map { $0 - $1 }
            #expect(steps.filter { $0 != 2 } == [22] && Set(data.map { $0.text("pc") }).count == 1)
        case .cidChange:
            let ids = data.compactMap { $0.text("pc") }
            #expect(Set(ids).count == 2 && zip(ids.dropFirst(), ids).count { $0 != $1 } == 1)
            #expect(!ids.contains(nullCID))
        case .renditionTagsDiffer:
            let (blocks, original) = (tags[target].text("blocks"), clean.tags[target].text("blocks"))
            #expect(blocks?.count == 224 && blocks != original)
            #expect(blocks?.dropFirst(64) == original?.dropFirst(64))
        default: break
        }
    }
}

import Testing

@testable import StreamSynthesis

struct TagScheduleTests {
    /// The clear fields of a synthesized tag, read from its owner identifier.
    struct Fields: Equatable {
        var sequence: Int
        var kind: UInt8
        var first: Int
        var last: Int
        var pcCID: String
        var fdCID: String
        var offsets: [Int]

        init?(_ entry: TagSchedule.Entry) {
            guard let owner = entry.ownerIdentifier else { return nil }
            let pieces = String(decoding: owner, as: UTF8.self).split(separator: "/").map(String.init)
            let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            let values = Dictionary(uniqueKeysWithValues: zip(alphabet, 0...))
            let bits = pieces[3].compactMap { values[$0] }.flatMap { value in
                (0..<6).map { value >> (5 - $0) & 1 }
            }
            let blob = stride(from: 0, to: 1000, by: 8).map { at in
                bits[at..<at + 8].reduce(0) { $0 << 1 | $1 }
            }
            let number = { (range: Range<Int>) in blob[range].reduce(0) { $0 << 8 | $1 } }
            sequence = number(0..<2)
            kind = UInt8(blob[2])
            first = number(115..<119)
            last = number(119..<123)
            pcCID = pieces[1]
            fdCID = pieces[2]
            offsets = pieces[4...].compactMap { Int($0) }
        }
    }

    static func schedule(_ fault: SynthesisFault?, duration: Double = 120, rendition: Int = 0) -> TagSchedule
    {
        var settings = SynthesisSettings()
        settings.fault = fault
        settings.duration = duration
        return TagSchedule(settings, renditionIndex: rendition)
    }

    static let healthy = schedule(nil).entries
    static let fields = healthy.compactMap(Fields.init)
    static let nullCID = "X100zdCIGeIlgZnkYj6UvQ=="

    @Test func schedule_ofTwoMinutes_hasOneInfoAndTwelveDataTags() {
        let fields = Self.fields
        #expect(fields.map(\.sequence) == Array(0...12))
        #expect(fields.map(\.kind) == [1] + [UInt8](repeating: 2, count: 12))
        #expect(fields[0].first == 1_795_176_000 && fields[0].last == fields[0].first)
        #expect(fields[0].pcCID == Self.nullCID && fields[0].fdCID == Self.nullCID)
        #expect(fields[0].offsets == [0, 0, 0])
        for (index, data) in fields.dropFirst().enumerated() {
            #expect(data.first == 1_795_176_000 + 10 * index && data.last == data.first + 10)
            #expect(data.pcCID != Self.nullCID && data.fdCID != Self.nullCID && data.pcCID != data.fdCID)
            #expect(data.pcCID == fields[1].pcCID && data.fdCID == fields[1].fdCID)
            // The stream begins at noon, nine hours after the start of the broadcast day.
            #expect(data.offsets == [32_400 + 10 * index, 32_400 + 10 * index, 0])
        }
        // The last audio frame that begins before each tenth second.
        let expected = (0...12).map { (tenth: Int64) in
            let frame = max(0, (900_000 * tenth + 1919) / 1920 - 1)
            return 900_000 + frame * 1920
        }
        #expect(Self.healthy.map(\.time) == expected)
        #expect(Set(Self.healthy.map(\.bytes)).count == 13)
    }

    @Test func schedule_ofTwentyMinutes_repeatsINFOTagsInTime() {
        let entries = Self.schedule(nil, duration: 1200).entries
        let info = entries.filter { Fields($0)?.kind == 1 }.map { ($0.time - 900_000) / 90_000 }
        #expect(info.count == 5 && zip(info, info.dropFirst()).allSatisfy { $1 - $0 <= 310 })
        #expect(entries.compactMap(Fields.init).map(\.sequence) == Array(0..<entries.count))
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    @Test func schedule_acrossBroadcastDays_changesContentIDsAndRestartsOffsets() {
        var settings = SynthesisSettings()
        settings.startTime = 1_795_176_000 + 15 * 3600 - 50
        let data = TagSchedule(settings, renditionIndex: 0).entries.compactMap(Fields.init).dropFirst()
        #expect(Set(data.map(\.pcCID)).count == 2)
        let expected = (0..<12).map { (86_350 + 10 * $0) % 86_400 }
        #expect(data.map { $0.offsets[0] } == expected)
    }

    @Test func schedule_atTheLastSequenceNumber_wrapsToZero() {
        var settings = SynthesisSettings()
        settings.firstSequence = 65_534
        let numbers = TagSchedule(settings, renditionIndex: 0).entries.compactMap(Fields.init).map(\.sequence)
        #expect(numbers == [65_534, 65_535] + Array(0...10))
    }

    @Test func schedule_ofAnotherSeed_differsOnlyInOpaqueBytes() {
        var settings = SynthesisSettings()
        settings.seed = 1
        let other = TagSchedule(settings, renditionIndex: 0).entries
        #expect(zip(other, Self.healthy).allSatisfy { $0.bytes != $1.bytes && $0.time == $1.time })
        #expect(other.compactMap(Fields.init).map(\.last) == Self.fields.map(\.last))
    }

    /// For each fault of one tag, the range of bytes that may differ from the correct tag.
    @Test(arguments: [
        (SynthesisFault.id3Malformed, 17..<18), (.tagHeader, 5..<6), (.tagTail, 270..<271),
        (.tagFormat, 36..<60),
        (.tagChecksum, 250..<254), (.tagBreakout, 267..<269), (.offsetOfNull, 36..<60),
    ])
    func fault_ofOneTag_changesOnlyItsBytes(fault: SynthesisFault, range: Range<Int>) {
        let entries = Self.schedule(fault).entries
        #expect(entries.map(\.time) == Self.healthy.map(\.time))
        let changed = zip(entries, Self.healthy).enumerated().filter { $1.0.bytes != $1.1.bytes }
        #expect(changed.map(\.offset) == [7])
        for (_, (entry, healthy)) in changed {
            #expect(entry.bytes.count == 271)
            let places = zip(entry.bytes, healthy.bytes).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
            #expect(!places.isEmpty && places.allSatisfy(range.contains))
        }
    }

    @Test func fault_ofSequenceStep_removesOneTag() {
        var expected = Self.healthy
        expected.remove(at: 7)
        #expect(Self.schedule(.sequenceStep).entries == expected)
    }

    @Test func fault_ofTimeGap_leavesAGapBetweenConsecutiveSequenceNumbers() {
        let data = Self.schedule(.timeGap).entries.compactMap(Fields.init).dropFirst()
        #expect(data.map(\.sequence) == Array(1...10))
        #expect(Self.gaps(data) == [0, 0, 0, 20, 0, 0, 0, 0, 0])
    }

    @Test func fault_ofTimeOverlap_exceedsNoOtherLimit() {
        let data = Self.schedule(.timeOverlap).entries.compactMap(Fields.init).dropFirst()
        #expect(Self.gaps(data).filter { $0 != 0 } == [-10, 8])
        #expect(data.allSatisfy { $0.last - $0.first <= 12 })
    }

    @Test func fault_ofDuration_isInOneTag() {
        let data = Self.schedule(.timeDuration).entries.compactMap(Fields.init).dropFirst()
        #expect(data.map { $0.last - $0.first }.filter { $0 != 10 } == [14])
        #expect(Self.gaps(data).filter { $0 != 0 } == [-4])
    }

    @Test func fault_ofRate_driftsSteadily() {
        let entries = Self.schedule(.timeRate).entries.dropFirst()
        let drift = entries.compactMap { entry in
            Fields(entry).map { Double(entry.time - 900_000) / 90_000 - Double($0.last - 1_795_176_000) }
        }
        #expect(drift.count == 10 && zip(drift, drift.dropFirst()).allSatisfy { abs($1 - $0 - 2) < 0.05 })
        #expect(Self.gaps(entries.compactMap(Fields.init)[...]).allSatisfy { $0 == 0 })
    }

    @Test func fault_ofTagCount_hasTooFewTagsOfMaximumDuration() {
        let data = Self.schedule(.tagCount).entries.compactMap(Fields.init).dropFirst()
        #expect(data.count == 7 && data.count < (120 - 20) / 12)
        #expect(data.allSatisfy { $0.last - $0.first == 12 } && Self.gaps(data).allSatisfy { $0 == 4 })
    }

    @Test func faults_ofTime_shiftEveryTagEqually() {
        let ahead = Self.schedule(.timeAudioSync).entries
        #expect(
            zip(ahead, Self.healthy).allSatisfy { $0.time == $1.time + 2_376_000 && $0.bytes == $1.bytes })
        let behind = Self.schedule(.timeWallClock).entries
        #expect(behind.compactMap(Fields.init).map(\.last) == Self.fields.map { $0.last - 3600 })
        #expect(behind.map(\.time) == Self.healthy.map(\.time))
    }

    @Test func faults_ofInfo_leaveDATATagsUnchanged() {
        for fault in [SynthesisFault.infoCIDs, .infoOffsets] {
            let entries = Self.schedule(fault).entries
            #expect(entries.dropFirst() == Self.healthy.dropFirst())
            let info = Fields(entries[0])
            #expect((info?.fdCID != Self.nullCID) == (fault == .infoCIDs))
            #expect(info?.offsets == [0, fault == .infoOffsets ? 1 : 0, 0])
        }
        let late = Self.schedule(.infoLate, duration: 400).entries.filter { Fields($0)?.kind == 1 }
        #expect(late.count == 2 && late[1].time - late[0].time > 310 * 90_000)
    }

    @Test func faults_ofContentIDs_startInTheMiddle() {
        let null = Self.schedule(.nullRun).entries.compactMap(Fields.init)
        #expect(null.filter { $0.kind == 2 && $0.pcCID == Self.nullCID }.map(\.sequence) == Array(7...11))
        #expect(null.allSatisfy { $0.pcCID != Self.nullCID || $0.offsets[0] == 0 })
        let ahead = Self.schedule(.offsetAdvance).entries.compactMap(Fields.init)
        #expect(
            zip(ahead, Self.fields).map { $0.offsets[0] - $1.offsets[0] } == [Int](repeating: 0, count: 7)
                + [Int](repeating: 20, count: 6))
        let other = Self.schedule(.cidChange).entries.compactMap(Fields.init)
        #expect(zip(other, Self.fields).map { $0.pcCID != $1.pcCID }.firstIndex(of: true) == 7)
        #expect(Set(other.map(\.pcCID)).count == 3 && Set(other.map(\.fdCID)).count == 2)
    }

    @Test func faults_ofRenditions_areOnlyInTheLast() {
        for fault in [SynthesisFault.renditionTagsDiffer, .renditionTimeDiffers] {
            #expect(Self.schedule(fault, rendition: 0).entries == Self.healthy)
            #expect(Self.schedule(fault, rendition: 1).entries == Self.healthy)
        }
        let other = Self.schedule(.renditionTagsDiffer, rendition: 2).entries
        #expect(other.map(\.time) == Self.healthy.map(\.time))
        #expect(other.compactMap(Fields.init) == Self.fields)
        let changedCount = zip(other, Self.healthy).count { $0.bytes != $1.bytes }
        #expect(changedCount == 1)
        let later = Self.schedule(.renditionTimeDiffers, rendition: 2).entries
        let differences = zip(later, Self.healthy).map { $0.time - $1.time }
        #expect(differences.filter { $0 != 0 } == [90_240])
        #expect(later.map(\.bytes) == Self.healthy.map(\.bytes))
    }

    @Test(arguments: SynthesisFault.allCases)
    func everyTagFault_atItsMinimumDuration_changesTheSchedule(fault: SynthesisFault) {
        let isElsewhere = [SynthesisFault.pmtDescriptors, .streamType, .emsgForm].contains(fault)
        let shortest = fault.minimumDuration(tagInterval: 10)
        let changed = Self.schedule(fault, duration: shortest, rendition: 2).entries
        let unchanged = Self.schedule(nil, duration: shortest, rendition: 2).entries
        #expect((changed == unchanged) == isElsewhere)
    }

    /// Returns the gaps between the last time of each tag and the first time of the next.
    private static func gaps(_ data: ArraySlice<Fields>) -> [Int] {
        zip(data, data.dropFirst()).map { $1.first - $0.last }
    }
}

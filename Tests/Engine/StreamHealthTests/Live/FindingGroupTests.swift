import Foundation
import ID3v2
import NielsenID3
import TestSupport
import Testing

@testable import StreamHealth

/// The findings that state the same, as reports and pages show them.
@Suite struct FindingGroupTests {
    /// Returns the groups of findings with these texts in a live channel, one a second.
    private static func groups(of texts: [String]) -> [FindingGroup] {
        var book = EpisodeBook(policy: HealthPolicy(), at: ClockMoment(steady: SteadyTime(seconds: 0)))
        for (index, text) in texts.enumerated() {
            book.moment = ClockMoment(steady: SteadyTime(seconds: Double(index)))
            book.report(
                .timeGap, Finding(status: .warn, place: Finding.Place(), detail: text), rendition: .first)
        }
        return book.groups
    }

    /// A channel whose segments take a little longer each time.
    @Test func thousandFindings_ofALiveChannel_areOneGroupWithCountTimesAndTheLastExample() throws {
        var feed = ChannelFeed()
        try feed.play(12)
        let start = feed.now
        for number in 0..<1_000 {
            feed.health.observe(
                SegmentFetch(
                    name: "seg\(number).ts", mediaSequence: UInt64(number), duration: 6,
                    seconds: 7 + Double(number) / 1_000),
                at: start + Double(number * 6))
            _ = feed.health.drain()
        }
        let group = try #require(feed.health.findingGroups.first { $0.check == .segmentSlow })
        #expect(group.count == 1_000 && feed.health.findingGroups.count { $0.check == .segmentSlow } == 1)
        #expect(group.firstTime == WallTime(unixSeconds: start.seconds))
        #expect(group.lastTime == WallTime(unixSeconds: start.seconds + 5_994))
        #expect(group.first.place.segment == "seg0.ts" && group.last.place.segment == "seg999.ts")
        #expect(group.example.detail.hasPrefix("the segment of 6 s took 7.999 s to load"))
        #expect(feed.health.recentFindings.count == 32)
    }

    /// The places and the texts are whole, and the next equal finding joins the group.
    @Test func group_isTheSameAfterARestart_andContinues() throws {
        var book = EpisodeBook(policy: HealthPolicy(), at: ClockMoment(steady: SteadyTime(seconds: 5)))
        var finding = Finding(status: .fail, place: Finding.Place(), detail: "12 tags of www.nielsen.com/a/b")
        book.report(.timeGap, finding, rendition: .first)
        finding.consequences = []
        finding.place.rendition = "low.m3u8"
        finding.place.renditionID = RenditionID(3, of: .backup)
        finding.place.segment = "seg7.ts"
        finding.place.mediaSequence = .max
        (finding.place.position, finding.place.seconds, finding.place.pts) = (1.5, 2.25, .max)
        (finding.place.sequence, finding.place.tagIndex) = (.max, 4)
        book.report(.timeGap, finding, rendition: nil)
        let data = try JSONEncoder().encode(book.groups)
        let stored = try JSONDecoder().decode([FindingGroup].self, from: data)
        #expect(stored == book.groups && stored.map(\.count) == [2])
        book = EpisodeBook(
            policy: HealthPolicy(), findings: stored, at: ClockMoment(steady: SteadyTime(seconds: 9)))
        finding.detail = "13 tags of www.nielsen.com/c"
        finding.consequences = [Finding.Consequence(check: .tagCount, status: .warn, detail: "few")]
        for _ in 0..<2 { book.report(.timeGap, finding, rendition: nil) }
        #expect(book.groups.map(\.count) == [2, 2])
        let again = try JSONDecoder().decode([FindingGroup].self, from: JSONEncoder().encode(book.groups))
        // Only the last finding has a text.
        #expect(again.map(\.last) == book.groups.map(\.last) && again.map(\.count) == [2, 2])
    }

    @Test(arguments: [("1", 1), ("0", 1), ("-7", 1), ("2147483647", 2_147_483_647), ("9e99", nil)])
    func group_ofADamagedFile_hasAValidCountOrNone(count: String, valid: Int?) throws {
        let text = """
            {"check":"x.y","status":"worse","detail":"d","count":\(count),"first":{"at":1},"last":{"at":-1e308}}
            """
        guard let valid else {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(FindingGroup.self, from: Data(text.utf8))
            }
            return
        }
        let group = try JSONDecoder().decode(FindingGroup.self, from: Data(text.utf8))
        #expect(group.count == valid && group.last.status == .fail)
        let book = EpisodeBook(
            policy: HealthPolicy(), findings: Array(repeating: group, count: 40),
            at: ClockMoment(steady: SteadyTime(seconds: 9)))
        #expect(book.groups.count == 32 && book.worst == nil)
    }

    @Test func groupsOfALiveChannel_areBounded_andTheOneSeenLeastRecentlyGoes() {
        func word(_ number: Int) -> String { String(repeating: "z", count: number + 1) }
        var texts = (0..<32).map(word)
        texts += [word(0)]
        texts += (32..<1_000).map(word)
        for (count, first) in [(32, word(0)), (33, word(1)), (34, word(2)), (1_001, word(968))] {
            let groups = Self.groups(of: Array(texts.prefix(count)))
            #expect(groups.count == 32 && groups.first?.first.detail == first, "\(count)")
            #expect(groups.last?.last.detail == texts[count - 1])
        }
        #expect(Self.groups(of: Array(texts.prefix(33))).last?.count == 2)
    }

    @Test(arguments: [
        ("12 s between the tags", "14.25 s between the tags", true),
        ("stored 0x3b83, computed 0x3b84", "stored 0x0001, computed 0xffff", true),
        ("no DATA tag since 12:00:30 UTC", "no DATA tag since 23:59:59 UTC", true),
        ("the owner www.nielsen.com/a/b/00 is damaged", "the owner www.nielsen.com/c/00 is damaged", true),
        ("answered with 503", "timed out", false), ("a of 12 s", "b of 12 s", false),
    ])
    func findingsOfALiveChannel_thatDifferOnlyInNumbers_areOneGroup(
        first: String, second: String, isOne: Bool
    ) {
        #expect(Self.groups(of: [first, second]).map(\.count) == (isOne ? [2] : [1, 1]))
    }

    /// A measured value of a recording stays in the report.
    @Test func findingsOfARecording_thatDifferInAMeasuredValue_areTwoGroups() {
        let findings = ["12 s between the tags", "14 s between the tags", "12 s between the tags"].map {
            Finding(status: .warn, place: Finding.Place(), detail: $0)
        }
        let outcome = CheckOutcome(id: .timeGap, status: .warn, count: 3, findings: findings)
        #expect(outcome.groups.map(\.count) == [2, 1])
        #expect(outcome.groups.allSatisfy { $0.firstTime == nil && $0.lastTime == nil })
    }

    @Test func ownerIdentifier_inTheTextsOfAGroup_isShortened_andItsFindingsAreNot() throws {
        let owner = Samples.data2015
        var finding = Finding(status: .fail, place: Finding.Place(), detail: "the owner \(owner) is damaged")
        finding.consequences = [.init(check: .tagFormat, detail: "\(owner), again")]
        let outcome = CheckOutcome(id: .id3Malformed, status: .fail, count: 1, findings: [finding])
        let group = try #require(outcome.groups.first)
        #expect(group.example.detail == "the owner … is damaged")
        #expect(group.example.consequences.map(\.detail) == ["… again"])
        #expect(group.first == finding && outcome.findings == [finding])
        for text in ["www.nielsen.com/us/en", "two  blanks ", "", "nielsen.com \(owner.dropFirst(16))"] {
            #expect(Finding.shortened(text) == text)
        }
    }

    @Test func ownerIdentifier_inTheTextOfAnAlert_isShortened() throws {
        let text = "the tag \(Samples.data2015) is damaged"
        let open = Episode(check: .tagTail, severity: .fail, since: WallTime(unixSeconds: 0), detail: text)
        var book = EpisodeBook(
            policy: HealthPolicy(), open: [open], at: ClockMoment(steady: SteadyTime(seconds: 0)))
        for _ in 0..<2 {
            book.report(
                .id3Malformed, Finding(status: .fail, place: Finding.Place(), detail: text), rendition: .first
            )
        }
        #expect(book.takeChanges().map(\.detail) == ["the tag … is damaged"])
        #expect(book.open.map(\.detail) == ["the tag … is damaged", "the tag … is damaged"])
        #expect(book.worst == "id3.malformed: the tag … is damaged")
        #expect(book.recent.last?.finding.detail == text)
    }
}

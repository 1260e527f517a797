import HLSPlaylist
import NielsenID3
import StreamHealth
import Testing

/// Normal operation that must not alert an operator.
@Suite struct NormalDayTests {
    @Test func normalProgramming_isHealthyFromFirstSegment_withoutFindings() throws {
        var feed = ChannelFeed()
        try feed.play(1_200)
        #expect(feed.states == [.healthy])
        #expect(feed.findings == [] && feed.alerts == [])
        #expect(feed.health.tags.data == 120 && feed.health.tags.info == 4)
    }

    /// A day with all kinds of breaks, a playlist restart, an inserter restart and a fail-over of the inserter.
    @Test func day_withBreaksResetsAndAFailOver_raisesNoAlert() throws {
        var feed = ChannelFeed()
        feed.segmentLength = 10
        for hour in 0..<24 {
            try feed.play(700)
            // Stitched in with a signal: the inserter continues, but its tags are not sent.
            feed.splice()
            try feed.play(120, .replaced, isInBreak: true)
            feed.splice(by: -1_000)
            try feed.play(900)
            // Stitched in without a signal: three advertisements.
            for _ in 0..<3 {
                feed.splice()
                try feed.play(30, .replaced)
            }
            feed.splice(by: -3_000)
            try feed.play(600)
            // In the broadcast signal: without tags, or with other tags.
            try feed.play(180, .unheard, isInBreak: true)
            try feed.play(500)
            let own = feed.sequence
            feed.sequence = 40_000
            try feed.play(60, isInBreak: true)
            feed.sequence = own &+ 6
            try feed.play(200)
            switch hour {
            case 7:
                feed.perform { $0.observe([.sequenceBack(newest: 2_700, found: 0)], at: $1) }
            case 11: feed.sequence = 0
            case 16: feed.sequence = 9_000
            default: break
            }
            try feed.play(250)
        }
        #expect(feed.alerts == [], "\(feed.events)")
        #expect(
            feed.findings == [.playlistSequenceBack, .sequenceStep, .sequenceStep],
            "\(feed.events.filter { if case .finding = $0 { true } else { false } })")
        #expect(Set(feed.states) == [.healthy, .degraded])
    }

    /// The same changes outside a break cause findings, which shows that the day above tests something.
    @Test func lostTags_outsideABreak_areReported() throws {
        var feed = ChannelFeed()
        try feed.play(650)
        try feed.play(24, .replaced)
        try feed.play(120)
        #expect(feed.findings == [.sequenceStep])
        try feed.play(18, .unheard)
        try feed.play(120)
        #expect(feed.findings == [.sequenceStep, .timeGap])
    }

    @Test func channelHealth_overAWeek_doesNotGrow() throws {
        var feed = ChannelFeed()
        feed.segmentLength = 60
        func play(days: Int) throws -> Int {
            for _ in 0..<days * 24 {
                // Every hour also has a fault of each kind.
                try feed.play(2_400, advances: false)
                try feed.play(600, .replaced, advances: false)
                feed.sequence &+= 100
                feed.splice()
                try feed.play(600, advances: false)
                feed.perform { health, now in
                    health.observe(.failed(FetchFailure(httpStatus: 503)), rendition: RenditionID(1), at: now)
                    health.observe([.sequenceGap(expected: 1, found: 9)], rendition: RenditionID(2), at: now)
                }
                feed.forget()
            }
            return Self.elementCount(feed.health)
        }
        let day = try play(days: 1)
        let week = try play(days: 6)
        #expect(day > 100)
        #expect(week <= day + day / 10, "\(week) elements after a week, \(day) after a day")
    }

    /// A hostile presentation may list any number of renditions.
    @Test func channelHealth_withManyRenditions_staysBounded() {
        func elements(renditions: Int) -> Int {
            var feed = ChannelFeed()
            for rendition in 0..<renditions {
                feed.perform { health, now in
                    health.observe(.changed(PlaylistEdge()), rendition: RenditionID(rendition), at: now)
                    let segment = ObservedSegmentSample.audio(at: 0)
                    health.observe(
                        SegmentObservation(rendition: RenditionID(rendition), segment: segment, tags: []),
                        at: now)
                }
            }
            return Self.elementCount(feed.health)
        }
        let many = elements(renditions: 100)
        #expect(many > elements(renditions: 10))
        #expect(elements(renditions: 1_000) == many)
    }

    /// Returns the total number of elements of all collections inside a value.
    private static func elementCount(_ value: Any) -> Int {
        let mirror = Mirror(reflecting: value)
        let isCollection = [.collection, .dictionary, .set].contains(mirror.displayStyle)
        return mirror.children.reduce(isCollection ? mirror.children.count : 0) {
            $0 + elementCount($1.value)
        }
    }
}

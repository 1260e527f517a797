import ID3v2
import NielsenID3
import StreamHealth
import Testing

/// `time.audio-sync` and `time.wall-clock`.
@Suite struct SyncCheckTests {
    @Test func transportTag_isComparedWithPrecedingAudio() throws {
        for seconds in [-60.0, -15.1, -15, -14.9, 0, 14.9, 15, 15.1, 60] {
            let tags = TagSample.data(0..<6).map { tag in tag.with { $0.audio = -seconds } }
            let outcome = try StreamSample(tags).outcomes()[.timeAudioSync]
            #expect(outcome.status == (seconds.magnitude > 15 ? .fail : .pass), "\(seconds)")
            #expect(outcome.count == (seconds.magnitude > 15 ? 6 : 0))
        }
    }

    @Test func finding_statesDirectionAndDistance() throws {
        let tags = [TagSample.data(0).with { $0.audio = -20 }]
        #expect(
            try StreamSample(tags).outcomes()[.timeAudioSync].findings.first?.detail
                == "the tag's time is 20 s after the audio that precedes it: up to 15 s is normal (clock: pts)"
        )
    }

    /// The distance is the shorter one around the 33-bit clock.
    @Test func transportTag_acrossPTSWrap_isComparedByShorterDistance() throws {
        for (audio, isHit) in [(-10.0, false), (10, false), (-16, true), (16, true)] {
            let stream = StreamSample([TagSample.data(0).with { $0.audio = audio }]).with {
                $0.startPTS = MediaTimestamp.transportPeriod - 10 * 90_000
            }
            #expect(try stream.outcomes()[.timeAudioSync].status == (isHit ? .fail : .pass))
        }
    }

    private static let otherCarriages: [Carriage] = [
        .packedAudio, .segmentFront,
        .eventMessage(
            .init(schemeIDURI: "https://aomedia.org/emsg/ID3", value: "", version: 1, id: 1, duration: nil)),
    ]

    /// In other carriages, the span of the segment is the reference, which is 20...30 s here.
    @Test func tag_inOtherCarriage_isComparedWithItsSegment() throws {
        for carriage in Self.otherCarriages {
            for (place, isHit) in [
                (4.9, true), (5, false), (5.1, false), (25, false), (44.9, false), (45, false), (45.1, true),
            ] {
                let tag = TagSample.data(0).with {
                    $0.carriage = carriage
                    $0.position = 25
                    $0.shift = place - 25
                }
                let outcome = try StreamSample([tag], seconds: 50).outcomes()[.timeAudioSync]
                #expect(outcome.status == (isHit ? .fail : .pass), "\(carriage) \(place)")
            }
        }
    }

    @Test func tag_withoutPrecedingAudio_isComparedWithItsSegment() throws {
        for (shift, isHit) in [(0.0, false), (40, true)] {
            let tag = TagSample.data(0).with {
                $0.audio = nil
                $0.shift = shift
            }
            #expect(try StreamSample([tag]).outcomes()[.timeAudioSync].status == (isHit ? .fail : .pass))
        }
    }

    @Test func audioSync_withoutReferenceOrTagTime_isNotRun() throws {
        let tag = TagSample.data(0).with { $0.audio = nil }
        let silent = StreamSample([tag]).with { stream in
            stream.facts = { _, facts in facts.earliestMediaTime = nil }
        }
        #expect(try silent.outcomes()[.timeAudioSync].status == .notRun)
        let timeless = StreamSample([TagSample.data(0).with { $0.hasTime = false }])
        #expect(try timeless.outcomes()[.timeAudioSync].status == .notRun)
    }

    /// Right after a discontinuity, the audio before a tag may belong to the previous timeline.
    @Test func audio_beforeADiscontinuity_isNotUsedAsReference() throws {
        for isDiscontinuity in [true, false] {
            let stream = StreamSample(
                TagSample.data(0..<4) + [TagSample.data(4).with { $0.audio = -3000 }] + TagSample.data(5..<8)
            ).with { if isDiscontinuity { $0.discontinuities = [5] } }
            let status = try stream.outcomes()[.timeAudioSync].status
            #expect(status == (isDiscontinuity ? .pass : .fail))
        }
    }

    private static func wall(
        date: Double?, live: Double? = nil, tag: TagSample = .data(0)
    ) throws -> CheckOutcome {
        let sample = tag.with { tag in
            tag.programDateTime = date.map { Int64((Double(tag.lastTime) + $0) * 1000) }
        }
        guard let live else { return try StreamSample([sample]).outcomes()[.timeWallClock] }
        let time = SteadyTime(seconds: Double(sample.lastTime) + live)
        var health = ChannelHealth(
            policy: HealthPolicy(), settings: ChannelHealthSettings(), at: ClockMoment(steady: time))
        for observation in try StreamSample([sample]).observations() {
            health.observe(observation, at: time)
        }
        var outcome = health.outcomes[.timeWallClock]
        outcome.findings = health.recentFindings.filter { $0.check == .timeWallClock }.map(\.finding)
        return outcome
    }

    /// In a recording, the age of the content is information, not a violation.
    @Test func recordedTag_farFromItsDate_isInformational() throws {
        for seconds in [-3600.0, -300.5, -300, 0, 300, 300.5, 3600] {
            let outcome = try Self.wall(date: seconds)
            #expect(outcome.status == .pass)
            #expect(outcome.count == (seconds.magnitude > 300 ? 1 : 0), "\(seconds)")
            #expect(outcome.findings.allSatisfy { $0.status == .pass })
        }
        #expect(try Self.wall(date: nil).status == .notRun)
    }

    @Test func liveTag_farFromItsDateOrTheWallClock_warns() throws {
        for (date, live, isHit) in [
            (nil, 0.0, false), (nil, 300, false), (nil, 301, true), (nil, -301, true),
            (0, 0, false), (301, 0, true), (0, 301, true),
        ] as [(Double?, Double, Bool)] {
            let outcome = try Self.wall(date: date, live: live)
            #expect(outcome.status == (isHit ? .warn : .pass), "\(String(describing: date)) \(live)")
        }
    }

    /// The newest tag in a live playlist may be behind the wall clock by up to the limit, or ahead of it.
    @Test func newestTag_asOldAsTheLimit_passes() throws {
        for age in [-300.5, -300, 0, 300, 300.5] {
            let sample = TagSample.data(0)
            var checker = StreamChecker(
                PresentationOutline(source: "live.m3u8", renditions: [.init(name: nil, isLive: true)]),
                now: WallTime(unixSeconds: Double(sample.lastTime) + age))
            for observation in try StreamSample([sample]).observations() { checker.observe(observation) }
            let outcome = checker.finish().outcomes[.timeWallClock]
            #expect(outcome.status == (age.magnitude > 300 ? .warn : .pass), "\(age)")
        }
    }

    @Test func finding_namesTheClock() throws {
        #expect(
            try Self.wall(date: 3600).findings.first?.detail
                == "the last time 2023-11-14 12:00:10 UTC is 1 h before EXT-X-PROGRAM-DATE-TIME: looped or stale "
                + "content (up to 300 s is normal; clock: tag)")
        #expect(
            try Self.wall(date: nil, live: 400).findings.first?.detail.contains("before the wall clock")
                == true)
    }

    /// INFO tags state a time too; unknown and broken tags are not trusted.
    @Test func wallClock_checksDataAndInfoTagsOnly() throws {
        #expect(try Self.wall(date: 400, tag: .info(sequence: 1, position: 10)).count == 1)
        #expect(try Self.wall(date: 400, tag: TagSample.data(0).with { $0.kind = 5 }).status == .notRun)
        #expect(
            try Self.wall(date: 400, tag: TagSample.data(0).with { $0.checksumError = 1 }).status == .notRun)
    }
}

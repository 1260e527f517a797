import NielsenID3
import Testing

@testable import PlayerSession

/// Held tags, seeks, channels and the other rules of the guides for playback, tested on the machine alone.
@Suite struct PlaybackTests {
    /// A machine, its clock, and the tags that it has stored, presented and flushed.
    private final class Player {
        var machine = SessionMachineTests.machine()
        var now = Duration.zero
        var stored: [SessionTag] = []
        var presented: [UInt64] = []
        var flushed: [UInt64] = []

        init() {
            call(.initialize, SessionMachineTests.appInfo)
            call(.play, ["channelName": "One"])
            call(.loadMetadata, ["type": "content", "assetid": "A"])
        }

        @discardableResult
        func call(_ name: CallName, _ arguments: MetadataValue..., after: Double = 0) -> CallResult {
            now += .seconds(after)
            let step = machine.handle(SessionCall(name, arguments), at: now)
            for write in step.writes {
                switch write {
                case .store(.tag(let tag)), .hold(let tag, _): stored.append(tag)
                case .store, .quarantine, .admit: break
                case .release(let number, .some): presented.append(number)
                case .release(let number, nil): flushed.append(number)
                }
            }
            #expect(machine.counts.isConserved)
            return step.result
        }

        @discardableResult
        func tag(_ name: String, at mediaTime: Double? = nil, after: Double = 0) -> CallResult {
            let tag = MetadataValue.text("www.nielsen.com/\(name)")
            return mediaTime.map { call(.sendID3, tag, .number($0), after: after) }
                ?? call(.sendID3, tag, after: after)
        }

        var places: [SessionPlace] {
            stored.map(\.place)
        }
    }

    @Test func heldTag_isPresentedOnceThePlayheadReachesIt() {
        let player = Player()
        player.call(.playheadPosition, 0)
        #expect(player.tag("a", at: 10).outcome == .held)
        #expect(player.tag("b", at: 5).outcome == .held)
        player.call(.playheadPosition, 4, after: 4)
        #expect(player.presented.isEmpty)
        player.call(.playheadPosition, 5, after: 1)
        #expect(player.presented == [1])
        player.call(.playheadPosition, 12, after: 7)
        #expect(player.presented == [1, 0] && player.flushed.isEmpty)
        #expect(player.tag("c", at: 12).outcome == .stored)
        #expect(player.places.map(\.isPresented) == [false, false, true])
        #expect(player.places.map(\.order) == [0, 1, 2])
        #expect(player.machine.counts.held == 0 && player.machine.counts.stored == 3)
    }

    /// Calls that flush held tags, and calls that do not.
    @Test(
        arguments: [
            ("seek back", [SessionCall(.playheadPosition, [50])], 1),
            ("a second back", [SessionCall(.playheadPosition, [99.5])], 0),
            ("seek forward", [SessionCall(.playheadPosition, [131.5])], 1),
            ("as far as may be", [SessionCall(.playheadPosition, [131])], 0),
            ("stop", [SessionCall(.stop)], 1), ("end", [SessionCall(.end)], 1),
            ("pause", [SessionCall(.pause)], 0),
            ("another channel", [SessionCall(.play, [["channelName": "Two"]])], 1),
            (
                "another channel in metadata",
                [SessionCall(.loadMetadata, [["type": "content", "channelName": "Two"]])], 1
            ),
            ("the same channel", [SessionCall(.play, [["channelName": "One"]])], 0),
            ("background", [SessionCall(.appInBackground)], 1), ("free", [SessionCall(.free)], 1),
            ("disabled", [SessionCall(.appDisableApi, [true])], 1),
            ("opted out", [SessionCall(.userOptOut, ["nielsenappsdk://1"])], 1),
            ("metadata", [SessionCall(.loadMetadata, [["type": "content", "assetid": "B"]])], 0),
        ] as [(String, [SessionCall], Int)])
    func heldTag_atAJump_isFlushed_neverDropped(name: String, calls: [SessionCall], flushed: Int) {
        let player = Player()
        player.call(.playheadPosition, 100)
        player.tag("a", at: 500)
        player.now += .seconds(1)
        var findings: [SessionFinding] = []
        for call in calls {
            let step = player.machine.handle(call, at: player.now)
            findings += step.result.findings
            #expect(step.writes.count { if case .release = $0 { true } else { false } } == flushed)
        }
        #expect(player.machine.counts.flushed == flushed && player.machine.counts.held == 1 - flushed)
        #expect(findings.contains(.tagNotPresented) == (flushed == 1))
        #expect(player.machine.counts.stored == 1)
    }

    @Test func heldTags_beyondTheLimit_areFlushedOldestFirst() {
        let player = Player()
        for number in 0...PendingTags.maximumCount { player.tag("\(number)", at: 1_000) }
        #expect(player.flushed == [0] && player.machine.counts.held == PendingTags.maximumCount)
    }

    @Test func playhead_inMilliseconds_isConvertedWithFinding() {
        let player = Player()
        let result = player.call(.playheadPosition, 1_792_000_000_000)
        #expect(result.findings == [.playheadMilliseconds])
        player.tag("a")
        #expect(player.places.last?.playhead == 1_792_000_000)
        // The limit itself counts as seconds.
        #expect(Playhead.seconds(1e11)?.wasMilliseconds == false)
        #expect(Playhead.seconds((1e11).nextUp)?.wasMilliseconds == true)
    }

    @Test(arguments: [nil, "", "soon", -1, true, [], ["a": 1], .number(.nan)] as [MetadataValue])
    func invalidPlayhead_isError15(value: MetadataValue) {
        let player = Player()
        let result = player.call(.playheadPosition, value)
        #expect(result.outcome == .error && result.code == .playhead)
        #expect(result.findings == [.playheadInvalid])
    }

    @Test func playhead_after30MinutesWithoutCalls_isAGap() {
        for (seconds, isGap) in [(1_800.0, false), (1_800.5, true)] {
            let player = Player()
            player.call(.playheadPosition, 0)
            let result = player.call(.playheadPosition, 1, after: seconds)
            #expect(result.findings.contains(.playheadGap) == isGap)
        }
    }

    @Test func repeatedTag_isCountedAndNotStored_unlessRepeatsAreKept() {
        let player = Player()
        #expect(player.tag("a").outcome == .stored)
        #expect(player.tag("a").outcome == .repeat)
        #expect(player.call(.sendID3, "PRIV\u{0}www.nielsen.com/a\u{0}").outcome == .repeat)
        #expect(player.tag("b").outcome == .stored)
        #expect(player.tag("a").outcome == .stored)
        #expect(player.machine.counts.repeats == 2)
        player.call(.end)
        // Another viewing session begins.
        #expect(player.tag("a").outcome == .stored)
        var keeping = SessionMachineTests.machine(keepsRepeats: true)
        for _ in 0..<3 {
            let call = SessionCall(.sendID3, ["www.nielsen.com/a"])
            let outcome = keeping.handle(call, at: .zero).result.outcome
            #expect(outcome == .stored)
        }
    }

    @Test func play_ofTheSameChannel_isAHeartbeat_andOfAnotherChannelStartsASession() {
        let player = Player()
        for value in [["channelName": "One"], nil, 5, "7"] as [MetadataValue] {
            #expect(player.call(.play, value).findings == [.playHeartbeat])
        }
        #expect(player.machine.counts.sessions == 1)
        #expect(player.call(.play, ["ChannelName": "Two"]).findings == [.keyCase])
        #expect(player.machine.counts.sessions == 2 && player.machine.channel == "Two")
    }

    @Test func metadata_beforePlay_startsTheSession_andPlayNamesItsChannel() {
        var machine = SessionMachineTests.machine()
        _ = machine.handle(SessionCall(.initialize, [SessionMachineTests.appInfo]), at: .zero)
        _ = machine.handle(SessionCall(.loadMetadata, [["type": "content", "assetid": "A"]]), at: .zero)
        let play = machine.handle(SessionCall(.play, [["channelName": "One"]]), at: .zero)
        #expect(play.result.findings.isEmpty && machine.counts.sessions == 1)
        #expect(machine.channel == "One")
    }

    @Test func tag_afterEndOrInBackground_isStoredWithFinding() {
        let player = Player()
        player.call(.end)
        #expect(player.tag("a").findings.first == .tagAfterEnd)
        player.call(.appInBackground)
        #expect(player.tag("b").findings.first == .tagInBackground)
        #expect(player.places.map(\.channel) == ["One", "One"])
    }

    @Test func tag_afterStop_resumesTheSession() {
        let player = Player()
        player.tag("a")
        player.call(.stop)
        #expect(player.tag("b").findings == [.tagAfterStop])
        #expect(player.tag("c").findings.isEmpty && player.machine.counts.sessions == 1)
    }

    @Test func channelName_over32Characters_isNotTruncated() {
        for (count, isTooLong) in [(32, false), (33, true)] {
            let player = Player()
            let name = String(repeating: "n", count: count)
            let result = player.call(.play, ["channelName": .text(name)])
            #expect(result.findings.contains(.channelTooLong) == isTooLong)
            #expect(player.machine.channel == name)
        }
    }

    @Test func segments_beyond25DistinctValues_areAFinding() {
        let player = Player()
        var findings: [SessionFinding] = []
        for number in 0..<26 {
            findings =
                player.call(
                    .updateMetadata, ["segA": .text("\(number)"), "segB": "0", "segC": .text("\(number)")]
                ).findings
            #expect(findings.contains(.keyValue) == (number == 25))
        }
    }

    @Test func optOut_discardsTags_andOptInStoresThem() {
        let player = Player()
        player.tag("a")
        player.call(.userOptOut, "nielsenappsdk://1")
        #expect(player.tag("b").outcome == .discarded)
        #expect(player.call(.userOptOut, "nielsenappsdk://2").outcome == .ignored)
        player.call(.userOptOut, "nielsenappsdk://0")
        #expect(player.tag("c").outcome == .stored)
        // No id from before the choice is used after it.
        #expect(Set(player.places.map(\.id)).count == 2)
    }

    @Test func initialization_withoutAppID_quarantinesTags_butNotDuringPlayback() {
        for appInfo in [nil, "", "{", [:], ["appid": ""], ["appid": nil], 7] as [MetadataValue] {
            var machine = SessionMachineTests.machine()
            let failed = machine.handle(SessionCall(.initialize, [appInfo]), at: .zero)
            #expect(failed.result.code == .appID && machine.state == .initial)
            #expect(failed.writes == [.quarantine])
            let tag = machine.handle(SessionCall(.sendID3, [.text(SessionMachineTests.owner)]), at: .zero)
            #expect(tag.result.outcome == .stored && tag.result.findings.contains(.tagQuarantined))
            let good = machine.handle(SessionCall(.initialize, [["AppID": "T1"]]), at: .zero)
            #expect(good.result.outcome == .done && good.result.state == machine.state)
            #expect(good.writes.last == .admit(deleting: false))
            _ = machine.handle(SessionCall(.play), at: .zero)
            let later = machine.handle(SessionCall(.initialize, [appInfo]), at: .zero)
            #expect(later.result.code == .appID && machine.state == .processing && later.writes.isEmpty)
        }
    }

    @Test func initialization_withEmptyAppName_isAnError_butSucceeds() {
        var machine = SessionMachineTests.machine()
        let step = machine.handle(
            SessionCall(.initialize, [["appid": "T1", "appname": "", "appversion": "1", "sfcode": "us"]]),
            at: .zero)
        #expect(step.result.code == .appName && step.result.findings == [.keyMissing])
        #expect(machine.state == .idle)
    }
}

import ID3v2
import NielsenID3
import StreamHealth
import Testing
import TextForms

@testable import StreamMonitor

/// The lines of JSON, whose keys other programs depend on.
@Suite struct MonitorEventTests {
    private static func line(_ kind: MonitorEvent.Kind, channel: String? = "one") -> String {
        var writer = JSONWriter()
        MonitorEvent(channel: channel, time: 1_795_176_000_500, kind: kind).writeLine(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let alert = Alert(
        scope: .channel("one"), check: .presenceSilent, since: 1_795_176_000, severity: .fail,
        detail: "no \"tags\"")

    @Test func stateChange_hasBothStatesAndTheReason() {
        #expect(
            Self.line(.state(from: .healthy, to: .silent, reason: "no tags"))
                == #"{"type":"state","channel":"one","at":"2026-11-20T12:00:00.500Z","from":"healthy","#
                + #""to":"silent","reason":"no tags"}"# + "\n")
    }

    @Test func alert_hasTheKeysOfTheContract() {
        #expect(
            Self.line(.alert(.raised(Self.alert), evidence: nil))
                == #"{"type":"alert","action":"raise","id":"one/presence.silent/1795176000000","channel":"one","#
                + #""check":"presence.silent","severity":"fail","at":"2026-11-20T12:00:00.500Z","#
                + #""since":"2026-11-20T12:00:00.000Z","detail":"no \"tags\"","evidence":null,"docs":null}"#
                + "\n")
    }

    @Test func hostAlert_namesHostAndChannels() throws {
        var hosts = HostGrouping(holdTime: 0)
        var raised: Alert?
        for channel in ["a", "b", "c", "d", "e"] { hosts.assign(channel: channel, to: "cdn") }
        for channel in ["a", "b", "c", "d", "e"] {
            let alert = Alert(
                scope: .channel(channel), check: .presenceSilent, since: 1_795_176_000, severity: .fail,
                detail: "no tags")
            let moment = ClockMoment(steady: SteadyTime(seconds: 1_795_176_000))
            for case .raised(let host) in hosts.observe(.raised(alert), at: moment) {
                raised = host
            }
        }
        let line = Self.line(.alert(.cleared(try #require(raised)), evidence: nil), channel: nil)
        #expect(
            line.hasPrefix(
                #"{"type":"alert","action":"clear","id":"cdn/1795176000000","channel":null,"host":"cdn","#
                    + #""channels":["a","b","c","d","e"],"check":"presence.silent","severity":"fail","#))
    }

    @Test func summary_countsEveryState() {
        var summary = MonitorSummary()
        summary.channelCounts = [.healthy: 2, .silent: 1]
        summary.alertCount = 1
        summary.tagCount = 9
        summary.waitingCount = 4
        summary.deliveredCount = 5
        summary.lostCount = 6
        #expect(
            Self.line(.summary(summary), channel: nil)
                == #"{"type":"summary","at":"2026-11-20T12:00:00.500Z","channels":3,"connecting":0,"healthy":2,"#
                + #""degraded":0,"silent":1,"unreachable":0,"paused":0,"ended":0,"alerts":1,"tags":9,"#
                + #""waiting":4,"delivered":5,"lost":6}"# + "\n")
    }
}

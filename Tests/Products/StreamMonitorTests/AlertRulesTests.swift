import NielsenID3
import StreamHealth
import Testing
import TimedMedia

@testable import StreamMonitor

/// The rules that raise alerts, without the channel around them.
@Suite struct AlertRulesTests {
    private static func moment(_ seconds: Double) -> ClockMoment {
        ClockMoment(steady: SteadyTime(seconds: seconds))
    }

    private static func rules() -> AlertRules { AlertRules(channel: "one-hd", at: moment(0).steady) }

    /// Records a violation at a time and returns the alert that it raises, if any.
    private static func violate(
        _ check: CheckID, _ severity: CheckStatus, at time: Double, in rules: inout AlertRules
    ) -> Alert? {
        let violation = ChannelViolation(check: check, severity: severity, detail: "503")
        return rules.observe(.violation(violation), at: moment(time)).first?.alert
    }

    /// An operator is called for the worse of the two findings.
    @Test(arguments: [(CheckStatus.fail, CheckStatus.warn), (.warn, .fail), (.fail, .fail)])
    func alert_hasTheWorseSeverityOfItsFindings(first: CheckStatus, second: CheckStatus) throws {
        var rules = Self.rules()
        #expect(Self.violate(.segmentHTTP, first, at: 10, in: &rules) == nil)
        let alert = Self.violate(.segmentHTTP, second, at: 20, in: &rules)
        #expect(try #require(alert).severity == .fail)
    }

    /// After a stop, as in a pause, the rules start again: a finding before it and one after it are not two.
    @Test func finding_beforePause_doesNotCountAfterIt() {
        var rules = Self.rules()
        _ = Self.violate(.segmentHTTP, .fail, at: 10, in: &rules)
        #expect(rules.observe(.stopped(nil), at: Self.moment(10)).isEmpty)
        #expect(Self.violate(.segmentHTTP, .fail, at: 20, in: &rules) == nil)
        #expect(Self.violate(.segmentHTTP, .fail, at: 30, in: &rules)?.since == 30)
    }

    /// Only the alerts of the stopped checks are closed.
    @Test func stoppedChecks_clearOnlyTheirOwnAlerts() {
        var rules = Self.rules()
        for check in [CheckID.presenceSilent, .playlistStale] {
            #expect(Self.violate(check, .fail, at: 10, in: &rules) != nil)
        }
        let changes = rules.observe(.stopped([.presenceSilent]), at: Self.moment(10))
        #expect(changes.map(\.action) == ["clear"] && changes.map(\.alert.check) == [.presenceSilent])
        #expect(rules.openAlerts.map(\.check) == [.playlistStale])
    }
}

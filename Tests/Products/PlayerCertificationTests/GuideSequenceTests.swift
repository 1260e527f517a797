import NielsenID3
import PlayerSession
import Reporting
import StreamHealth
import TestSupport
import Testing

@testable import PlayerCertification

/// The certification of each sequence that the guides print, as a viewer causes it, and of its violations.
@Suite(.timeLimit(.minutes(30))) struct GuideSequenceTests {
    private static func report(
        on script: PlayerScript, _ sequence: GuideSequence
    ) -> CertificationReport {
        RuleTests.report(on: script.bytes, market: sequence.market, platform: sequence.platform)
    }

    private static func texts(_ report: CertificationReport) -> String {
        report.outcomes.flatMap { outcome in
            outcome.findings.map {
                "\(outcome.id) \($0.status) line \($0.place.call?.line ?? 0): \($0.detail)"
            }
        }.joined(separator: "; ")
    }

    @Test(arguments: GuideSequence.all)
    func sequence_asPrinted_passes(sequence: GuideSequence) {
        let report = Self.report(on: sequence.make(), sequence)
        // The tags of content without metadata have a finding, which is no failure.
        let expected: CheckStatus = sequence.name == "us-tags" ? .warn : .pass
        #expect(report.status == expected, "\(sequence.source): \(Self.texts(report))")
    }

    @Test(arguments: GuideViolation.all)
    func violation_isFoundByItsRule_andFailsNoOther(violation: GuideViolation) throws {
        let sequence = try #require(GuideSequence.named(violation.sequence))
        let report = Self.report(on: violation.change(sequence.make()), sequence)
        let status = report.outcomes.first { $0.id.rawValue == violation.rule }?.status
        #expect(status == violation.status, "\(Self.texts(report))")
        let failed = report.outcomes.filter { $0.status == .fail }.map(\.id.rawValue)
        #expect(failed == (violation.status == .fail ? [violation.rule] : []), "\(Self.texts(report))")
    }

    @Test(arguments: GuideViolation.allowed)
    func sequence_withWhatNoGuideForbids_passes(change: GuideViolation) throws {
        let sequence = try #require(GuideSequence.named(change.sequence))
        let report = Self.report(on: change.change(sequence.make()), sequence)
        #expect(report.status == .pass, "\(Self.texts(report))")
    }

    /// Logs of single rules, pings and pages cover the others.
    @Test func everyRuleOfCalls_hasAViolation() {
        let others = ["log.readable", "page.vars", "metadata.static"]
        let ids = RuleRegistry.declarations.map(\.id.rawValue).filter { id in
            !others.contains(id) && !["ping.", "against."].contains(where: id.hasPrefix)
        }
        #expect(Set(ids) == Set(GuideViolation.all.map(\.rule)))
    }

    /// A session writes null in place of the values of a user who has opted out.
    private static func withheld(_ script: PlayerScript) -> PlayerScript {
        script.changed { script in
            for index in script.calls.indices
            where !["init", "nlsQ", "userOptOut"].contains(script.calls[index].name) {
                script.calls[index].arguments = script.calls[index].arguments.enumerated().map {
                    place, argument in
                    if script.calls[index].name == "ggPM", place == 0 { return argument }
                    guard argument.hasPrefix("{") else { return "null" }
                    return argument.replacing(#/:("[^"]*"|[0-9]+)/#) { _ in ":null" }
                }
            }
        }
    }

    /// Names, keys, order and times are judged without the values.
    @Test(arguments: GuideSequence.all)
    func sequence_ofUserWhoHasOptedOut_passes_withOrWithoutItsValues(sequence: GuideSequence) throws {
        var script = sequence.make()
        if !script.calls.contains(where: { $0.name == "userOptOut" }) {
            let start = try #require(script.calls.firstIndex { ["init", "nlsQ"].contains($0.name) })
            let choice = PlayerScript.Call(at: 0, name: "userOptOut", arguments: ["\"nielsenappsdk://1\""])
            script.calls.insert(choice, at: start + 1)
        }
        let whole = Self.report(on: script, sequence)
        // The tags of content without metadata have a finding, which is no failure.
        #expect(whole.status == (sequence.name == "us-tags" ? .warn : .pass), "\(Self.texts(whole))")
        let report = Self.report(on: Self.withheld(script), sequence)
        #expect(report.status == .pass, "\(Self.texts(report))")
        let reasons = report.outcomes.filter { $0.status == .notRun }.compactMap(\.reason)
        #expect(reasons.contains { $0.hasPrefix("Not judged: opted out") })
        #expect(report.summary.counts.stored == 0 && whole.summary.counts.stored == 0)
    }

    /// Playheads without values resume playback, and are calls: no pause of 30 minutes.
    @Test func playheadsWithoutValues_continuePlayback() throws {
        var script = try #require(GuideSequence.named("ireland")).make()
        script.calls.removeAll { $0.isPlayhead || ["stop", "end"].contains($0.name) }
        script.at = 0
        script.playheads(0..<2_400)
        script.call("stop")
        script.at += 30
        script.playheads(2_400..<2_420)
        script.call("stop")
        script.call("end")
        for withheld in [false, true] {
            let report = RuleTests.report(
                on: (withheld ? Self.withheld(script) : script).bytes, market: .ire, platform: .ios)
            #expect(report.status == .pass, "\(Self.texts(report))")
        }
    }

    @Test func tagsWithoutValues_areNotJudged() throws {
        var script = try #require(GuideSequence.named("us-tags")).make()
        script.calls = Array(script.calls.prefix(1))
        script.call("userOptOut", "\"nielsenappsdk://1\"")
        for _ in 0..<5 { script.call("sendID3", "null") }
        let report = RuleTests.report(on: script.bytes, market: .us)
        #expect(report.status == .notRun, "\(Self.texts(report))")
        #expect(report.headlines.contains { $0.hasPrefix("opted out") })
    }

    @Test(arguments: GuideViolation.withoutValues)
    func violation_byUserWhoHasOptedOut_isFoundWithoutItsValues(violation: GuideViolation) throws {
        let sequence = try #require(GuideSequence.named(violation.sequence))
        let report = Self.report(on: violation.change(Self.withheld(sequence.make())), sequence)
        let found = report.outcomes.first { $0.id.rawValue == violation.rule }
        #expect(found?.status == violation.status, "\(Self.texts(report))")
    }

    /// With values, the violations are those of any other user.
    @Test(
        arguments: GuideViolation.all.filter {
            $0.sequence.hasPrefix("ireland") && !$0.rule.hasPrefix("start.")
        })
    func violation_byUserWhoHasOptedIn_isTheSame(violation: GuideViolation) throws {
        let sequence = try #require(GuideSequence.named(violation.sequence))
        let script = violation.change(sequence.make()).replacing(
            "nielsenappsdk://1", with: "nielsenappsdk://0")
        let status = Self.report(on: script, sequence).outcomes.first { $0.id.rawValue == violation.rule }?
            .status
        #expect(status == violation.status)
    }

    /// A finding of `dtvr replay` is one of a rule, too.
    @Test(arguments: GuideViolation.all)
    func findings_ofTheSession_areFoundByARule(violation: GuideViolation) throws {
        let sequence = try #require(GuideSequence.named(violation.sequence))
        let script = violation.change(sequence.make())
        let report = Self.report(on: script, sequence)
        for (finding, count) in report.summary.findings where count > 0 {
            // A seek explains these.
            if ["playhead.backwards", "tag.not-presented"].contains(finding.rawValue) { continue }
            #expect(report.outcomes.contains { $0.status > .pass }, "\(finding) in \(violation)")
        }
    }

    /// The first examples that a developer copies.
    @Test(arguments: DocumentedCalls.pages)
    func example_ofTheDocuments_passes(page: String, blocks: Int) throws {
        let owners = (0..<3).map { PlayerScript.tag($0) }
        let log = try DocumentedCalls.log(of: page, blocks: blocks, owners: owners)
        let report = RuleTests.report(on: Array(log.utf8))
        #expect(report.status == .pass, "\(Self.texts(report))")
        #expect(report.summary.callCount > 3)
    }
}

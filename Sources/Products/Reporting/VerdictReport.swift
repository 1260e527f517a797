package import NielsenID3
package import StreamHealth
package import TextForms

/// The verdict on an input, with the parts that text, JSON and JUnit present: of a stream, or of the calls of a player.
package protocol VerdictReport: Sendable {
    /// The input as given by the user.
    var source: String { get }
    /// The outcomes of the checks or rules, in the order of reports.
    var outcomes: [CheckOutcome] { get }
    /// The verdict; by default, the worst status of all outcomes.
    var status: CheckStatus { get }
    /// The reason why there is no verdict, or why `--strict` refuses it; nil otherwise.
    var error: String? { get set }
    /// The reason why the verdict does not stand for the whole input; nil if it does.
    var shortfall: String? { get }
    /// The noun for what the outcomes are of: `check` or `rule`.
    var noun: String { get }
    /// The lines of text below the source.
    var facts: [String] { get }
    /// The lines below the source on a page.
    var headlines: [String] { get }
    /// The limits of the checks; nil for rules, which have none that can be set.
    var policy: HealthPolicy? { get }
    /// The renditions of a stream, as their findings name them.
    var renditions: [String] { get }
    /// The check whose reason says why nothing is known, if none ran; nil without one.
    var presence: CheckID? { get }
    /// The names and values of the properties in JUnit.
    var properties: [(String, String)] { get }

    /// Writes the members of the JSON object between the verdict and the checks.
    func writeMembers(to writer: inout JSONWriter)
}

extension VerdictReport {
    package var policy: HealthPolicy? { nil }
    package var renditions: [String] { [] }

    /// The worst status of all outcomes; `notRun` if no check ran.
    package var status: CheckStatus { outcomes.map(\.status).max() ?? .notRun }
}

extension VerdictReport {
    /// Makes the lack of something to judge the error of the report, and returns it; nil if nothing is lacking.
    package mutating func requireCompleteness() -> String? {
        guard error == nil else { return nil }
        error = shortfall
        return error
    }
}

extension [any VerdictReport] {
    /// The worst verdict; `notRun` without any.
    package var status: CheckStatus { map(\.status).max() ?? .notRun }
}

extension HealthReport: VerdictReport {
    package var source: String { verdict.source }
    package var outcomes: [CheckOutcome] { verdict.outcomes }
    package var noun: String { "check" }
    package var policy: HealthPolicy? { verdict.policy }
    package var renditions: [String] { verdict.renditions }
    package var headlines: [String] { [VerdictText.extent(verdict), VerdictText.tags(verdict.tags)] }
    package var presence: CheckID? { .ownerPresent }

    /// The parts that could not be read, and the lack of DATA tags.
    package var shortfall: String? { verdict.shortfall(unread) }

    package var facts: [String] {
        var facts = headlines + [VerdictText.summary(outcomes, "checks")]
        if let spacing = spacing.text { facts.append(spacing) }
        for limit in VerdictText.changedLimits(verdict.policy) {
            facts.append(
                "\(limit.name) set to \(DecimalText.short(verdict.policy[limit])) \(limit.unit) "
                    + "(default \(DecimalText.short(limit.defaultValue)))")
        }
        return facts
    }

    package var properties: [(String, String)] {
        [
            ("verdict", verdict.status.rawValue),
            ("duration", DecimalText.short(verdict.duration)),
            ("segments", String(verdict.segmentCount)),
            ("failed_segments", String(verdict.failedSegmentCount)),
            ("tags.data", String(verdict.tags.data)),
            ("tags.info", String(verdict.tags.info)),
            ("tags.unknown", String(verdict.tags.unknown)),
            ("tags.other_owner", String(verdict.tags.otherOwner)),
        ] + HealthLimit.all.map { ($0.name, DecimalText.short(verdict.policy[$0])) }
    }

    package func writeMembers(to writer: inout JSONWriter) {
        writer.write("duration", verdict.duration)
        writer.write("segments", verdict.segmentCount)
        writer.write("failed_segments", verdict.failedSegmentCount)
        writer.key("renditions")
        writer.beginArray()
        for rendition in verdict.renditions { writer.value(rendition) }
        writer.endArray()
        writer.key("tags")
        writer.beginObject()
        writer.write("data", verdict.tags.data)
        writer.write("info", verdict.tags.info)
        writer.write("unknown", verdict.tags.unknown)
        writer.write("other_owner", verdict.tags.otherOwner)
        writer.endObject()
        writer.key("limits")
        writer.beginObject()
        for limit in HealthLimit.all { writer.write(limit.name, number: verdict.policy[limit]) }
        writer.endObject()
    }
}

extension SpacingSketch {
    /// The distances in one line; nil if none were collected.
    fileprivate var text: String? {
        guard let median, let narrowest, let widest else { return nil }
        let range =
            "\(DecimalText.fixed(narrowest, decimals: 1)) to \(DecimalText.fixed(widest, decimals: 1)) s"
        return "DATA tag spacing \(bars) \(range), median \(DecimalText.fixed(median, decimals: 1)) s"
    }
}

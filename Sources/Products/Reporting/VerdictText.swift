import NielsenID3
package import StreamHealth
import TextForms

/// The sentences about a verdict that all report formats for people share.
package enum VerdictText {
    /// Returns the amount of media read.
    static func extent(_ verdict: HealthVerdict) -> String {
        if verdict.segmentCount == 0, verdict.failedSegmentCount == 0 { return "owner identifiers of a text" }
        var text = "\(duration(verdict.duration)) of media in "
        let failed = verdict.failedSegmentCount
        if failed > 0 { text += "\(DecimalText.grouped(verdict.segmentCount - failed)) of " }
        text += DecimalText.groupedCount(verdict.segmentCount, "segment")
        if failed > 0 { text += " (\(DecimalText.grouped(failed)) could not be read)" }
        if verdict.renditions.count > 1 { text += ", \(verdict.renditions.count) renditions" }
        return text
    }

    /// Returns the tag counts.
    static func tags(_ tags: HealthVerdict.TagCounts) -> String {
        var parts = [
            DecimalText.groupedCount(tags.data, "DATA tag"), DecimalText.groupedCount(tags.info, "INFO tag"),
        ]
        if tags.unknown > 0 { parts.append("\(DecimalText.grouped(tags.unknown)) of unknown kind") }
        if tags.otherOwner > 0 { parts.append("\(DecimalText.grouped(tags.otherOwner)) of other owners") }
        return parts.joined(separator: ", ")
    }

    /// Returns the number of checks or rules by status.
    package static func summary(_ outcomes: [CheckOutcome], _ noun: String) -> String {
        let numbers = Dictionary(grouping: outcomes, by: \.status).mapValues(\.count)
        let words: [(CheckStatus, String)] = [
            (.fail, "failed"), (.warn, "warned"), (.pass, "passed"), (.notRun, "not run"),
        ]
        let parts = words.compactMap { status, word -> String? in
            guard let number = numbers[status], number > 0 else { return nil }
            return "\(number) \(word)"
        }
        return parts.isEmpty ? "no \(noun)" : "\(noun): " + parts.joined(separator: ", ")
    }

    /// Returns seconds, with hours and minutes from two minutes on.
    package static func duration(_ seconds: Double) -> String {
        let exact = DecimalText.fixed(seconds, decimals: 1) + " s"
        return seconds < 120 ? exact : "\(DecimalText.clock(seconds)) (\(exact))"
    }

    /// Returns the limit of a check; nil for a check without a limit.
    static func limit(_ limit: CheckOutcome.Limit?) -> String? {
        limit.map { "\(DecimalText.short($0.value)) \($0.unit)" }
    }

    /// Returns notes about the findings of a check that are not listed with it.
    static func unlisted(_ outcome: CheckOutcome) -> [String] {
        var notes: [String] = []
        let elsewhere = outcome.consequenceCount
        if elsewhere > 0 {
            notes.append("\(DecimalText.grouped(elsewhere)) listed under other checks, as consequences")
        }
        let unlisted = max(0, outcome.count - outcome.findings.count - elsewhere)
        let listed = outcome.findings.count { $0.status == .pass }
        // A check that passed has only information.
        let information =
            outcome.status > .pass ? min(max(0, outcome.informationCount - listed), unlisted) : 0
        let rest = unlisted - information
        if rest > 0 { notes.append("… and \(DecimalText.grouped(rest)) more") }
        if information > 0 { notes.append("… and \(DecimalText.grouped(information)) more as information") }
        return notes
    }

    /// Returns the checks that did not pass, the failed ones first.
    static func attention(_ outcomes: [CheckOutcome]) -> [CheckOutcome] {
        outcomes.filter { $0.status == .fail } + outcomes.filter { $0.status == .warn }
    }

    /// Returns the limits that differ from their defaults.
    static func changedLimits(_ policy: HealthPolicy) -> [HealthLimit] {
        HealthLimit.all.filter { policy[$0] != $0.defaultValue }
    }

    /// Returns the place of a finding, from the largest unit to the smallest; empty if unknown.
    package static func place(_ place: Finding.Place) -> [String] {
        var parts: [String] = []
        if let call = place.call { parts.append(call.description) }
        if let rendition = place.rendition { parts.append(rendition) }
        if let segment = place.segment {
            parts.append(segment)
        } else if let sequence = place.mediaSequence {
            parts.append("media sequence \(sequence)")
        }
        if let seconds = place.seconds {
            parts.append(DecimalText.fixed(seconds, decimals: 3) + " s")
        } else if let position = place.position {
            parts.append("\(DecimalText.clock(position)) into the media")
        }
        if let sequence = place.sequence { parts.append("sequence \(sequence)") }
        return parts
    }
}

extension HealthVerdict {
    /// Returns the reason why the verdict does not stand for the whole input; nil if it does.
    ///
    /// - Parameter others: The unread parts besides segments of the input, such as `1 rendition`.
    package func shortfall(_ others: [String]) -> String? {
        var unread = others
        if failedSegmentCount > 0 {
            let whole = DecimalText.groupedCount(segmentCount, "segment")
            unread.insert("\(DecimalText.grouped(failedSegmentCount)) of \(whole)", at: 0)
        }
        var parts = unread.map { "\($0) could not be read" }
        if tags.data == 0 { parts.append("no DATA tag was judged") }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}

extension CheckStatus {
    /// The status as shown to people.
    package var word: String {
        switch self {
        case .notRun: "not run"
        case .pass: "pass"
        case .warn: "warn"
        case .fail: "fail"
        }
    }

    /// A sign that shows the status without color.
    package var sign: String {
        switch self {
        case .notRun: "–"
        case .pass: "✓"
        case .warn: "!"
        case .fail: "✗"
        }
    }
}

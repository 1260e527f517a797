import StreamHealth
import TextForms

/// The sentences that every form of report for people says about a verdict.
enum VerdictText {
    /// A count and its noun.
    static func count(_ number: Int, _ singular: String, _ plural: String) -> String {
        "\(DecimalText.grouped(number)) \(number == 1 ? singular : plural)"
    }

    /// How much was read.
    static func extent(_ verdict: HealthVerdict) -> String {
        if verdict.segmentCount == 0, verdict.failedSegmentCount == 0 { return "owner identifiers of a text" }
        var text = "\(duration(verdict.duration)) of media in "
        text += count(verdict.segmentCount, "segment", "segments")
        if verdict.failedSegmentCount > 0 {
            text += ", \(DecimalText.grouped(verdict.failedSegmentCount)) more could not be read"
        }
        if verdict.renditions.count > 1 { text += ", \(verdict.renditions.count) renditions" }
        return text
    }

    /// How many tags there were.
    static func tags(_ tags: HealthVerdict.TagCounts) -> String {
        var parts = [
            count(tags.data, "DATA tag", "DATA tags"), count(tags.info, "INFO tag", "INFO tags"),
        ]
        if tags.unknown > 0 { parts.append("\(DecimalText.grouped(tags.unknown)) of unknown kind") }
        if tags.otherOwner > 0 { parts.append("\(DecimalText.grouped(tags.otherOwner)) of other owners") }
        return parts.joined(separator: ", ")
    }

    /// How the checks ended.
    static func summary(_ verdict: HealthVerdict) -> String {
        let numbers = Dictionary(grouping: verdict.outcomes, by: \.status).mapValues(\.count)
        let words: [(CheckStatus, String)] = [
            (.fail, "failed"), (.warn, "warned"), (.pass, "passed"), (.notRun, "had nothing to look at"),
        ]
        let parts = words.compactMap { status, word -> String? in
            guard let number = numbers[status], number > 0 else { return nil }
            return "\(number) \(word)"
        }
        return parts.isEmpty ? "no checks" : "checks: " + parts.joined(separator: ", ")
    }

    /// Seconds, and hours and minutes where they help.
    static func duration(_ seconds: Double) -> String {
        let exact = DecimalText.fixed(seconds, decimals: 1) + " s"
        return seconds < 120 ? exact : "\(DecimalText.clock(seconds)) (\(exact))"
    }

    /// The limit that a check was held to; nil for a check without a limit.
    static func limit(_ limit: CheckOutcome.Limit?) -> String? {
        limit.map { "\(DecimalText.short($0.value)) \($0.unit)" }
    }

    /// What a report says of the findings of a check that are not listed with it.
    static func unlisted(_ outcome: CheckOutcome) -> [String] {
        var notes: [String] = []
        let elsewhere = outcome.consequenceCount
        if elsewhere > 0 {
            notes.append("\(DecimalText.grouped(elsewhere)) under findings of other checks, as consequences")
        }
        let rest = outcome.count - outcome.findings.count - elsewhere
        if rest > 0 { notes.append("… and \(DecimalText.grouped(rest)) more") }
        return notes
    }

    /// The limits that were set away from the default.
    static func changedLimits(_ policy: HealthPolicy) -> [HealthLimit] {
        HealthLimit.all.filter { policy[$0] != $0.defaultValue }
    }

    /// Where a finding is, from the largest to the smallest; empty where nothing is known.
    static func place(_ place: Finding.Place) -> [String] {
        var parts: [String] = []
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

extension CheckStatus {
    /// The status as people read it.
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

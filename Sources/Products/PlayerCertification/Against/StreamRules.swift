import NielsenID3
import PlayerSession
import StreamHealth

/// A rule for the tags that a player handed over, compared with those of the stream that it played.
protocol StreamRule: CertificationRule {
    /// Returns the sentence of a finding; nil if the rule allows the match.
    static func sentence(for relation: StreamMatch.Relation) -> String?
}

extension StreamRule {
    mutating func observe(_ match: StreamMatch, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if case .outside = match.relation { return }
        findings.run()
        guard let sentence = Self.sentence(for: match.relation) else { return }
        let detail = "\(sentence): \(match.tagText)"
        if case .missing(_, let place) = match.relation {
            findings.find(detail, at: place)
        } else {
            findings.find(detail)
        }
    }
}

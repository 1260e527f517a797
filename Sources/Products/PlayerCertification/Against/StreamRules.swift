import NielsenID3
import PlayerSession
import StreamHealth
import TextForms

/// A rule for the tags that a player handed over, compared with those of the stream that it played.
protocol StreamRule: CertificationRule {
    /// Returns the sentence of a finding; nil if the rule allows the match.
    static func sentence(for match: StreamMatch) -> String?
}

extension StreamRule {
    mutating func observe(_ match: StreamMatch, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        findings.run()
        guard let sentence = Self.sentence(for: match) else { return }
        if case .missing(_, let place) = match {
            findings.find(sentence, at: place)
        } else {
            findings.find(sentence)
        }
    }
}

import NielsenID3
import PlayerSession
import StreamHealth
import TextForms

/// A rule for the tags that a player handed over, compared with those of the stream that it played.
struct StreamRule: CertificationRule {
    let declaration: CheckDeclaration
    /// Returns the sentence of a finding; nil if the rule allows the relation.
    let sentence: @Sendable (StreamMatch.Relation) -> String?

    func observe(_ match: StreamMatch, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if case .outside = match.relation { return }
        findings.run()
        guard let sentence = sentence(match.relation) else { return }
        let detail = "\(sentence): \(match.tagText)"
        if case .missing(_, let place) = match.relation {
            findings.find(detail, at: place)
        } else {
            findings.find(detail)
        }
    }
}

extension StreamRule {
    /// `against.altered`: a tag has the bytes that the stream has.
    static let againstAltered = StreamRule(
        declaration: CheckDeclaration(
            CheckID("against.altered"), on: [.match], worst: .fail,
            notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
            expectation: "A tag has the bytes that the stream has",
            title: "A tag was altered on its way",
            meaning: """
                The collector cannot decrypt the tag, so its minute is not credited. Lost zeros of an offset have the \
                rule `tag.form`.
                """,
            appearance: """
                The stream has no tag with these bytes, and one with the same sequence and time, or with few \
                differences.
                """,
            cause: """
                The bytes are converted to text in the wrong encoding, changed to lower case, or cut off.
                """,
            action: """
                Pass the bytes of the tag as the player provides them.
                """,
            source: "this library: the tags of the stream")
    ) { relation in
        guard case .altered(let position) = relation else { return nil }
        return "the tag at \(DecimalText.clock(position)) of the stream was altered"
    }

    /// `against.foreign`: each tag is from the stream that was played.
    static let againstForeign = StreamRule(
        declaration: CheckDeclaration(
            CheckID("against.foreign"), on: [.match], worst: .fail,
            notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
            expectation: "Each tag is from the stream that was played",
            title: "A tag is not from the stream",
            meaning: """
                The tag belongs to another stream: of another channel, another run of the encoder, or a test.
                """,
            appearance: """
                The stream has neither the tag nor one that it could be made of.
                """,
            cause: """
                The player still has segments of the channel before, the stream is not the one that was played, or \
                tags come from a file.
                """,
            action: """
                Compare with the stream of the same time; drop the tags of a stream when the channel changes.
                """,
            source: "this library: the tags of the stream")
    ) { relation in
        relation == .foreign ? "the stream has no such tag" : nil
    }

    /// `against.late`: a tag is handed over within the length of its segment.
    static let againstLate = StreamRule(
        declaration: CheckDeclaration(
            CheckID("against.late"), on: [.match], worst: .warn,
            notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
            expectation: "A tag is handed over within the length of its segment",
            title: "A tag was handed over late",
            meaning: """
                A late tag belongs to a picture that is no longer on the screen, and may come after the end of the \
                viewing session.
                """,
            appearance: """
                A tag comes later than others of the stretch, in relation to the playhead, by more than the length of \
                its segment.
                """,
            cause: """
                The app collects tags, and hands them over with a timer.
                """,
            action: """
                Hand over each tag in the callback of the player.
                """,
            source: "this library: the tags of the stream")
    ) { relation in
        guard case .late(let seconds, let segment) = relation else { return nil }
        return
            "between its place in the stream and its call, \(DecimalText.short(seconds)) s more of playback pass "
            + "than for the earliest tags: up to the length of its segment, \(DecimalText.short(segment)) s, is normal"
    }

    /// `against.missing`: each tag of the stream that was played is handed over.
    static let againstMissing = StreamRule(
        declaration: CheckDeclaration(
            CheckID("against.missing"), on: [.match], worst: .fail,
            notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
            expectation: "Each tag of the stream that was played is handed over",
            title: "A tag of the stream was never handed over",
            meaning: """
                The minute of the tag is not credited. Tags that are missing in the middle of playback are lost in the \
                app, not in the stream.
                """,
            appearance: """
                A tag of the stream between two that were handed over, or between the last one and the end of \
                playback, is not in the log.
                """,
            cause: """
                The player reports a tag only if it is presented, drops tags of some renditions, or the handler is \
                registered late.
                """,
            action: """
                Find the tag in the callbacks of the player. Register for timed metadata before playback begins.
                """,
            source: "this library: the tags of the stream")
    ) { relation in
        guard case .missing(let position, _) = relation else { return nil }
        return "the tag at \(DecimalText.clock(position)) of the stream was not handed over"
    }

    /// `against.twice`: a tag is handed over once while it is played.
    static let againstTwice = StreamRule(
        declaration: CheckDeclaration(
            CheckID("against.twice"), on: [.match], worst: .fail,
            notRun: "No tag was compared: add --against STREAM, with the stream that the app played.",
            expectation: "A tag is handed over once while it is played",
            title: "A tag was handed over again without a seek",
            meaning: """
                The minute of the tag seems to be watched twice. A duplicate of the tag directly before has the rule \
                `tag.once`.
                """,
            appearance: """
                A tag of the stretch comes again, after others, without a seek back.
                """,
            cause: """
                Tags of several renditions are handed over, or those of a playlist that is read again.
                """,
            action: """
                Tell tags apart by their bytes and their time.
                """,
            source: "this library: the tags of the stream")
    ) { relation in
        relation == .twice ? "the tag was handed over before, without a seek since" : nil
    }
}

import NielsenID3
import PlayerSession
import StreamHealth
import TextForms

extension FindingRule {
    /// `tag.after-end`: no tag comes after `end`.
    static let tagAfterEnd = FindingRule(
        declaration: CheckDeclaration(
            CheckID("tag.after-end"), on: [.call], worst: .fail,
            notRun: "The log has no end: play content to its end.",
            expectation: "No tag comes after `end`",
            title: "A tag comes after `end`",
            meaning: """
                The viewing session is over. The tag opens another one, without a viewer.
                """,
            appearance: """
                The finding `tag.after-end`.
                """,
            cause: """
                The player reads ahead, and its tags are handed over when they are read.
                """,
            action: """
                Stop handing over tags at `end`, or pass their media time.
                """,
            source: "guide 002, 3.4; field practice"),
        sentences: [
            "tag.after-end": "the tag comes after the end of the content"
        ],
        applies: { call in
            call.name == .end || call.events.contains { if case .end = $0 { true } else { false } }
                || call.has("tag.after-end")
        })
}

/// `tag.channel`: tags on another channel have other content ids.
struct TagChannel: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("tag.channel"), on: [.playback], worst: .fail,
        notRun: "The log has no tags on two channels: change the channel.",
        expectation: "Tags on another channel have other content ids",
        title: "The tags do not change with the channel",
        meaning: """
            The content ids say who distributes the program. Those of the channel before credit the wrong one.
            """,
        appearance: """
            The first tag after a change of channelName has the content ids of the last tag before.
            """,
        cause: """
            The app changes the name before the player changes the stream, or names the channel wrongly.
            """,
        action: """
            Call `stop`, change the stream, and then call `play` with the name of the new channel.
            """,
        source: "field practice")

    private var before: NielsenTag?
    private var isChanged = false

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .play(let metadata), .load(let metadata):
            guard let old = player.channel, let new = metadata.text("channelname"), old != new else { return }
            before = player.lastTag?.tag
            isChanged = before != nil
        case .tag(let tag) where tag.hasContent && isChanged:
            isChanged = false
            findings.run()
            if tag.pcCID == before?.pcCID, tag.fdCID == before?.fdCID {
                findings.find("the tag has the content ids of the channel before")
            }
        default: break
        }
    }
}

/// `tag.form`: each tag is handed over unaltered, with 249 characters.
struct TagForm: CertificationRule {
    private static let ofSession = FindingRule(
        declaration: CheckDeclaration(
            CheckID("tag.form"), on: [.call, .playback], worst: .fail,
            notRun: "The log has no tag: play a stream with Nielsen tags.",
            expectation: "Each tag is handed over unaltered, with 249 characters",
            title: "A tag is altered or invalid",
            meaning: """
                The collector decrypts the tag as it was inserted. An altered one is not credited.
                """,
            appearance: """
                The findings `tag.unpadded`, `tag.invalid`, `tag.empty` and `tag.too-long`, or a length other than 249.
                """,
            cause: """
                The integration parses the tag and builds it again, or converts its bytes to text in the wrong encoding.
                """,
            action: """
                Pass the bytes of the tag as the player provides them.
                """,
            source: "guide 002, 5.4.3, sendID3; guide 003, DTVR, id3Data"),
        sentences: [
            "tag.unpadded": "an offset of the tag has lost its leading zeros",
            "tag.invalid": "the tag is not text, or is base64 that cannot be decoded",
            "tag.empty": "the tag is empty",
            "tag.too-long": "the tag is longer than any tag",
        ],
        applies: { call in
            !call.isWithheld
                && (call.name == .sendID3 || call.name == .trackEvent && !call.events.isEmpty)
        })

    var declaration: CheckDeclaration { Self.ofSession.declaration }

    func observe(_ call: EvaluatedCall, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        Self.ofSession.observe(call, of: player, &findings)
    }

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard case .tag(let tag) = event, !tag.isUnpadded else { return }
        let count = tag.ownerIdentifier.count
        if count != 249, count <= 32_768 {
            findings.find("the tag has \(DecimalText.count(count, "character")) instead of 249")
        }
    }
}

/// `tag.offset-pause`: after a pause of 30 s the offset of a tag is in range.
struct TagOffsetPause: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("tag.offset-pause"), on: [.playback], worst: .fail,
        notRun: "The log has no tags before and after a pause of 30 s: pause for 30 s.",
        expectation: "After a pause of 30 s the offset of a tag is in range",
        title: "The offset of the tags is out of range after a pause",
        meaning: """
            After a pause playback continues where it was, or at the live picture. An offset before the last one, or \
            beyond the time that passed, is that of another picture.
            """,
        appearance: """
            The first tag after a pause of 30 s has the content id of the last one before, and an offset below it, \
            or above it by more than the time that passed and 30 s.
            """,
        cause: """
            Tags from before the pause are handed over again, or the player jumps without a seek.
            """,
        action: """
            Hand over each tag once, when it is presented.
            """,
        source: "field practice")

    private var before: (tag: NielsenTag, at: Double)?

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        if player.phase == .paused, player.time - player.phaseStart >= 30, before == nil {
            before = player.lastTag
        }
        switch event {
        case .playhead(let seconds):
            // A seek has its own rule.
            if let jump = player.jump(to: seconds), abs(jump) >= 30 { before = nil }
        case .end, .free: before = nil
        case .load where player.isAd: before = nil
        case .tag(let tag) where tag.hasContent:
            guard let old = before else { return }
            before = nil
            guard tag.pcCID == old.tag.pcCID, let from = old.tag.pcOffset, let to = tag.pcOffset else {
                return
            }
            findings.run()
            let passed = player.time - old.at
            if to < from || Double(to - from) > passed + 30 {
                findings.find("the offset goes from \(from) to \(to) in \(number(passed)) s")
            }
        default: break
        }
    }
}

/// `tag.offset-seek`: offsets are smaller after a seek back by 30 s, and larger after a seek forward by 2 min.
struct TagOffsetSeek: CertificationRule {
    var declaration: CheckDeclaration { Self.declared }

    static let declared = CheckDeclaration(
        CheckID("tag.offset-seek"), on: [.playback], worst: .fail,
        notRun: "The log has no tags before and after a seek: seek back by 30 s, and forward by 2 min.",
        expectation:
            "Offsets are smaller after a seek back by 30 s, and larger after a seek forward by 2 min",
        title: "The offset of the tags does not follow a seek",
        meaning: """
            The offset is the position of the tag in its program. One that ignores a seek belongs to another picture \
            than the one on the screen.
            """,
        appearance: """
            The first tag after a seek has the content id of the last one before, and an offset on the wrong side of \
            it.
            """,
        cause: """
            Tags that were read before the seek are handed over after it.
            """,
        action: """
            Drop tags that were read and not presented when a seek begins, or pass their media time.
            """,
        source: "field practice")

    private var direction = 0
    private var before: NielsenTag?

    mutating func observe(_ event: PlayerEvent, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        switch event {
        case .playhead(let seconds):
            guard let jump = player.jump(to: seconds), !player.isAd, !player.isPage else { return }
            if jump <= -30 { direction = -1 } else if jump >= 120 { direction = 1 } else { return }
            before = player.lastTag?.tag
        case .load(let metadata) where PlayerTimeline.type(of: metadata)?.isAd == true: direction = 0
        case .play, .end: direction = 0
        case .tag(let tag) where direction != 0 && tag.hasContent:
            defer { direction = 0 }
            guard let old = before, tag.pcCID == old.pcCID, let from = old.pcOffset, let to = tag.pcOffset
            else { return }
            findings.run()
            if (to - from).signum() != direction {
                findings.find(
                    "the offset goes from \(from) to \(to) after a seek \(direction < 0 ? "back" : "forward")"
                )
            }
        default: break
        }
    }
}

extension FindingRule {
    /// `tag.once`: each tag is handed over once.
    static let tagOnce = FindingRule(
        declaration: CheckDeclaration(
            CheckID("tag.once"), on: [.call], worst: .fail,
            notRun: "The log has no tag: play a stream with Nielsen tags.",
            expectation: "Each tag is handed over once",
            title: "A tag is handed over twice",
            meaning: """
                The same tag twice is one minute that seems to be watched twice. This library counts it as a repeat \
                and stores it once.
                """,
            appearance: """
                The finding `tag.repeat`. In `trackEvent` it is a warning: the sample of guide 003 hands the newest \
                tag over with each event.
                """,
            cause: """
                Audio and video segments carry the same tag, or a handler is registered twice.
                """,
            action: """
                Hand over each tag once; tell them apart by their bytes and their time.
                """,
            source: "guide 002, 5.4.3, sendID3; guide 003, DCR & DTVR; field practice"),
        sentences: [
            "tag.repeat": "the tag is a duplicate of the one before"
        ],
        status: { _, call in
            // Guide 003 passes the newest tag with each event.
            call.interface == .tracked ? .warn : .fail
        },
        applies: { call in
            call.events.contains { if case .tag = $0 { true } else { false } }
        })
}

/// `page.vars`: the `vars` of an AMP page have the keys and values of the guide.
struct PageVars: CertificationRule {
    let declaration = CheckDeclaration(
        CheckID("page.vars"), on: [.page], worst: .fail,
        notRun:
            "The input has no `vars` of an AMP page in Italy: add the JSON of its `amp-analytics` element.",
        expectation: "The `vars` of an AMP page have the keys and values of the guide",
        title: "The `vars` of an AMP page are incomplete or wrong",
        meaning: """
            A page view without these keys is credited to nothing, or not to the AMP pages of the site.
            """,
        appearance: """
            A required key is missing, a value is not one that the guide allows, or `apid` begins with `P` or `T` as \
            that of an SDK.
            """,
        cause: """
            The values of the SDK are copied to the page.
            """,
        action: """
            Use the keys in the table of the guide, with the ID without its prefix and `Google AMP` in `segC`.
            """,
        source: "guide 000, DCR Italy Static AMP, Metadata keys")

    mutating func observe(page: Metadata, of player: PlayerTimeline, _ findings: inout RuleFindings) {
        guard player.market == .it else { return }
        findings.run()
        let validator = MetadataValidator(.italyAMP)
        let ofApp = validator.violations(ofApp: page)
        for violation in ofApp + validator.violations(ofAsset: page).filter({ !ofApp.contains($0) }) {
            findings.find(
                violation.kind == .missing
                    ? "a required key is missing" : "a key or a value is not as in the guide",
                of: violation)
        }
        if let id = page.text("apid"), let first = id.first, first == "P" || first == "T" {
            let subject = Finding.Subject(
                key: "apid", value: String(id.prefix(100)), expected: "an ID without `P` or `T`", source: nil)
            findings.find("the ID has the prefix of an SDK", subject)
        }
    }
}

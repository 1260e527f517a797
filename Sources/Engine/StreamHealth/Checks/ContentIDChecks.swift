package import NielsenID3

/// `info.cids`: both CIDs of an INFO tag are the null CID.
struct InfoCIDs: HealthCheck {
    static let declaration = CheckDeclaration(
        .infoCIDs, on: [.tag], worst: .fail, needsOnlyOwner: true,
        notRun: "No INFO tag was read.",
        expectation: "INFO tags have the null CID",
        title: "An INFO tag has a content id",
        meaning: """
            An INFO tag describes the inserter, not content: both CIDs must be the null CID. An INFO tag with another
            CID is invalid.
            """,
        appearance: """
            A tag of kind `info` whose `pc_cid` or `fd_cid` is not `X100zdCIGeIlgZnkYj6UvQ==`.
            """,
        cause: """
            A faulty inserter version, or a tool that rewrites the content ids of every tag regardless of its kind.
            """,
        action: """
            If the tag is already like this at the inserter's output, its vendor must fix it. If not, remove the tool
            that changes the tags: they must reach the player unaltered.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let tag) = event else { return }
        ledger.report(.infoCIDs, of: tag, Self.detail(of: tag.occurrence.tag))
    }

    private static func detail(of tag: NielsenTag) -> String {
        var found: [String] = []
        if let id = tag.pcCID, !id.isNull { found.append("PC CID \(id)") }
        if let id = tag.fdCID, !id.isNull { found.append("FD CID \(id)") }
        return "an INFO tag has the \(found.joined(separator: " and the ")): both must be null"
    }
}

/// `info.offsets`: both offsets of an INFO tag are 0.
struct InfoOffsets: HealthCheck {
    static let declaration = CheckDeclaration(
        .infoOffsets, on: [.tag], worst: .fail, needsOnlyOwner: true,
        notRun: "No INFO tag was read.",
        expectation: "INFO tags have offsets of 0",
        title: "An INFO tag has a nonzero offset",
        meaning: """
            An offset is the position of the content within the broadcast day of its content id. An INFO tag has no
            content, so both offsets must be 00000.
            """,
        appearance: """
            A tag of kind `info` whose `pc_offset` or `fd_offset` is not 0.
            """,
        cause: """
            A faulty inserter version, or a tool that writes offsets into every tag regardless of its kind.
            """,
        action: """
            As for `info.cids`: find the first hop whose output has it.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let tag) = event else { return }
        ledger.report(.infoOffsets, of: tag, Self.detail(of: tag.occurrence.tag))
    }

    private static func detail(of tag: NielsenTag) -> String {
        var found: [String] = []
        if let offset = tag.pcOffset, offset != 0 { found.append("PC offset \(offset)") }
        if let offset = tag.fdOffset, offset != 0 { found.append("FD offset \(offset)") }
        return "an INFO tag has the \(found.joined(separator: " and the ")): both must be 0"
    }
}

/// `cid.offset-of-null`: the offset of a null CID is 0.
///
/// `info.offsets` checks INFO tags, whose offsets are always 0.
struct OffsetOfNull: HealthCheck {
    static let declaration = CheckDeclaration(
        .offsetOfNull, on: [.tag], worst: .fail, needsOnlyOwner: true,
        notRun: "No DATA tag was read.",
        expectation: "A null CID has an offset of 0",
        title: "A null content id has a nonzero offset",
        meaning: """
            A null CID means that no watermark of this kind was heard. An offset has no reference point then, so it must
            be 00000.
            """,
        appearance: """
            `pc_cid` is `X100zdCIGeIlgZnkYj6UvQ==` with a `pc_offset` other than 0, or the same for FD.
            """,
        cause: """
            An inserter that keeps the last offset when it loses the watermark, or a tool that clears content ids but
            not their offsets.
            """,
        action: """
            Check whether the tag is already like this at the inserter's output. If so, report it to the vendor with the
            tag from the finding.
            """)

    func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .tag(let tag) = event else { return }
        ledger.report(.offsetOfNull, of: tag, Self.detail(of: tag.occurrence.tag))
    }

    private static func detail(of tag: NielsenTag) -> String {
        var found: [String] = []
        for (name, id, offset) in [
            ("PC", tag.pcCID, tag.pcOffset), ("FD", tag.fdCID, tag.fdOffset),
        ] {
            guard let id, id.isNull, let offset, offset != 0 else { continue }
            found.append("the \(name) CID is null and its offset is \(offset)")
        }
        return "\(found.joined(separator: ", ")): the offset of a null CID must be 0"
    }
}

extension CheckID {
    /// `cid.null-run`.
    package static let nullRun = CheckID("cid.null-run")
}

extension HealthLimit {
    /// `cid.null-run`: the maximum number of consecutive DATA tags with a null CID.
    public static let nullRun = HealthLimit(
        "limit-null-run", 3, "tags",
        "cid.null-run: maximum number of consecutive DATA tags with a null CID")
}

/// `cid.null-run`: a content id that was set stays null for at most three DATA tags.
struct NullRun: HealthCheck {
    static let declaration = CheckDeclaration(
        .nullRun, on: [.runTag], worst: .warn, limits: [.nullRun], rowLimit: .nullRun, needsOnlyOwner: true,
        notRun: "No content id was set on a DATA tag that another one follows.",
        expectation: "A CID that was set does not stay null for long",
        title: "A content id became null and has stayed null",
        meaning: """
            A CID was set and has been null for more than three DATA tags, about 30 s: the inserter no longer hears that
            watermark, of the content (PC) or the distributor (FD). The current content is credited through the other
            CID or not at all. After a change of source, 10 to 20 s without it are normal.
            """,
        appearance: """
            Runs of `X100zdCIGeIlgZnkYj6UvQ==` in one of the two columns, while the other column still has values.
            """,
        cause: """
            A local break or content without that watermark; a switch to an audio track without it; or audio processing
            that removes one of the watermarks.
            """,
        action: """
            Compare with the schedule. If the content should have the watermark, ask the party that encodes it: the
            producer for PC, the station or network for FD.
            """)

    /// The number of consecutive tags with a null content id; nil until the id is first set.
    private var counts = PerContentID<Int?>(repeating: nil)

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .runTag(let tag, let place, _) = event else { return }
        for role in ContentIDRole.allCases {
            guard let id = tag.tag.contentID(role) else { continue }
            guard let count = counts[role] else {
                if !id.isNull { counts[role] = 0 }
                continue
            }
            ledger.markRun(Self.id)
            counts[role] = id.isNull ? count + 1 : 0
            let limit = ledger.policy.count(.nullRun)
            guard id.isNull, count == limit else { continue }
            ledger.report(
                Self.id, .warn, at: place,
                "the \(role.rawValue) CID was set and is null for more than \(limit) DATA tags: the watermark is no "
                    + "longer heard")
        }
    }
}

extension CheckID {
    /// `cid.offset-advance`.
    package static let offsetAdvance = CheckID("cid.offset-advance")
}

extension HealthLimit {
    /// `cid.offset-advance`: the difference above which the check warns.
    public static let offsetWarn = HealthLimit(
        "limit-offset-warn", 10, "s",
        "cid.offset-advance: difference above which the check warns")
    /// `cid.offset-advance`: the difference above which the check fails.
    public static let offsetFail = HealthLimit(
        "limit-offset-fail", 15, "s",
        "cid.offset-advance: difference above which the check fails")
}

/// `cid.offset-advance`: the offset of a content id advances at the same rate as the tags' last time.
///
/// The reference is the previous DATA tag with the same content id, without a discontinuity or a null id between them.
struct OffsetAdvance: HealthCheck {
    static let declaration = CheckDeclaration(
        .offsetAdvance, on: [.runTag], worst: .fail, clock: .tag, limits: [.offsetWarn, .offsetFail],
        rowLimit: .offsetWarn,
        needsOnlyOwner: true,
        notRun: "No run has two DATA tags with the same content id.",
        expectation: "The offset of a CID advances with the tag clock",
        title: "An offset does not advance with the tag clock",
        meaning: """
            While a CID stays the same, its offset advances by as many seconds as the tag's last time. Here the two
            differ: the content jumped within one broadcast day, or the offset is wrong.
            """,
        appearance: """
            For example, `last` advances by 10 and `fd_offset` by 40 or by 0. The finding has both values.
            """,
        cause: """
            Recorded content that was edited or looped after watermark encoding; a discontinuity that was not signaled
            as EXT-X-DISCONTINUITY; or a watermark heard from two sources in turn (crosstalk, or a mix of two channels).
            """,
        action: """
            Check the picture at that point. If the content jumps, the playlist must signal it with EXT-X-DISCONTINUITY.
            If not, look for a second source in the audio path before the inserter.
            """)

    /// The maximum number of content ids to remember, for sources that alternate.
    private static let capacity = 4

    private struct Point: Sendable {
        let id: ContentID
        let offset: Int
        let lastTime: UInt32
    }

    /// The latest point of each content id, the newest last.
    private var points = PerContentID<[Point]>(repeating: [])

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .runTag(let tag, let place, _) = event else { return }
        for role in ContentIDRole.allCases {
            ledger.report(Self.id, check(tag.tag, role, ledger.policy), at: place)
        }
    }

    private mutating func check(_ tag: NielsenTag, _ role: ContentIDRole, _ policy: HealthPolicy)
        -> CheckResult
    {
        guard let id = tag.contentID(role), let offset = tag.offset(role), let lastTime = tag.lastTime else {
            return .notRun
        }
        guard !id.isNull else {
            points[role] = []
            return .notRun
        }
        let before = points[role].first { $0.id == id }
        points[role].removeAll { $0.id == id }
        points[role].append(Point(id: id, offset: offset, lastTime: lastTime))
        if points[role].count > Self.capacity { points[role].removeFirst() }
        guard let before else { return .notRun }
        let advance = offset - before.offset
        let elapsed = Int(lastTime) - Int(before.lastTime)
        let difference = Double((advance - elapsed).magnitude)
        let warn = policy[.offsetWarn]
        let fail = policy[.offsetFail]
        guard difference > min(warn, fail) else { return .pass }
        return .violation(
            difference > fail ? .fail : .warn,
            "the \(role.rawValue) offset goes from \(before.offset) to \(offset), by \(SecondsText(advance)), while "
                + "the last time advances by \(SecondsText(elapsed)): up to \(SecondsText(warn)) of difference is "
                + "normal, more than \(SecondsText(fail)) is not counted (clock: tag)")
    }
}

extension CheckID {
    /// `cid.change`.
    package static let cidChange = CheckID("cid.change")
}

/// `cid.change`: reports, as information, that a content id differs from the previous one.
///
/// This happens at a change of source and at the start of a broadcast day.
struct CIDChange: HealthCheck {
    static let declaration = CheckDeclaration(
        .cidChange, on: [.runTag], worst: .pass, needsOnlyOwner: true,
        notRun: "No run has two DATA tags with a content id.",
        expectation: "Changes of source and starts of a broadcast day, as information",
        title: "A content id changes",
        meaning: """
            From this tag on, the content comes from another source or belongs to another broadcast day. This is
            information: it happens at a change of source, at a local break, and when the broadcast day starts at 3 a.m.
            """,
        appearance: """
            `pc_cid` or `fd_cid` differs from the previous DATA tag. Equal text means the same source and the same day.
            """,
        cause: """
            A change of source or day, as described above; nothing is wrong. A content id that alternates from tag to
            tag suggests that two sources are mixed.
            """,
        action: """
            Nothing, unless the change comes where the schedule has none.
            """)

    /// The latest content ids that were not null.
    private var last = PerContentID<ContentID?>(repeating: nil)

    mutating func judge(_ event: StreamEvent, into ledger: inout CheckLedger) {
        guard case .runTag(let tag, let place, _) = event else { return }
        for role in ContentIDRole.allCases {
            guard let id = tag.tag.contentID(role), !id.isNull else { continue }
            defer { last[role] = id }
            guard let before = last[role] else { continue }
            ledger.markRun(Self.id)
            guard before != id else { continue }
            ledger.report(
                Self.id, .pass, at: place,
                "the \(role.rawValue) CID changes from \(before) to \(id): a new source or a new broadcast day"
            )
        }
    }
}

/// The role of one of a tag's two content ids.
enum ContentIDRole: String, CaseIterable, Sendable {
    /// Program content.
    case program = "PC"
    /// Final distributor.
    case distributor = "FD"
}

extension NielsenTag {
    func contentID(_ role: ContentIDRole) -> ContentID? { role == .program ? pcCID : fdCID }

    func offset(_ role: ContentIDRole) -> Int? { role == .program ? pcOffset : fdOffset }
}

/// A value for each of the two content ids of a tag.
struct PerContentID<Value: Sendable>: Sendable {
    private var program: Value
    private var distributor: Value

    init(repeating value: Value) {
        program = value
        distributor = value
    }

    subscript(role: ContentIDRole) -> Value {
        get { role == .program ? program : distributor }
        set { if role == .program { program = newValue } else { distributor = newValue } }
    }
}

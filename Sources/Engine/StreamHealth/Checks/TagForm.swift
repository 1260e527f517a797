import NielsenID3

/// The checks of how a tag is written, `id3.malformed`, `tag.header`, `tag.tail` and `tag.format`, of which one often
/// follows from another.
enum TagForm {
    /// Judges a tag, each finding that follows from another under that one.
    static func judge(_ tag: PlacedTag, in context: TagContext, into ledger: inout CheckLedger) {
        let malformed = MalformedTagCheck.judge(tag.observed)
        let header = TagHeaderCheck.judge(tag.observed, in: context)
        let tail = TagTailCheck.judge(tag.observed, in: context)
        let format = TagFormatCheck.judge(tag.observed, in: context)
        let all: [(id: CheckID, judgement: Judgement)] = [
            (.id3Malformed, malformed), (.tagHeader, header), (.tagTail, tail), (.tagFormat, format),
        ]
        let hits = all.filter { $0.judgement.isHit }.map(\.id)
        let root = root(of: tag.observed.tag, hits: hits)
        var consequences: [Finding.Consequence] = []
        for (id, judgement) in all where root.map({ Self.follows(id, from: $0) }) == true {
            guard case .hit(let status, let detail) = judgement else { continue }
            consequences.append(.init(check: id, status: status, detail: detail))
        }
        for (id, judgement) in all {
            switch judgement {
            case .notJudged: break
            case .pass: ledger.look(id)
            case .hit(let status, let detail):
                if id == root {
                    ledger.report(id, status, at: tag.place, detail, consequences: consequences)
                } else if !consequences.contains(where: { $0.check == id }) {
                    ledger.report(id, status, at: tag.place, detail)
                }
            }
        }
    }

    /// The hit from which the others follow; nil where each stands by itself.
    private static func root(of tag: NielsenTag, hits: [CheckID]) -> CheckID? {
        if hits.contains(.id3Malformed) { return .id3Malformed }
        guard hits.contains(.tagFormat) else { return nil }
        // Bytes in the place of the final zero run on from the owner identifier.
        if tag.formatDefect?.piece == .end, hits.contains(.tagTail) { return .tagTail }
        // An owner identifier of another length moves the tail, and stands in the sizes of the header.
        return tag.ownerIdentifier.count == 249 ? nil : .tagFormat
    }

    private static func follows(_ id: CheckID, from root: CheckID) -> Bool {
        switch root {
        case .id3Malformed: id != .id3Malformed
        case .tagFormat: id == .tagHeader || id == .tagTail
        case .tagTail: id == .tagFormat
        default: false
        }
    }
}

extension Judgement {
    var isHit: Bool { if case .hit = self { true } else { false } }
}

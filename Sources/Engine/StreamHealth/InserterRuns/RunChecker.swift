import NielsenID3

/// Checks the steps between the tags of a run and records the results.
struct RunChecker {
    let policy: HealthPolicy
    var ledger: CheckLedger

    /// Checks the time between two DATA tags with consecutive numbers.
    mutating func checkTime(from last: UInt32, to first: UInt32, brokenCount: Int, at place: Finding.Place) {
        let distance = Int(first) - Int(last)
        switch TimeGap.check(
            distance, from: last, to: first, brokenCount: brokenCount, unread: place.unreadSegments,
            policy: policy)
        {
        case .violation(_, let detail): ledger.report(.timeGap, .warn, at: place, detail)
        case .pass, .notRun: break
        }
        switch TimeOverlap.check(distance, from: last, to: first, policy: policy) {
        case .violation(let status, let detail): ledger.report(.timeOverlap, status, at: place, detail)
        case .pass, .notRun: break
        }
    }

    /// Checks a place where the sequence does not advance by one.
    mutating func check(_ step: PendingStep) {
        ledger.markRun(.sequenceStep)
        if step.isReplay {
            let numbers = Finding.Consequence(
                check: .sequenceStep, status: .warn, detail: SequenceStep.sentence(for: step))
            ledger.report(
                .timeOverlap, step.kind == .replacement ? .warn : .fail, at: step.place,
                TimeOverlap.replay(at: step), consequences: [numbers])
            return
        }
        guard step.kind != .ahead || !step.missing.isEmpty || step.lateCount > 0 else {
            // A late INFO tag or a broken tag fills the place, so only the time needs checking.
            if case .distance(_, let last, let first) = step.timing {
                checkTime(from: last, to: first, brokenCount: step.brokenCount, at: step.place)
            }
            return
        }
        let detail = SequenceStep.sentence(for: step)
        if step.kind == .ahead, step.missing.isEmpty {
            ledger.report(.sequenceStep, .warn, at: step.place, detail, consequences: step.lateOverlaps)
            return
        }
        // Content on the other side of a discontinuity has its own times, and a restart takes time.
        if step.kind == .replacement {
            ledger.report(.sequenceStep, .warn, at: step.place, "\(detail) \(SequenceStep.meaning(of: step))")
            return
        }
        if step.kind != .restart, case .distance(let distance, let last, let first) = step.timing {
            switch TimeGap.check(
                distance, from: last, to: first, brokenCount: step.brokenCount,
                unread: step.place.unreadSegments, policy: policy)
            {
            case .violation(let status, let gap):
                let cause = step.place.unreadSegments.map { "\($0)" } ?? "tags were lost"
                ledger.report(
                    .sequenceStep, .fail, at: step.place, "\(detail), and time is missing too: \(cause)",
                    consequences: [.init(check: .timeGap, status: status, detail: gap)])
                return
            case .pass, .notRun: break
            }
        }
        if case .distance(let distance, let last, let first) = step.timing {
            switch TimeOverlap.check(distance, from: last, to: first, policy: policy) {
            case .violation(let status, let overlap):
                ledger.report(
                    .timeOverlap, status, at: step.place, overlap,
                    consequences: [.init(check: .sequenceStep, status: .warn, detail: detail)])
                return
            case .pass, .notRun: break
            }
        }
        ledger.report(
            .sequenceStep, .warn, at: step.place,
            detail + (step.kind == .restart ? "" : " ") + SequenceStep.meaning(of: step))
    }

    /// Runs a check of the run on a DATA tag.
    mutating func run(_ check: inout any RunCheck, on tag: PlacedTag) {
        let id = type(of: check).id
        for result in check.check(tag.occurrence, by: policy) {
            switch result {
            case .notRun: break
            case .pass: ledger.markRun(id)
            case .violation(let status, let detail): ledger.report(id, status, at: tag.place, detail)
            }
        }
    }
}

import MarketProfiles
import NielsenID3
import TimedMedia

/// Tags: each tag handed over is stored, or counted with the reason why it is not.
extension SessionMachine {
    mutating func sendID3(_ call: SessionCall, at now: Duration, _ step: inout SessionStep) {
        var mediaTime: Double?
        if let value = call.argument(1) {
            mediaTime = Playhead.seconds(value.finiteNumber)?.seconds
            if mediaTime == nil { step.find(.valueType) }
        }
        let tags = call.tags ?? ParsedTag.tags(in: call.argument(0))
        take(tags, mediaTime: mediaTime, form: call.form, &step)
    }

    /// Handles parsed tags; the outcome of the call is the best one of any tag.
    mutating func take(
        _ tags: [ParsedTag], mediaTime: Double?, form: SessionCall.Form, _ step: inout SessionStep
    ) {
        var outcomes: [CallOutcome] = []
        for tag in tags {
            let outcome = take(tag, mediaTime: mediaTime, form: form, &step)
            count(outcome)
            outcomes.append(outcome)
        }
        let order: [CallOutcome] = [.stored, .held, .repeat, .discarded, .ignored]
        step.result.outcome = order.first { outcomes.contains($0) } ?? .invalid
    }

    private mutating func take(
        _ tag: ParsedTag, mediaTime: Double?, form: SessionCall.Form, _ step: inout SessionStep
    ) -> CallOutcome {
        if isFinished || state == .disabled || isOptedOut && !policy.sendsOptedOut { return .discarded }
        switch tag {
        case .other: return .ignored
        case .empty: return refuse(.tagEmpty, &step)
        case .invalid: return refuse(.tagInvalid, &step)
        case .tooLong: return refuse(.tagTooLong, &step)
        case .nielsen(let tag): return keep(tag, mediaTime: mediaTime, form: form, &step)
        }
    }

    private func refuse(_ finding: SessionFinding, _ step: inout SessionStep) -> CallOutcome {
        step.find(finding)
        step.report(.id3Data)
        return .invalid
    }

    private mutating func keep(
        _ tag: NielsenTag, mediaTime: Double?, form: SessionCall.Form, _ step: inout SessionStep
    ) -> CallOutcome {
        var viewing = viewingForTag(form, &step)
        defer { self.viewing = viewing }
        if !viewing.isFirstTagChecked {
            viewing.isFirstTagChecked = true
            if form == .app, !viewing.hasPlay { step.find(.playMissing) }
            if !viewing.hasMetadata { step.find(.metadataMissing) }
        }
        if viewing.lastOwner == tag.ownerIdentifier, !policy.keepsRepeats {
            step.find(.tagRepeat)
            return .repeat
        }
        if tag.isUnpadded { step.find(.tagUnpadded) }
        let position = playhead.position
        let isHeld = mediaTime.map { time in position.map { $0 < time } ?? true } ?? false
        let place = SessionPlace(
            id: viewing.id, order: viewing.tagCount, channel: viewing.channel, asset: asset?.id,
            assetType: asset?.typeText, playhead: position, mediaTime: mediaTime, isPresented: !isHeld,
            optedOutStore: optedOutStore)
        let kept = KeptTag(
            number: keptCount,
            occurrence: TagOccurrence(
                tag: tag, origin: .session(place, TagPlace(source: "")), time: nil, seconds: nil,
                carriage: .player), isHeld: isHeld)
        viewing.tagCount += 1
        viewing.lastOwner = tag.ownerIdentifier
        keptCount += 1
        step.actions.append(.store(kept))
        guard isHeld else { return .stored }
        if let oldest = held.add(kept) { flush(oldest, &step) }
        return .held
    }

    /// Returns the viewing session that a tag belongs to; opens or resumes one if necessary.
    private mutating func viewingForTag(
        _ form: SessionCall.Form, _ step: inout SessionStep
    ) -> ViewingSession {
        if var viewing {
            if viewing.isInterrupted, form != .tracked { step.find(.tagAfterStop) }
            viewing.resume()
            return viewing
        }
        switch ending {
        case .none: step.find(.tagBeforeStart)
        case .end: step.find(.tagAfterEnd)
        case .background: step.find(.tagInBackground)
        }
        let background = ending
        open(lastChannel, form: form)
        if case .background(let before) = background {
            viewing?.hasPlay = before.hasPlay
            viewing?.hasMetadata = before.hasMetadata
        }
        // `open` has set `viewing`.
        return viewing ?? ViewingSession(id: "", channel: nil, form: form)
    }
}

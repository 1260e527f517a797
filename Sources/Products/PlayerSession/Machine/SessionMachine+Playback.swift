import MarketProfiles

/// Playback: the channel, the playhead, and interruptions.
extension SessionMachine {
    mutating func play(_ call: SessionCall, at now: Duration, _ step: inout SessionStep) {
        var information: Metadata?
        var position = call.argument(1)
        if let first = call.argument(0) {
            if first.finiteNumber != nil {
                position = position ?? first
            } else {
                information = Metadata(first, names: policy.names)
                if information == nil {
                    step.find(.valueType)
                    step.fail(.playJSON)
                }
            }
        }
        if let information { validate(validator.violations(ofPart: information), &step) }
        let channel = channelName(in: information, &step)
        if var current = viewing, channel == nil || current.channel == nil || current.channel == channel {
            if !current.isInterrupted, current.hasPlay || channel == nil { step.find(.playHeartbeat) }
            current.resume()
            current.hasPlay = true
            if let channel { name(channel, &current) }
            viewing = current
        } else {
            if viewing != nil { change(&step) }
            asset = nil
            playhead = Playhead()
            open(channel, form: call.form)
            viewing?.hasPlay = true
        }
        followSource(in: information)
        if let position { move(to: position, at: now, &step) }
    }

    /// Returns the channel that metadata names; nil if it names none.
    func channelName(in metadata: Metadata?, _ step: inout SessionStep) -> String? {
        guard let value = metadata?["channelname"] else { return nil }
        guard let channel = value.scalarText else {
            step.find(.valueType)
            return nil
        }
        if channel.count > 32 { step.find(.channelTooLong) }
        // Limited to the room that a record has next to its tag.
        return channel.isEmpty ? nil : String(channel.prefix(PlayedAsset.maximumTextLength))
    }

    mutating func name(_ channel: String, _ viewing: inout ViewingSession) {
        viewing.channel = channel
        lastChannel = channel
    }

    /// Closes the viewing session, because another channel follows.
    mutating func change(_ step: inout SessionStep) {
        close(.none, &step)
        playhead = Playhead()
    }

    mutating func setPlayhead(_ call: SessionCall, at now: Duration, _ step: inout SessionStep) {
        guard let position = call.argument(0), Playhead.seconds(position.finiteNumber) != nil else {
            step.find(.playheadInvalid)
            step.fail(.playhead)
            return
        }
        guard var current = viewing else {
            step.find(.callOutOfOrder)
            return
        }
        if current.isInterrupted {
            if call.form != .tracked { step.find(.tagAfterStop) }
        } else if playhead.isGap(at: now) {
            step.find(.playheadGap)
        }
        current.resume()
        viewing = current
        move(to: position, at: now, &step)
    }

    /// Handles a position that came with a call: presents or flushes the tags that were held until then.
    mutating func move(to value: MetadataValue, at now: Duration, _ step: inout SessionStep) {
        guard let (position, wasMilliseconds) = Playhead.seconds(value.finiteNumber) else {
            step.find(.playheadInvalid)
            step.report(.playhead)
            return
        }
        if wasMilliseconds { step.find(.playheadMilliseconds) }
        let isOfOtherAsset = playhead.isOfOtherAsset
        let movement = playhead.move(to: position, at: now)
        progress.move(to: position, movement)
        switch movement {
        case .on: break
        case .back:
            if !isOfOtherAsset { step.find(.playheadBackwards) }
            flush(&step)
        case .forward: flush(&step)
        }
        for tag in held.takePresented(at: position) {
            step.actions.append(.present(tag.released(isPresented: true)))
        }
    }

    mutating func pause(_ call: SessionCall, at now: Duration, _ step: inout SessionStep) {
        if let position = call.argument(0) { move(to: position, at: now, &step) }
        if viewing?.isInterrupted ?? true { step.find(.callOutOfOrder) }
        viewing?.isPaused = true
    }

    mutating func stop(_ call: SessionCall, at now: Duration, _ step: inout SessionStep) {
        if let position = call.argument(0) { move(to: position, at: now, &step) }
        if viewing?.isStopped ?? true { step.find(.callOutOfOrder) }
        flush(&step)
        viewing?.isStopped = true
    }

    mutating func end(_ call: SessionCall, at now: Duration, _ step: inout SessionStep) {
        if let position = call.argument(0) { move(to: position, at: now, &step) }
        if viewing == nil { step.find(.callOutOfOrder) }
        // `.end`, because an advertisement may still follow on the same channel.
        close(.end, &step)
    }
}

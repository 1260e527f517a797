import ID3v2
import NielsenID3

/// The playback of a player: the viewing session, the asset in it, the playhead, and the tags that wait for it.
struct Playback: Sendable {
    private var viewing: Viewing
    private var asset: PlayedAsset?
    private var values = LimitedValues()
    /// The content of the viewing session, which an advertisement may interrupt.
    private var content: PlayedAsset?
    /// The same advertisement, loaded again after `stop`, until a playhead shows whether it continues or starts again.
    private var again: PlayedAsset?
    /// The time of the last call.
    private var lastCall: (time: Duration, wall: WallTime)?
    private var playhead = Playhead()
    private var pending = PendingTags()
    private var records: PlaybackRecords
    /// The last asset loaded through the Simplified API.
    var tracked: TrackedAsset?
    private let makeID: @Sendable () -> String

    init(makeID: @escaping @Sendable () -> String) {
        self.makeID = makeID
        viewing = Viewing(makeID: makeID)
        records = PlaybackRecords(makeID: makeID)
    }

    /// The user's choice, which is part of every record.
    var choice: OptOutChoice { records.choice }

    /// Whether a viewing session is open.
    var isViewing: Bool { viewing.isOpen }

    /// Whether a viewing session is open and stopped.
    var isStopped: Bool { viewing.current?.isStopped == true }

    /// The channel of the open viewing session; nil if it has none.
    var channel: String? { viewing.current?.channel }

    /// Adds the numbers that playback counts.
    func count(in counts: inout SessionCounts) {
        counts.held = pending.count
        counts.flushed = pending.flushedCount
        counts.sessions = viewing.count
    }

    /// Begins the app session of an app that has been initialized.
    mutating func begin(_ information: Metadata, market: String?, _ step: inout SessionStep) {
        records.begin(information, market: market, &step)
    }

    /// Follows the time of the calls: more than 30 minutes without one are a pause (guide 003, "Event types").
    mutating func follow(_ step: inout SessionStep) {
        defer { lastCall = (step.time, step.wall) }
        guard let lastCall, step.time - lastCall.time > Playhead.longestGap,
            viewing.current?.isInterrupted == false
        else { return }
        step.find(.playheadGap)
        records.interrupt(at: lastCall.time, wall: lastCall.wall)
    }

    // MARK: Channel and asset

    mutating func play(_ call: SessionCall, _ step: inout SessionStep) {
        var information: Metadata?
        var position = call.argument(1)
        if let first = call.argument(0) {
            if first.finiteNumber != nil {
                position = position ?? first
            } else {
                information = step.requiredMetadata(first, or: .playJSON)
            }
        }
        if let information { step.validate(channel: information) }
        let channel = step.channelName(in: information)
        let count = viewing.count
        // A page that was shown before (guide 001, "Sample API sequence") is another viewing session.
        let isAfterPage = asset?.isPage == true && viewing.current?.hasPlay == false
        if let current = viewing.current, !isAfterPage,
            channel == nil || current.channel == nil || current.channel == channel
        {
            if current.isOver, step.profile.id == MarketProfile.unitedStates.id {
                reopen(&step)
            } else {
                if !current.isInterrupted, !current.isReturned, current.hasPlay || channel == nil,
                    !isUnknown(information)
                {
                    step.find(.playHeartbeat)
                }
                viewing.current?.resume()
            }
            if let channel { viewing.name(channel) }
        } else {
            if isViewing { close(&step) }
            asset = nil
            playhead = Playhead()
            viewing.open(channel)
        }
        viewing.current?.recordPlay()
        records.describe(information, isOther: viewing.count != count, in: viewing, of: asset)
        if asset != nil, viewing.current?.isReopened == false { announce(&step) }
        if let position { move(to: position, &step) }
    }

    /// Whether the log of a user who has opted out leaves open which channel plays now, or whether a page was shown.
    private func isUnknown(_ information: Metadata?) -> Bool {
        guard choice.isOptedOut else { return false }
        return information?.hasNull("channelname") ?? false
            || asset.map { $0.metadata.hasNull("type") } ?? false
    }

    /// Opens another viewing session, because `stop` ended the one before (guide 002, 5.2 and 5.4 stop).
    ///
    /// The asset continues in it, unless another one is loaded before anything plays.
    private mutating func reopen(_ step: inout SessionStep) {
        if records.hasPlayback { records.conclude(asset, in: &viewing, &step) }
        again = nil
        playhead.changeAsset()
        viewing.reopen()
    }

    /// Loads the asset of a call; `type` is that of an asset whose metadata names none.
    mutating func loadMetadata(_ call: SessionCall, type: AssetType? = nil, _ step: inout SessionStep) {
        guard var metadata = step.requiredMetadata(call.argument(0), or: .metadataJSON) else { return }
        if let type, metadata.text("type") == nil {
            metadata = metadata.updated(with: Metadata(members: [.init("type", .text(type.rawValue))]))
        }
        load(metadata, &step)
        if let position = call.argument(1) { move(to: position, &step) }
    }

    /// Makes the asset with this metadata the one that is playing.
    mutating func load(_ metadata: Metadata, _ step: inout SessionStep) {
        step.validate(asset: metadata)
        values.add(metadata, &step)
        let channel = step.channelName(in: metadata)
        let next = PlayedAsset(metadata)
        if next.isTruncated { step.find(.keyLength) }
        // An advertisement that is interrupted continues after `stop` (guide 004, "Use case 2"), and one that is over
        // is shown again: the next playhead tells. `adStop` is the end of an advertisement.
        let isAgain = next.isAd && isStopped
        let mayContinue = isAgain && step.interface != .tracked && records.hasPlayhead
        let replaced = asset.flatMap { $0.isSame(as: next) && (!isAgain || mayContinue) ? nil : $0 }
        if mayContinue, asset != nil, replaced == nil {
            viewing.current?.resume()
            again = next
            return
        }
        let isReopened = viewing.current?.isReopened == true && !records.hasPlayback
        if replaced != nil, !isReopened { records.conclude(asset, in: &viewing, &step) }
        if let known = viewing.current?.channel, let channel, known != channel {
            close(&step)
            playhead = Playhead()
            viewing.open(channel)
            records.forgetChannel()
        } else if let current = viewing.current {
            if let replaced, replaced.isAd, !current.isStopped { step.find(.adNotClosed) }
            viewing.current?.resume()
            if let channel { viewing.name(channel) }
        } else if viewing.hasEnded, next.isAd {
            // An advertisement after the content belongs to the same channel.
            viewing.open(channel ?? viewing.lastChannel)
            viewing.current?.recordPlay()
        } else {
            viewing.open(channel)
        }
        if asset == nil || replaced != nil { playhead.changeAsset() }
        if replaced != nil { viewing.current?.forgetLastTag() }
        viewing.current?.recordMetadata()
        if !next.isAd { content = next }
        adopt(next, isOther: replaced != nil)
        records.view(next, &step)
        // Without `play`, the channel may follow; after `stop`, `play` may open another viewing session.
        if let current = viewing.current, current.hasPlay, !current.isOver { announce(&step) }
    }

    /// Makes an asset the current one.
    private mutating func adopt(_ next: PlayedAsset, isOther: Bool) {
        records.load(next, after: asset, isOther: isOther, in: viewing)
        asset = next
        again = nil
    }

    /// Continues an advertisement that was loaded again, or begins its next play if the playhead starts again.
    private mutating func resume(_ next: PlayedAsset, at position: Double, _ step: inout SessionStep) {
        let last = playhead.position ?? .infinity
        let continues = position > 0 && position >= last - Playhead.tolerance
        if !continues {
            records.conclude(asset, in: &viewing, &step)
            playhead.changeAsset()
        }
        adopt(next, isOther: !continues)
    }

    /// Records the content that an advertisement is sent with.
    mutating func expect(_ content: PlayedAsset, _ step: inout SessionStep) {
        if asset?.isAd == true { records.expect(content, in: viewing, &step) }
    }

    mutating func updateMetadata(_ call: SessionCall, _ step: inout SessionStep) {
        guard let metadata = step.requiredMetadata(call.argument(0), or: .metadataJSON) else { return }
        step.validate(part: metadata)
        values.add(metadata, &step)
        guard isViewing else {
            step.find(.callOutOfOrder)
            return step.drop()
        }
        if let channel = step.channelName(in: metadata), self.channel == nil { viewing.name(channel) }
        if asset == nil { step.find(.callOutOfOrder) }
        viewing.current?.recordMetadata()
        let corrected = (asset ?? PlayedAsset(Metadata())).corrected(with: metadata)
        if corrected.isTruncated { step.find(.keyLength) }
        adopt(corrected, isOther: false)
        announce(&step)
    }

    /// Continues to measure how long the current asset is viewed, if it is a page.
    mutating func viewPage(_ step: inout SessionStep) {
        if isViewing, let asset { records.view(asset, &step) }
    }

    /// Adopts new metadata of the current asset, if it has changed.
    mutating func replaceMetadata(with metadata: Metadata, _ step: inout SessionStep) {
        guard let asset, !asset.metadata.says(the: metadata) else { return }
        step.validate(asset: metadata)
        adopt(PlayedAsset(metadata), isOther: false)
        announce(&step)
    }

    // MARK: Playhead

    mutating func setPlayhead(_ value: MetadataValue?, _ step: inout SessionStep) {
        guard step.isWithheld || Playhead.seconds(value?.finiteNumber) != nil else {
            step.find(.playheadInvalid)
            step.fail(.playhead)
            return
        }
        guard isViewing else {
            step.find(.callOutOfOrder)
            return step.drop()
        }
        // Playheads alone resume playback (guides 000 and 004, "Interruption scenario"). The session is not copied:
        // this is the most frequent call.
        viewing.current?.recordPlayback()
        if let value { move(to: value, &step) }
    }

    /// Handles a position that came with a call: presents or flushes the tags that were held until then.
    private mutating func move(to value: MetadataValue, _ step: inout SessionStep) {
        guard let (position, wasMilliseconds) = Playhead.seconds(value.finiteNumber) else {
            step.find(.playheadInvalid)
            step.report(.playhead)
            return
        }
        // Guide 003, "Digital TV Ratings, playheadPosition", prints Unix time in milliseconds.
        if wasMilliseconds, step.interface != .tracked { step.find(.playheadMilliseconds, value: value) }
        step.validate(playhead: value)
        if let next = again { resume(next, at: position, &step) }
        let isOfOtherAsset = playhead.isOfOtherAsset
        let movement = playhead.move(to: position, at: step.time)
        if isViewing {
            announce(&step)
            records.move(to: position, movement, &step)
        } else {
            step.drop()
        }
        if movement == .back, !isOfOtherAsset { step.find(.playheadBackwards) }
        if movement != .on {
            viewing.current?.forgetLastTag()
            pending.flush(&step)
        }
        pending.present(at: position, &step)
    }

    // MARK: The device

    /// Records a change of the device that a call reports; nil if the call is invalid.
    mutating func change(_ change: DeviceStatus.Change?, _ step: inout SessionStep) {
        records.change(change, in: viewing, &step)
    }

    mutating func trackViewability(_ call: SessionCall, _ step: inout SessionStep) {
        records.track(call.argument(0), in: viewing, &step)
    }

    // MARK: Interruptions and the end

    mutating func pause(_ call: SessionCall, _ step: inout SessionStep) {
        if let position = call.argument(0) { move(to: position, &step) }
        if viewing.current?.isInterrupted ?? true { step.find(.callOutOfOrder) }
        pause(&step)
    }

    mutating func pause(_ step: inout SessionStep) {
        viewing.current?.pause()
        records.interrupt(at: step.time, wall: step.wall)
    }

    mutating func stop(_ call: SessionCall, _ step: inout SessionStep) {
        if let position = call.argument(0) { move(to: position, &step) }
        if viewing.current?.isStopped ?? true { step.find(.callOutOfOrder) }
        stop(&step)
    }

    mutating func stop(_ step: inout SessionStep) {
        pending.flush(&step)
        viewing.current?.stop()
        viewing.current?.forgetLastTag()
        records.interrupt(at: step.time, wall: step.wall)
    }

    mutating func end(_ call: SessionCall, _ step: inout SessionStep) {
        if let position = call.argument(0) {
            returnToContent(&step)
            move(to: position, &step)
        }
        if !isViewing { step.find(.callOutOfOrder) }
        close(hasEnded: true, &step)
    }

    /// Returns from a stopped advertisement to the content, whose position `end` then passes (guide 000, "DCR Italy
    /// Audio Browser", "Other interrupt scenarios").
    private mutating func returnToContent(_ step: inout SessionStep) {
        guard let content, asset?.isAd == true, isStopped else { return }
        records.conclude(asset, in: &viewing, &step)
        playhead.changeAsset()
        adopt(content, isOther: true)
    }

    /// Closes the viewing session; held tags will not be presented.
    mutating func close(hasEnded: Bool = false, _ step: inout SessionStep) {
        pending.flush(&step)
        records.conclude(asset, in: &viewing, &step)
        // After a page, an advertisement comes before its content.
        viewing.close(hasEnded: hasEnded && asset?.isPage != true)
        content = nil
        again = nil
    }

    /// Closes the viewing session, and forgets what was played.
    mutating func shutDown(_ step: inout SessionStep) {
        close(&step)
        asset = nil
        tracked = nil
        playhead = Playhead()
        records.end(&step)
    }

    /// Records that the app is in the background, where video is interrupted and audio continues.
    mutating func enterBackground(_ step: inout SessionStep) {
        defer { records.endRun(&step) }
        guard isViewing, asset?.isAudio != true, content?.isAudio != true else { return }
        pending.flush(&step)
        records.conclude(asset, in: &viewing, &step)
        viewing.enterBackground()
        again = nil
    }

    mutating func enterForeground(_ step: inout SessionStep) {
        records.beginRun(&step)
        let count = viewing.count
        viewing.enterForeground()
        if viewing.count != count { viewPage(&step) }
    }

    // MARK: The user's choice

    /// Applies the user's choice, from now on.
    mutating func choose(isOut: Bool, _ step: inout SessionStep) {
        if isOut != choice.isOptedOut { adopt(OptOutChoice(store: isOut ? makeID() : nil), &step) }
    }

    /// Adopts a choice: tags before and after it have no id in common.
    mutating func adopt(_ choice: OptOutChoice, _ step: inout SessionStep) {
        if isViewing {
            pending.flush(&step)
            records.conclude(asset, in: &viewing, &step)
            viewing.renew()
            viewPage(&step)
        }
        // No record after a choice has a position from before it.
        playhead = Playhead()
        again = nil
        records.adopt(choice, &step)
    }

    // MARK: Records

    /// Stores a tag, or holds it until the playhead reaches its media time.
    mutating func store(
        _ tag: NielsenTag, mediaTime: Double?, form: SessionCall.Form, _ step: inout SessionStep
    ) -> CallOutcome {
        viewing.expectTag(form, &step)
        if !step.policy.keepsRepeats, viewing.current?.isRepeat(tag) == true {
            step.find(.tagRepeat)
            return .repeat
        }
        if tag.isUnpadded { step.find(.tagUnpadded) }
        announce(&step)
        let position = playhead.position
        let isHeld = mediaTime.map { time in position.map { $0 < time } ?? true } ?? false
        guard let viewed = viewing.current?.add(tag) else { return .discarded }
        var place = records.complete(viewed, asset, playhead: position, step.policy)
        place.mediaTime = mediaTime
        place.isPresented = !isHeld
        let kept = SessionTag(tag, at: place)
        if isHeld {
            pending.hold(kept, &step)
        } else {
            step.write(.store(.tag(kept)))
        }
        return isHeld ? .held : .stored
    }

    /// Writes the records that the next one refers to, if they wait.
    private mutating func announce(_ step: inout SessionStep) {
        // Neither the asset nor the viewing session is copied for most calls.
        if records.isSettled(in: viewing.count) { return }
        records.announce(asset, in: viewing, &step)
    }
}

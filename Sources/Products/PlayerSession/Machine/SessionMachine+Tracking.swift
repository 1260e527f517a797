import MarketProfiles

/// The identity of an asset in the Simplified API.
struct TrackedAsset: Sendable, Hashable {
    let type: String
    let id: String?
    /// The index of an advertisement, which distinguishes two with the same id.
    let index: String?

    var isAd: Bool { type == "ad" }
}

/// The Simplified API: each event describes everything, and is translated into the equivalent calls.
extension SessionMachine {
    mutating func track(_ call: SessionCall, at now: Duration, _ step: inout SessionStep) {
        guard let data = call.argument(0).flatMap({ Metadata($0, names: policy.names) }) else {
            step.find(.valueType)
            step.fail(.metadataJSON)
            return
        }
        if let choice = data.text("optout") {
            if let isOut = Self.optOut(choice) { setOptedOut(isOut, &step) } else { step.find(.valueType) }
        }
        // Not a bare `nil`, which may also be the value `.null`: that would count as a tag.
        let tag = data["id3data"].flatMap { $0 == .text("") ? MetadataValue?.none : $0 }
        guard state != .disabled else {
            step.result.outcome = .discarded
            if tag != nil { take(ParsedTag.tags(in: tag), mediaTime: nil, form: .tracked, &step) }
            return
        }
        let event = data.text("event")?.lowercased() ?? "playhead"
        follow(data, event: event, &step)
        if let position = data["playheadposition"], position != .text("") {
            setPlayhead(SessionCall(.playheadPosition, [position], form: .tracked), at: now, &step)
        }
        if let tag { take(ParsedTag.tags(in: tag), mediaTime: nil, form: .tracked, &step) }
        conclude(event, &step)
    }

    /// Loads the asset of an event, if it is another one.
    private mutating func follow(_ data: Metadata, event: String, _ step: inout SessionStep) {
        let type = data.text("type")?.lowercased() ?? "content"
        let all = data["metadata"].flatMap { Metadata($0, names: policy.names) } ?? Metadata()
        let content = all["content"].flatMap { Metadata($0, names: policy.names) } ?? Metadata()
        let part = all[type].flatMap { Metadata($0, names: policy.names) } ?? Metadata()
        let asset = PlayedAsset(part)
        let next = TrackedAsset(type: type, id: asset.id, index: asset.index)
        // An event for an asset that is already over does not reopen it.
        let isOver = viewing == nil || tracked?.isAd == true && viewing?.isStopped == true
        if next == tracked, viewing != nil || isOver && event != "playhead" { return }
        if tracked?.isAd == true, viewing != nil {
            flush(&step)
            viewing?.isStopped = true
        }
        tracked = next
        var defaults = [MetadataValue.Member("type", .text(type))]
        if let channel = content["channelname"] { defaults.append(.init("channelName", channel)) }
        let metadata = Metadata(members: defaults).updated(with: part)
        validate(validator.violations(ofAsset: metadata), &step)
        load(metadata, form: .tracked, &step)
    }

    /// Applies an event to playback, after its playhead and its tag.
    private mutating func conclude(_ event: String, _ step: inout SessionStep) {
        switch event {
        case "playhead": break
        case "pause": viewing?.isPaused = true
        case "adstop":
            flush(&step)
            viewing?.isStopped = true
        case "complete":
            if tracked?.isAd == true {
                flush(&step)
                viewing?.isStopped = true
            } else if viewing != nil {
                close(.end, &step)
            }
        default: step.find(.callUnknown)
        }
    }
}

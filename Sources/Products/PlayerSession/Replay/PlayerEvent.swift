package import NielsenID3

/// An event of playback that a call reports, whatever the interface of the call.
package enum PlayerEvent: Sendable {
    /// The app is initialized.
    case initialize(Metadata)
    /// A channel plays, or continues.
    case play(Metadata)
    /// An asset plays from now on.
    case load(Metadata)
    /// An asset plays from now on, and the log has null in place of its values.
    case loadWithheld
    /// The metadata of the current asset is corrected.
    case update(Metadata)
    /// The position of playback, in seconds; nil if the log has null in its place.
    case playhead(Double?)
    /// A Nielsen tag is handed over.
    case tag(NielsenTag)
    /// Playback is paused.
    case pause
    /// Playback is stopped, or an advertisement is over.
    case stop
    /// The content is over.
    case end
    /// The app is in the background.
    case background
    /// The app is in the foreground again.
    case foreground
    /// The user chooses whether to be measured.
    case choose(isOut: Bool)
    /// The session is shut down.
    case free
}

extension PlayerEvent {
    /// Returns the events of a call, in order.
    ///
    /// - Parameters:
    ///   - tracked: the last asset of the Simplified API.
    ///   - names: the standard names of the app's keys, by the app's key in lower case.
    ///   - isWithheld: whether the call has null in place of values, because the user has opted out.
    static func events(
        of call: SessionCall, after tracked: inout TrackedAsset?, names: [String: String] = [:],
        isWithheld: Bool = false
    ) -> [PlayerEvent] {
        let first = call.argument(0)
        // Not for the calls without metadata, which are most of a log.
        var metadata: Metadata? { first.flatMap { Metadata($0, names: names) } }
        func position(_ value: MetadataValue?) -> [PlayerEvent] {
            Playhead.seconds(value?.finiteNumber).map { [.playhead($0.seconds)] } ?? []
        }
        func load(_ metadata: Metadata) -> PlayerEvent {
            isWithheld && metadata.text("type") == nil ? .loadWithheld : .load(metadata)
        }
        switch call.name {
        case .initialize: return metadata.map { [.initialize($0)] } ?? []
        case .play:
            let isPosition = first?.finiteNumber != nil
            return [.play(metadata ?? Metadata())] + position(isPosition ? first : call.argument(1))
        case .loadMetadata: return (metadata.map { [load($0)] } ?? []) + position(call.argument(1))
        case .staticStart:
            let type = Metadata(members: [.init("type", .text(AssetType.static.rawValue))])
            return metadata.map { [.load(type.updated(with: $0))] } ?? []
        case .updateMetadata: return metadata.map { [.update($0)] } ?? []
        case .playheadPosition, .setPlayheadPosition:
            return isWithheld && first == nil ? [.playhead(nil)] : position(first)
        case .pause: return position(first) + [.pause]
        case .stop: return position(first) + [.stop]
        case .end: return position(first) + [.end]
        case .staticEnd: return [.end]
        case .sendID3: return Self.tags(call.tags ?? ParsedTag.tags(in: first))
        case .appInBackground: return [.background]
        case .appInForeground: return [.foreground]
        case .processEvent: return Self.ofPage(first)
        case .userOptOut:
            return first?.scalarText.flatMap { OptOutChoice.isOut(address: $0) }.map { [.choose(isOut: $0)] }
                ?? []
        case .free: return [.free]
        case .ggPM:
            return events(of: call.ofBrowser, after: &tracked, names: names, isWithheld: isWithheld)
        case .trackEvent:
            return metadata.map { Self.tracked($0, after: &tracked, names, isWithheld: isWithheld) } ?? []
        default: return []
        }
    }

    private static func tags(_ tags: [ParsedTag]) -> [PlayerEvent] {
        tags.compactMap { tag in
            if case .nielsen(let tag) = tag { .tag(tag) } else { nil }
        }
    }

    private static func ofPage(_ value: MetadataValue?) -> [PlayerEvent] {
        let type = value?.members.flatMap { Metadata(members: $0).text("type") } ?? value?.scalarText
        return switch type?.lowercased() {
        case "blur", "appclose", "appinbackground": [.background]
        case "focus", "appinforeground": [.foreground]
        default: []
        }
    }

    /// Returns the events of an object of the Simplified API.
    private static func tracked(
        _ data: Metadata, after last: inout TrackedAsset?, _ names: [String: String], isWithheld: Bool
    ) -> [PlayerEvent] {
        let event = TrackedEvent(data, names: names)
        var events: [PlayerEvent] = []
        if let isOut = event.choice.flatMap({ OptOutChoice.isOut(text: $0) }) {
            events.append(.choose(isOut: isOut))
        }
        if isWithheld, data.text("event") == nil, data.text("type") == nil {
            // It is not known which of the events is a playhead.
            defer { last = event.asset }
            return last == nil ? events + [.loadWithheld] : events
        }
        // After its end, only a playhead plays an asset again.
        if event.asset != last, !event.ends(last), last != nil || event.kind == "playhead" {
            if last?.isAd == true { events.append(.stop) }
            events.append(.load(event.metadata))
            last = event.asset
        }
        if let position = Playhead.seconds(event.playhead?.finiteNumber) {
            events.append(.playhead(position.seconds))
        }
        if let tag = event.tag { events += tags(ParsedTag.tags(in: tag)) }
        switch event.kind {
        case "pause": events.append(.pause)
        case "adstop":
            events.append(.stop)
            last = nil
        case "complete":
            events.append(event.asset.isAd ? .stop : .end)
            last = nil
        default: break
        }
        return events
    }
}

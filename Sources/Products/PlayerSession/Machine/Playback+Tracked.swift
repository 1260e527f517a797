/// The events of the Simplified API, as the operations of playback.
extension Playback {
    /// Loads the asset of an event, if it is another one.
    mutating func follow(_ event: TrackedEvent, _ step: inout SessionStep) {
        defer { if let content = event.content { expect(content, &step) } }
        // An event for an asset that is already over does not reopen it.
        let isOver = !isViewing || tracked?.isAd == true && isStopped
        if event.ends(tracked) { return }
        if event.asset == tracked, !isOver || event.kind != "playhead" {
            if !isOver { replaceMetadata(with: event.metadata, &step) }
            viewPage(&step)
            return
        }
        if tracked?.isAd == true, isViewing { stop(&step) }
        tracked = event.asset
        load(event.metadata, &step)
    }

    /// Applies an event, after its playhead and its tag.
    mutating func conclude(_ event: TrackedEvent, _ step: inout SessionStep) {
        switch event.kind {
        case "playhead": break
        case "pause": pause(&step)
        case "adstop": stop(&step)
        case "complete":
            if tracked?.isAd == true {
                stop(&step)
            } else if isViewing {
                close(hasEnded: true, &step)
            }
        default: step.find(.callUnknown)
        }
    }
}

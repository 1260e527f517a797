import MarketProfiles
import NielsenID3
import TagRecord

/// Viewing sessions without tags: a summary of each asset is stored once the asset is over.
extension SessionMachine {
    /// Updates the data source of the viewing session, if the metadata names one.
    mutating func followSource(in metadata: Metadata?) {
        guard let source = metadata?.text("datasrc") else { return }
        viewing?.goesByPlayheads = source.lowercased() == "cms"
    }

    /// Stores the summary of the asset that is over, if the viewing session has playheads only, and has stored no tag.
    mutating func summarize(_ step: inout SessionStep) {
        defer { progress = AssetProgress() }
        guard var current = viewing, current.goesByPlayheads, current.tagCount == 0,
            let range = progress.range,
            !isOptedOut || policy.sendsOptedOut
        else { return }
        let place = SessionPlace(
            id: current.id, order: current.summaryCount, channel: current.channel, asset: asset?.id,
            assetType: asset?.typeText, playhead: range.last, optedOutStore: optedOutStore)
        current.summaryCount += 1
        viewing = current
        step.actions.append(
            .summarize(
                AssetSummary(session: place, firstPlayhead: range.first, watched: progress.watched)))
    }
}

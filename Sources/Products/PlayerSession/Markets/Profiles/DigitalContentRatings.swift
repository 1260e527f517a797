/// The rules that the guides of Digital Content Ratings of several countries share.
///
/// Each guide has the same tables, with its own limits and marks.
struct ContentRatings {
    let guide: Guide
    /// The maximum length of the asset id of content.
    let assetIDLength: Int
    /// The punctuation that ids may have, and that of ads alone.
    var punctuation = "._-"
    var adPunctuation = "._-"
    /// The maximum length of names.
    let nameLength: Int
    var namesExclude = ""
    let airdates: [AirdateForm]
    var fullEpisodes = ["y", "n"]
    /// The headings of the tables.
    var contentSection = "Content metadata"
    var adSection = "Ad metadata"

    /// Returns the keys of content.
    ///
    /// - Parameters:
    ///   - section: the heading of the table, if it is another one.
    ///   - isAudio: whether the table has `isAudio`.
    func content(
        _ section: String? = nil, of guide: Guide? = nil, isAudio: Bool = false, types: [String] = ["content"]
    ) -> [MetadataRule] {
        let source = GuideSource(guide ?? self.guide, section ?? contentSection)
        let audio = MetadataRule("isAudio", .words(["true"]), required: true, source)
        return [MetadataRule("type", .words(types), required: true, source)] + (isAudio ? [audio] : []) + [
            MetadataRule(
                "assetid", .identifier(maximumLength: assetIDLength, punctuation: punctuation),
                required: true, source),
            MetadataRule(
                "program", .text(maximumLength: nameLength), required: true, source),
            MetadataRule(
                "title", .text(maximumLength: nameLength, excluding: namesExclude), required: true, source),
            MetadataRule("length", .seconds, required: true, source),
            MetadataRule("airdate", .airdate(airdates), required: true, source),
            MetadataRule("isfullepisode", .words(fullEpisodes), required: true, source),
            MetadataRule("adloadtype", .words(["1", "2"]), required: true, source),
        ]
    }

    /// Returns rules for keys of any text, which are optional.
    func optional(_ keys: [String], _ section: String? = nil) -> [MetadataRule] {
        keys.map { MetadataRule($0, .text(), GuideSource(guide, section ?? contentSection)) }
    }

    /// Returns the keys of an advertisement.
    func ads(of guide: Guide? = nil, types: [AssetType] = AssetType.placedAds) -> [MetadataRule] {
        let source = GuideSource(guide ?? self.guide, adSection)
        return [
            MetadataRule("type", .words(types.map(\.rawValue)), required: true, source),
            MetadataRule(
                "assetid", .identifier(maximumLength: nil, punctuation: adPunctuation), required: true, source
            ),
        ]
    }

    /// Returns the keys of a static page, for a guide that has no table of them.
    func pages(_ section: String) -> AssetTable {
        let source = GuideSource(guide, section)
        return AssetTable(
            "Static pages", [.static],
            [MetadataRule("type", .words(["static"]), required: true, source)]
                + ["section", "segA", "segB", "segC"].map { MetadataRule($0, .text(), source) })
    }

    /// Returns the key of the channel.
    func channel(_ section: String, of guide: Guide? = nil, required: Bool) -> [MetadataRule] {
        // `channel.too-long` is the finding for the length.
        [MetadataRule("channelName", .text(), required: required, GuideSource(guide ?? self.guide, section))]
    }

    /// Returns the rule for playheads, which is the same in every guide.
    func playheads(_ section: String) -> PlayheadRule {
        PlayheadRule(interval: 1, isWhole: true, isUnixTimeLive: true, source: GuideSource(guide, section))
    }

    /// The values of the key that turns on the log.
    static let logLevels = ["debug", "info", "warn", "error"]
}

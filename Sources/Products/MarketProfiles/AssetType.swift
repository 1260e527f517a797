/// The asset types of the guides.
public enum AssetType: String, Sendable, Hashable, CaseIterable {
    /// The main content.
    case content
    /// An advertisement before the content.
    case preroll
    /// An advertisement within the content.
    case midroll
    /// An advertisement after the content.
    case postroll
    /// An advertisement in any position.
    case ad
    /// A radio program.
    case radio
    /// A page without video.
    case `static`

    /// Whether the type is an advertisement.
    public var isAd: Bool {
        switch self {
        case .preroll, .midroll, .postroll, .ad: true
        case .content, .radio, .static: false
        }
    }
}

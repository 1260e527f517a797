/// A guide of the players' library, by its number in the project's collection, and by its page if it has several.
package enum Guide: Sendable, Hashable, CaseIterable {
    /// "DCR Norway Audio ios App SDK".
    case norwayAudio
    /// "Nielsen App SDK 3.2, Developer's Guide".
    case appSDK
    /// "Digital Measurement iOS Simplified API".
    case simplified
    /// "DCR Ireland Video iOS SDK", in its own file.
    case irelandIOS
    /// "DCR Ireland Video Android SDK".
    case irelandAndroid
    /// "DCR Poland Video iOS SDK".
    case poland
    /// "DCR Italy Static iOS SDK".
    case italyStatic
    /// "DCR Italy Video iOS SDK".
    case italyVideo
    /// "DCR Italy AUDIO iOS SDK".
    case italyAudioIOS
    /// "DCR Italy AUDIO Android SDK".
    case italyAudioAndroid
    /// "DCR Italy AUDIO Browser SDK".
    case italyAudioBrowser
    /// "DCR Italy Static Google AMP Cloud API".
    case italyAMP

    /// The number of the file.
    package var number: String {
        switch self {
        case .norwayAudio: "001"
        case .appSDK: "002"
        case .simplified: "003"
        case .irelandIOS: "004"
        default: "000"
        }
    }

    /// The title of the guide, or of its page.
    package var title: String {
        switch self {
        case .norwayAudio: "DCR Norway Audio iOS"
        case .appSDK: "App SDK 3.2"
        case .simplified: "Simplified API"
        case .irelandIOS: "DCR Ireland Video iOS"
        case .irelandAndroid: "DCR Ireland Video Android"
        case .poland: "DCR Poland Video iOS"
        case .italyStatic: "DCR Italy Static iOS"
        case .italyVideo: "DCR Italy Video iOS"
        case .italyAudioIOS: "DCR Italy Audio iOS"
        case .italyAudioAndroid: "DCR Italy Audio Android"
        case .italyAudioBrowser: "DCR Italy Audio Browser"
        case .italyAMP: "DCR Italy Static AMP"
        }
    }
}

/// The place that states a rule: a guide and a section.
package struct GuideSource: Sendable, Hashable, CustomStringConvertible {
    /// The guide.
    package let guide: Guide
    /// The heading of the section, with only its first letter in upper case, or its number.
    package let section: String

    /// Creates a source.
    package init(_ guide: Guide, _ section: String) {
        self.guide = guide
        self.section = section
    }

    /// The source as findings name it: `guide 003, Content metadata`, with the page if the guide has several.
    package var description: String {
        let page = guide.number == "000" ? "\(guide.title), " : ""
        return "guide \(guide.number), \(page)\(section)"
    }
}

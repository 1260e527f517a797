import CDTVREmbedded
import Reporting

/// The files of the pages.
enum PackageResources {
    static let channelCSS = unsafe EmbeddedFile.bytes(dtvr_channel_css)
    static let channelJS = unsafe EmbeddedFile.bytes(dtvr_channel_js)
    static let handlingJS = unsafe EmbeddedFile.bytes(dtvr_handling_js)
    static let monitorCSS = unsafe EmbeddedFile.bytes(dtvr_monitor_css)
    static let overviewCSS = unsafe EmbeddedFile.bytes(dtvr_overview_css)
    static let overviewJS = unsafe EmbeddedFile.bytes(dtvr_overview_js)
}

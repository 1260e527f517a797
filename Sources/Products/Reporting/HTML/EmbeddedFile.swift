import CDTVREmbedded

/// The files that programs contain.
package enum EmbeddedFile {
    /// Returns a copy of the file that a function of `CDTVREmbedded` returns.
    package static func bytes(
        _ file: (UnsafeMutablePointer<Int>) -> UnsafePointer<UInt8>?
    ) -> [UInt8] {
        var count = 0
        // The function sets the count of the bytes that it returns, which are constant.
        let start = unsafe file(&count)
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }
}

/// The files of the pages.
enum PackageResources {
    static let baseCSS = unsafe EmbeddedFile.bytes(dtvr_base_css)
    static let coverageCSS = unsafe EmbeddedFile.bytes(dtvr_coverage_css)
    static let plotsCSS = unsafe EmbeddedFile.bytes(dtvr_plots_css)
    static let plotsJS = unsafe EmbeddedFile.bytes(dtvr_plots_js)
    static let reportCSS = unsafe EmbeddedFile.bytes(dtvr_report_css)
    static let reportJS = unsafe EmbeddedFile.bytes(dtvr_report_js)
}

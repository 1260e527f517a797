/// The style sheets that pages have in common.
package enum PageStyle {
    /// Colors, light, dark and for print, and the texts of every page.
    package static var base: [UInt8] { PackageResources.base_css }
    /// Plots.
    package static var plots: [UInt8] { PackageResources.plots_css }
}

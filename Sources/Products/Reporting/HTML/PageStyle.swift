/// The style sheets shared by pages.
package enum PageStyle {
    /// Light, dark and print colors, and text styles for every page.
    package static var base: [UInt8] { PackageResources.base_css }
    /// Plot styles.
    package static var plots: [UInt8] { PackageResources.plots_css }
}

/// The limits on the decompressed size of a frame.
///
/// A few hundred bytes of deflated zeros can expand to megabytes. Real frames stay far below these limits.
package struct InflateLimits: Sendable, Hashable {
    /// The maximum size of a frame in bytes: 16 MiB, just above the maximum of a 24-bit size.
    package var maximumCount: Int = 16 << 20

    /// The maximum ratio of decompressed to stored size, applied above `unlimitedCount`.
    package var maximumRatio: Int = 256

    /// The size in bytes up to which the ratio is not limited.
    package var unlimitedCount: Int = 64 << 10

    /// Creates the default limits.
    package init() {}

    /// Returns the maximum decompressed size of `count` stored bytes.
    func maximumCount(of count: Int) -> Int {
        let (product, overflows) = count.multipliedReportingOverflow(by: maximumRatio)
        return min(maximumCount, max(unlimitedCount, overflows ? .max : product))
    }
}

/// How large the content of a compressed frame may become.
///
/// A few hundred bytes of deflated zeros become megabytes. No frame that people write comes near these bounds.
package struct InflateLimits: Sendable, Hashable {
    /// The most bytes that a frame may become: 16 MiB, more than a size of 24 bits can name.
    package var maximumCount: Int = 16 << 20

    /// How many times its stored length a frame may become, once it is larger than `unlimitedCount`.
    package var maximumRatio: Int = 256

    /// Up to this many bytes the ratio does not matter.
    package var unlimitedCount: Int = 64 << 10

    /// The bounds that suit every tag.
    package init() {}

    /// The most bytes that `count` stored ones may become.
    func maximumCount(of count: Int) -> Int {
        let (product, overflows) = count.multipliedReportingOverflow(by: maximumRatio)
        return min(maximumCount, max(unlimitedCount, overflows ? .max : product))
    }
}

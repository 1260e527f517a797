/// The body of a request, kept up to a bound.
///
/// Past the bound a body is read to its end and thrown away, because a client that is cut off while it sends may never
/// see the answer; but not for ever.
package struct BoundedBody: Sendable {
    /// How far a body has come.
    package enum State: Sendable, Hashable {
        /// All of it is kept.
        case complete
        /// More has arrived than is kept: none of it is.
        case tooLarge
        /// The client goes on and on: the connection is best closed.
        case endless
    }

    /// How many times the bound is read before a body is endless.
    private static let maximumOverrunFactor = 8

    /// What was received, while that is within the bound.
    package private(set) var bytes: [UInt8] = []
    /// How many bytes have arrived, kept or not.
    package private(set) var receivedCount = 0
    private let maximumByteCount: Int

    /// An empty body; `expected` bytes have room from the start, within the bound.
    package init(maximumByteCount: Int, expecting expected: Int? = nil) {
        self.maximumByteCount = maximumByteCount
        bytes.reserveCapacity(max(0, min(maximumByteCount, expected ?? 0)))
    }

    /// How far the body has come.
    package var state: State {
        if receivedCount <= maximumByteCount { return .complete }
        let (end, overflow) = maximumByteCount.multipliedReportingOverflow(by: Self.maximumOverrunFactor)
        return !overflow && receivedCount > end ? .endless : .tooLarge
    }

    /// Takes the next bytes, and keeps them only where somebody wants them and they fit.
    package mutating func append(_ new: Span<UInt8>, isWanted: Bool = true) {
        receivedCount += new.count
        guard isWanted, state == .complete else {
            bytes = []
            return
        }
        // The buffer is read while the closure runs, and the span outlives it.
        unsafe new.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

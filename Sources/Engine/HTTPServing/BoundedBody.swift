/// The body of a request, kept up to a size limit.
///
/// A larger body is read and discarded, because a client that is disconnected while it sends may never see the answer.
/// Beyond a second, larger limit, reading is no longer worthwhile.
package struct BoundedBody: Sendable {
    /// The state of a body relative to its limit.
    package enum State: Sendable, Hashable {
        /// The received bytes are within the limit and all kept.
        case complete
        /// The body exceeds the limit, and none of it is kept.
        case tooLarge
        /// The body far exceeds the limit, and the connection should be closed.
        case endless
    }

    /// The multiple of the limit at which a body counts as endless.
    private static let maximumOverrunFactor = 8

    /// The received bytes; empty once the limit is exceeded.
    package private(set) var bytes: [UInt8] = []
    /// The number of received bytes, including discarded ones.
    package private(set) var receivedCount = 0
    private let maximumByteCount: Int

    /// Creates an empty body, and reserves memory for the `expected` bytes within the limit.
    package init(maximumByteCount: Int, expecting expected: Int? = nil) {
        self.maximumByteCount = maximumByteCount
        bytes.reserveCapacity(max(0, min(maximumByteCount, expected ?? 0)))
    }

    /// The state of the body.
    package var state: State {
        if receivedCount <= maximumByteCount { return .complete }
        let (end, overflow) = maximumByteCount.multipliedReportingOverflow(by: Self.maximumOverrunFactor)
        return !overflow && receivedCount > end ? .endless : .tooLarge
    }

    /// Returns the received bytes, and releases them.
    package mutating func takeBytes() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }

    /// Receives the next bytes, and keeps them if they are wanted and within the limit.
    package mutating func append(_ new: Span<UInt8>, isWanted: Bool = true) {
        receivedCount += new.count
        guard isWanted, state == .complete else {
            bytes = []
            return
        }
        // The closure only reads the buffer, and the span outlives it.
        unsafe new.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

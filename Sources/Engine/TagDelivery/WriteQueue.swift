/// A record that may wait in a queue for the disk.
package protocol QueuedRecord: Sendable {
    /// The approximate memory use.
    var byteCount: Int { get }
    /// Whether the record is a tag; others may use only a part of the queue.
    var isTag: Bool { get }
}

/// A record that a writer has stored in a buffer and holds.
package struct HeldRecord: Sendable, Hashable {
    /// The number of the writer.
    package let writer: UInt64
    /// The number of the record among those that the writer holds.
    package let number: UInt64

    /// Creates the identity of a held record.
    package init(writer: UInt64, number: UInt64) {
        self.writer = writer
        self.number = number
    }
}

/// A caller that waits until all earlier writes are done.
package struct FlushCaller: Sendable {
    private let continuation: CheckedContinuation<Bool, Never>
    /// The time since boot at which the caller stops waiting for another process to release the buffer.
    package let end: Duration

    /// Creates a caller that resumes with an answer.
    package init(_ continuation: CheckedContinuation<Bool, Never>, until end: Duration) {
        self.continuation = continuation
        self.end = end
    }

    /// Returns whether it waits at most until a time since boot; nil is a time after all callers.
    package func isDue(at time: Duration?) -> Bool { time.map { end <= $0 } ?? true }

    /// Answers whether everything is on the disk.
    package func answer(_ isOnDisk: Bool) { continuation.resume(returning: isOnDisk) }
}

/// A write to a buffer that waits for its turn.
package enum WriteRequest<Record: QueuedRecord>: Sendable {
    /// Appends a record of a writer; holds it if it has an identity for that, or quarantines it until `admit`.
    case append(Record, writer: UInt64, held: HeldRecord? = nil, isQuarantined: Bool = false)
    /// Releases a held record for delivery; replaces its contents unless they are nil.
    case release(HeldRecord, as: Record?)
    /// Admits all quarantined records to delivery, or deletes them.
    case admit(deleting: Bool)
    /// Answers a caller once all earlier writes are done.
    case flush(FlushCaller)

    /// The approximate memory use.
    fileprivate var byteCount: Int {
        switch self {
        case .append(let record, _, _, _), .release(_, as: let record?): record.byteCount
        case .release, .admit, .flush: 64
        }
    }

    /// The part of the memory use that is a record other than a tag.
    fileprivate var otherByteCount: Int {
        guard case .append(let record, _, _, _) = self, !record.isTag else { return 0 }
        return byteCount
    }
}

/// Writes of one kind, which share a transaction.
package enum WriteGroup<Record: QueuedRecord>: Sendable {
    /// Records to append, each with its writer; all are held or none, and all are quarantined or none.
    case append([(record: Record, writer: UInt64, held: HeldRecord?)], isQuarantined: Bool)
    /// Held records to release, each with its new contents unless they are nil.
    case release([(held: HeldRecord, record: Record?)])
    /// The end of the quarantine.
    case admit(deleting: Bool)
    /// Callers to answer.
    case flush([FlushCaller])
}

/// The writes to a buffer that wait for the disk, in order, and bounded in bytes.
///
/// For callers that must not wait for the disk: they add requests, and a worker performs them with `TagIngest`.
package struct WriteQueue<Record: QueuedRecord>: Sendable {
    /// The limit while the disk is full or read-only.
    package static var maximumByteCount: Int { 4 << 20 }
    /// The part of the limit for records other than tags: an eighth, so that they never displace a tag.
    package static var maximumOtherByteCount: Int { maximumByteCount / 8 }
    /// The maximum number of records in one transaction.
    private static var groupCount: Int { 64 }

    private var requests: [WriteRequest<Record>] = []
    private var first = 0
    private var byteCount = 0
    /// The size of the waiting records other than tags.
    private var otherByteCount = 0
    /// The size of the group that is being written, which takes up memory until it is done.
    private var writingByteCount = 0
    /// The number of callers that wait.
    package private(set) var callerCount = 0
    private var isWorking = false
    /// The end of the requests that were waiting when the current attempt began.
    private var attemptedEnd = 0
    private let isBounded: Bool

    /// Creates an empty queue.
    ///
    /// - Parameter isBounded: whether there is no room beyond the limit; otherwise the caller waits while `isCrowded`.
    package init(isBounded: Bool = true) { self.isBounded = isBounded }

    /// Whether more than half of the limit is used.
    package var isCrowded: Bool { byteCount + writingByteCount > Self.maximumByteCount / 2 }

    /// Adds a request; returns false if there is no room for a record.
    ///
    /// Releases are always accepted: there are no more of them than records.
    package mutating func add(_ request: WriteRequest<Record>) -> Bool {
        let (added, others) = (request.byteCount, request.otherByteCount)
        if isBounded, case .append = request {
            if byteCount + writingByteCount + added > Self.maximumByteCount { return false }
            if others > 0, otherByteCount + others > Self.maximumOtherByteCount { return false }
        }
        requests.append(request)
        byteCount += added
        otherByteCount += others
        if case .flush = request { callerCount += 1 }
        return true
    }

    /// Marks the worker as running; returns whether the caller must start it.
    package mutating func begin() -> Bool {
        guard !isWorking, first < requests.count else { return false }
        isWorking = true
        return true
    }

    /// Removes and returns the next requests of one kind; nil if none wait, and the worker must then end.
    package mutating func next() -> WriteGroup<Record>? {
        writingByteCount = 0
        guard first < requests.count else {
            isWorking = false
            return nil
        }
        var end = first
        while end < requests.count, end - first < Self.groupCount, requests[first].shares(with: requests[end])
        {
            end += 1
        }
        let group = WriteGroup(requests[first..<end])
        writingByteCount = requests[first..<end].reduce(0) { $0 + $1.byteCount }
        byteCount -= writingByteCount
        otherByteCount -= requests[first..<end].reduce(0) { $0 + $1.otherByteCount }
        if case .flush = requests[first] { callerCount -= end - first }
        first = end
        if first == requests.count {
            requests.removeAll(keepingCapacity: true)
            first = 0
        }
        attemptedEnd = first
        return group
    }

    /// Begins an attempt to perform the last group: if it fails, the callers that wait now are answered.
    package mutating func beginAttempt() { attemptedEnd = requests.count }

    /// Removes and returns the callers that waited when the last attempt began.
    ///
    /// - Parameter time: the time since boot until which they wait at most; nil for all of them.
    package mutating func takeCallers(dueAt time: Duration? = nil) -> [FlushCaller] {
        var callers: [FlushCaller] = []
        var rest: [WriteRequest<Record>] = []
        for (index, request) in zip(first..., requests[first...]) {
            if index < attemptedEnd, case .flush(let caller) = request, caller.isDue(at: time) {
                callers.append(caller)
            } else {
                rest.append(request)
            }
        }
        callerCount -= callers.count
        requests = rest
        first = 0
        attemptedEnd = 0
        byteCount = rest.reduce(0) { $0 + $1.byteCount }
        return callers
    }
}

extension WriteRequest {
    fileprivate func shares(with other: WriteRequest<Record>) -> Bool {
        switch (self, other) {
        case (.append(_, _, let held, let isQuarantined), .append(_, _, let next, let isNextQuarantined)):
            (held == nil) == (next == nil) && isQuarantined == isNextQuarantined
        case (.admit(let isDeleting), .admit(let isNextDeleting)): isDeleting == isNextDeleting
        case (.release, .release), (.flush, .flush): true
        default: false
        }
    }
}

extension WriteGroup {
    /// Creates the group of requests that have one kind.
    fileprivate init(_ requests: ArraySlice<WriteRequest<Record>>) {
        switch requests.first {
        case .append(_, _, _, let isQuarantined):
            self = .append(
                requests.compactMap { request in
                    guard case .append(let record, let writer, let held, _) = request else { return nil }
                    return (record, writer, held)
                }, isQuarantined: isQuarantined)
        case .admit(let isDeleting): self = .admit(deleting: isDeleting)
        case .release:
            self = .release(
                requests.compactMap { request in
                    guard case .release(let held, let record) = request else { return nil }
                    return (held, record)
                })
        default:
            self = .flush(
                requests.compactMap { request in
                    if case .flush(let caller) = request { caller } else { nil }
                })
        }
    }
}

import HTTPServing
import TextForms

extension HTTPServerAnswer {
    /// Returns the receipt: `{"accepted":n,"duplicate":m,"rejected":[{"id":…,"code":…}]}`.
    ///
    /// - Parameter kinds: The kinds of records that the collector asks for.
    static func receipt(_ receipt: BatchReceipt, kinds: [String] = []) -> HTTPServerAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accepted")
        writer.value(receipt.accepted)
        writer.key("duplicate")
        writer.value(receipt.duplicate)
        writer.key("rejected")
        writer.beginArray()
        for rejection in receipt.rejected {
            writer.beginObject()
            writer.key("id")
            writer.value(rejection.id.text)
            writer.key("code")
            writer.value(rejection.code)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        let field = HTTPServerRequest.Pair(name: "X-DTVR-Kinds", value: kinds.joined(separator: ", "))
        return HTTPServerAnswer(status: 200, fields: kinds.isEmpty ? [] : [field], body: writer.bytes)
    }

    /// Returns the answer to `GET /status`.
    static func status(_ status: CollectorStatus) -> HTTPServerAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accepted")
        writer.value(status.accepted)
        writer.key("duplicate")
        writer.value(status.duplicate)
        if let differing = status.differing {
            writer.key("differs")
            writer.value(differing)
        }
        writer.key("rejected")
        writer.value(status.rejected)
        writer.key("batches")
        writer.value(status.batches)
        writer.key("stores")
        writer.beginArray()
        for store in status.stores {
            writer.beginObject()
            writer.key("id")
            writer.value(store.id)
            writer.key("last_seq")
            writer.value(store.lastSequence)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return HTTPServerAnswer(status: 200, body: writer.bytes)
    }
}

/// The outcome of a batch.
struct BatchReceipt: Sendable, Hashable {
    /// A permanently refused tag.
    struct RefusedTag: Sendable, Hashable {
        let id: ReceivedID
        let code: String
    }

    var accepted = 0
    var duplicate = 0
    /// The number of duplicates that differ from the stored tag.
    var differing = 0
    var rejected: [RefusedTag] = []
}

/// The totals of a collector since its folder was created.
package struct CollectorStatus: Sendable, Hashable {
    /// The status of one sending store.
    package struct Store: Sendable, Hashable {
        /// The store's ID, from the batch header.
        package let id: String
        /// The highest sequence number in the store's batches.
        let lastSequence: Int64
    }

    /// The number of stored tags.
    package internal(set) var accepted = 0
    /// The number of duplicate tags, which were not stored.
    package internal(set) var duplicate = 0
    /// The number of duplicates that differ from the stored tag; nil if the storage does not compare them.
    package internal(set) var differing: Int?
    /// The number of permanently refused tags.
    package internal(set) var rejected = 0
    /// The number of acknowledged batches.
    package internal(set) var batches = 0
    /// The stores that sent the batches, sorted by ID.
    package internal(set) var stores: [Store] = []

    init() {}
}

/// The running totals of a collector.
struct CollectorTotals: Sendable {
    /// The totals without the stores.
    var counts = CollectorStatus()
    /// The highest sequence number of each store.
    private var stores: [String: Int64] = [:]

    /// The maximum number of listed stores, because a sender can invent any number of IDs.
    private static let maximumStoreCount = 10_000

    /// The totals with the stores.
    var status: CollectorStatus {
        var status = counts
        status.stores = stores.sorted { $0.key < $1.key }.map {
            CollectorStatus.Store(id: $0.key, lastSequence: $0.value)
        }
        return status
    }

    /// Counts a stored batch and its tags.
    mutating func count(_ receipt: BatchReceipt, of header: ReceivedBatch.Header) {
        counts.accepted += receipt.accepted
        counts.duplicate += receipt.duplicate
        if let differing = counts.differing { counts.differing = differing + receipt.differing }
        counts.rejected += receipt.rejected.count
        countBatch(store: header.store, last: header.lastSequence)
    }

    /// Counts a stored batch without its tags.
    mutating func countBatch(store: String, last: Int64) {
        counts.batches += 1
        if let known = stores[store] {
            stores[store] = max(known, last)
        } else if stores.count < Self.maximumStoreCount {
            stores[store] = last
        }
    }
}

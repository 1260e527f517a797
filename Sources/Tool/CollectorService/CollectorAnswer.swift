import HTTPServing
import TextForms

extension HTTPServerAnswer {
    /// The receipt: `{"accepted":n,"duplicate":m,"rejected":[{"id":…,"code":…}]}`.
    static func receipt(_ receipt: BatchReceipt) -> HTTPServerAnswer {
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
        return HTTPServerAnswer(status: 200, body: writer.bytes)
    }

    /// The answer to `GET /status`.
    static func status(_ status: CollectorStatus) -> HTTPServerAnswer {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("accepted")
        writer.value(status.accepted)
        writer.key("duplicate")
        writer.value(status.duplicate)
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

/// What became of a batch.
struct BatchReceipt: Sendable, Hashable {
    /// A tag that was refused for good.
    struct RefusedTag: Sendable, Hashable {
        let id: ReceivedID
        let code: String
    }

    var accepted = 0
    var duplicate = 0
    var rejected: [RefusedTag] = []
}

/// What a collector has taken since its folder was made.
package struct CollectorStatus: Sendable, Hashable {
    /// What is known of one store that sends.
    package struct Store: Sendable, Hashable {
        /// The store's id, as it names itself.
        package let id: String
        /// The highest sequence of any batch of it.
        package let lastSequence: Int64
    }

    /// How many tags are kept.
    package internal(set) var accepted = 0
    /// How many came again and were not.
    package internal(set) var duplicate = 0
    /// How many were refused for good.
    package internal(set) var rejected = 0
    /// How many batches were answered for.
    package internal(set) var batches = 0
    /// The stores that sent them, by id.
    package internal(set) var stores: [Store] = []

    init() {}
}

import HTTPTransfer
import TagDelivery

/// A one-line summary of a delivery.
struct DeliverySummary {
    private let progress: DeliveryProgress
    /// The collector's address without secrets.
    private let collector: String

    init(_ progress: DeliveryProgress, collector: String) {
        self.progress = progress
        self.collector = HTTPRequest.withoutSecrets(collector)
    }

    var text: String {
        let batches = progress.batchCount == 1 ? "1 batch" : "\(progress.batchCount) batches"
        var line = "collector  \(collector): \(progress.deliveredCount) tags delivered in \(batches)"
        if progress.duplicateCount > 0 {
            let accepted = progress.deliveredCount - progress.duplicateCount
            line += ": \(accepted) accepted, \(progress.duplicateCount) duplicate"
        }
        if progress.deadCount > 0 { line += ", \(progress.deadCount) permanently refused" }
        return line
    }
}

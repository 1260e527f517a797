import HTTPTransfer
import TagDelivery

/// One line on what was delivered.
struct DeliverySummary {
    private let progress: DeliveryProgress
    /// Its address as it may be shown.
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
        if progress.deadCount > 0 { line += ", \(progress.deadCount) refused for good" }
        return line
    }
}

import TagStore

/// Builds batches of tags and sends them.
struct BatchSender: Sendable {
    let builder: BatchBuilder
    let sink: any TagSink

    /// Builds a batch from the first of `tags` and sends it; sends nothing if none can be read.
    func send(
        _ tags: [StoredTag], losses: LossTotals, attempt: Int, encoding: ContentEncoding
    ) async -> (built: BatchBuilder.Result, outcome: SinkOutcome?) {
        let built = builder.batch(of: tags, losses: losses, attempt: attempt, encoding: encoding)
        guard let batch = built.batch else { return (built, nil) }
        return (built, await sink.deliver(batch))
    }
}

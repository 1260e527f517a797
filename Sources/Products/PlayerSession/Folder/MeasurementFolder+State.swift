import TagDelivery

extension MeasurementFolder.State {
    /// Removes a writer, and forgets the records that it holds.
    mutating func remove(_ writer: UInt64) {
        writers[writer] = nil
        sequences = sequences.filter { $0.key.writer != writer }
    }

    /// Closes the buffer if there are no writers left; returns the task, or nil if there are.
    mutating func closeIfUnused() -> Task<Void, Never>? {
        guard writers.isEmpty, let buffer else { return nil }
        self.buffer = nil
        opened = nil
        closing = buffer.close()
        return closing
    }

    mutating func add(_ write: SessionWrite, of writer: UInt64) {
        switch write {
        case .store(let record): append(record, of: writer, as: nil)
        case .hold(let tag, let number):
            append(.tag(tag), of: writer, as: HeldRecord(writer: writer, number: number))
        case .release(let number, let tag):
            // A held tag is stored as not presented, so only a presented one needs new contents.
            let held = HeldRecord(writer: writer, number: number)
            _ = queue.add(.release(held, as: tag.map { .tag($0) }))
        case .quarantine: writers[writer]?.isInQuarantine = true
        case .admit(let isDeleting):
            writers[writer]?.isInQuarantine = false
            _ = queue.add(.admit(deleting: isDeleting))
        }
    }

    private mutating func append(_ record: SessionRecord, of writer: UInt64, as held: HeldRecord?) {
        let isQuarantined = writers[writer]?.isInQuarantine ?? false
        let isAdded = queue.add(.append(record, writer: writer, held: held, isQuarantined: isQuarantined))
        writers[writer]?.storage.enqueue(record, isAdded: isAdded)
        if !isAdded { uncountedLosses += 1 }
    }

    /// Counts an appended record, and remembers its sequence if it is held.
    mutating func finish(
        _ request: (record: SessionRecord, writer: UInt64, held: HeldRecord?),
        _ placement: TagIngest.Placement
    ) {
        guard writers[request.writer] != nil else { return }
        let isAccepted = placement.sequence != nil
        writers[request.writer]?.storage.finish(request.record, isAccepted: isAccepted)
        if !isAccepted, request.record.isTag { writers[request.writer]?.hasLost = true }
        if let held = request.held { sequences[held] = placement.sequence }
    }

    /// Starts to count for a buffer that has been opened.
    mutating func adopt(_ buffer: BufferAccess) {
        isInUse = false
        if opened?.id == buffer.id { return }
        // The tags that an ended owner had only in memory are lost.
        if let opened, opened.owned == nil, opened.totals.overflow > 0 { loseTags() }
        opened = buffer
        for number in writers.keys where writers[number]?.earlierCount == nil {
            writers[number]?.earlierCount = buffer.totals.delivered
        }
        memoryLostCount = buffer.totals.losses.memoryLost
        trouble = nil
        // The sequences of held records in another buffer are invalid here.
        sequences = [:]
    }

    /// Begins an attempt to perform a group of writes; returns the buffer for it, or nil if all writers have left.
    mutating func beginAttempt() -> FolderBuffer? {
        guard !writers.isEmpty else { return nil }
        queue.beginAttempt()
        return buffer
    }

    /// Marks all writers: tags that were only in memory are lost, possibly their own.
    mutating func loseTags() {
        for writer in writers.keys { writers[writer]?.hasLost = true }
    }

    /// Marks all writers if the buffer has lost tags from memory since the last check.
    mutating func checkLosses() {
        guard let count = opened?.totals.losses.memoryLost else { return }
        if count > memoryLostCount { loseTags() }
        memoryLostCount = count
    }
}

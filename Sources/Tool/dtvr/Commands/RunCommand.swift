import HLSInput
import TagDelivery
import TagRecord
import TagStore

/// `dtvr run`: reads inputs, buffers their tags and uploads them.
struct RunCommand {
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    func perform() async throws(UsageError) -> ExitStatus {
        try context.requireOperands("input")
        let access = try InputAccess(context)
        let storeAccess = try StoreAccess(context)
        guard let store = await storeAccess.open() else { return .store }
        let bar = ProgressBar("Uploading", on: context.console)
        let delivery = try Delivery(context, from: store, bar: bar)
        var reading = Reading()
        do throws(StoreError) {
            for source in context.operands where !Interruption.shared.isRequested {
                try await read(source, access, into: store, &reading)
            }
        } catch {
            context.console.note("the buffer cannot take more: \(error)")
            await store.close()
            return .store
        }
        report(reading)
        // All of it is on the disk: worth knowing before an upload that may take its time.
        context.console.flush()
        let delivered = await delivery?.drain() ?? .done
        bar.end()
        report(store, hasCollector: delivery != nil)
        await store.close()
        if Interruption.shared.isRequested { return .interrupted }
        if delivered != .done { return delivered }
        return reading.totals.segmentCount == 0 ? .noInput : .done
    }

    /// What was read, and what became of it.
    private struct Reading {
        var totals = ReadingTotals()
        var refusedCount = 0
        var volatileCount = 0
    }

    private func read(
        _ source: String, _ access: InputAccess, into store: TagBuffer, _ result: inout Reading
    ) async throws(StoreError) {
        guard let reader = await access.open(source) else { return }
        let ingest = TagIngest(into: store)
        let bar = ProgressBar(source, on: context.console)
        var done = 0
        while !Interruption.shared.isRequested, let reading = await reader.readNext() {
            access.report(reading)
            result.totals.add(reading)
            let outcome = try await ingest.append(reading.tags)
            result.refusedCount += outcome.refusedCount
            result.volatileCount += outcome.volatileCount
            done += 1
            bar.show(done, of: reader.segmentCount, "segments")
        }
        bar.end()
    }

    private func report(_ reading: Reading) {
        let totals = reading.totals
        context.console.print(
            "read       \(totals.segmentCount) segments, \(ByteCountText.text(totals.byteCount))"
                + (totals.failedSegmentCount > 0 ? "; \(totals.failedSegmentCount) could not be read" : ""))
        var kinds = "\(totals.dataCount) data, \(totals.infoCount) info"
        if totals.unknownCount > 0 { kinds += ", \(totals.unknownCount) of an unknown kind" }
        var line = "tags       \(totals.tagCount): \(kinds)"
        if let times = totals.tagTimes {
            let (first, last) = (Int64(times.lowerBound), Int64(times.upperBound))
            line +=
                "; \(RFC3339.tableText(unixSeconds: first)) to \(RFC3339.tableText(unixSeconds: last)) UTC"
        }
        context.console.print(line)
        if totals.otherCount > 0 {
            context.console.print("others     \(totals.otherCount) tags of other owners")
        }
        if totals.partialCount > 0 {
            context.console.print("cut        \(totals.partialCount) tags, which are not kept")
        }
        if totals.problemCount > 0 {
            context.console.print("problems   \(totals.problemCount) tags; dtvr scan shows which")
        }
        if reading.refusedCount > 0 {
            context.console.print("refused    \(reading.refusedCount) tags, for which the buffer has no room")
        }
        if reading.volatileCount > 0 {
            context.console.note("the disk takes nothing: \(reading.volatileCount) tags are in memory only")
        }
    }

    private func report(_ store: TagBuffer, hasCollector: Bool) {
        let waiting = store.totals().inStore
        context.console.print("buffer     \(waiting) tags waiting")
        if !hasCollector, waiting > 0 {
            context.console.note("no collector is named: the tags stay in the buffer for 'dtvr upload'")
        }
    }
}

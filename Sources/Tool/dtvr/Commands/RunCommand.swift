import FoundationEssentials
import HLSInput
import HostSystem
import ID3v2
import NielsenID3
import Reporting
import StreamHealth
import TagDelivery
import TagStore
import TextForms

/// `dtvr run`: reads inputs, checks and buffers their tags, and uploads them.
struct RunCommand: Command {
    static let declaration = CommandDeclaration(
        "run",
        summary: "read the tags of INPUT, buffer and upload them; the main command",
        operands: "[INPUT]...",
        description: InputAccess.description,
        details: [
            """
            Each segment is checked while it is read, and its tags are written to the buffer, where they survive a \
            crash. After all input is read, the tags are uploaded to the collector, if --collector names one. Tags \
            that the collector accepts are deleted. Tags that it permanently refuses become dead letters, which \
            dtvr-store(1) lists. If the collector is unreachable, the tags stay in the buffer for dtvr-upload(1). \
            The same recording can be read twice: the collector detects duplicates.
            """,
            """
            The last line states the verdict of the checks. It does not affect the exit status, unless --strict is \
            given: the command then ends with 1 if a check failed, if an input has no DATA tag, or if a segment, a \
            rendition or an input could not be read, provided that the other tags were read, stored and delivered.
            """,
            InputAccess.details, InputAccess.operandDetails, InputAccess.renditionDetails, InputList.details,
            InputConnection.details,
        ],
        settings: [
            .separate, .inputs, .shard, .rendition, .allowPrivate, .jobs, .maxSegmentBytes, .store, .maxAge,
            .maxBytes,
            .whenFull, .wait,
            .collector, .tokenFile, .cacert, .strict,
        ] + InputConnection.settings + Setting.limitsOfRecordings,
        exitStatuses: [.checkFailed, .noInput, .store, .delivery],
        examples: [
            CommandExample(
                "dtvr run --collector https://collector.example.com/ main.m3u8",
                "read a presentation and upload its tags"),
            CommandExample(
                "dtvr run --store tags recording/",
                "only buffer the tags of a folder of segments, in a separate buffer"),
        ])

    private let context: CommandContext
    private let policy: HealthPolicy

    init(_ context: CommandContext) {
        self.context = context
        policy = context.invocation.healthPolicy
    }

    func perform() async throws(UsageError) -> ExitStatus {
        let connection = try InputConnection(context)
        var list = try InputList(context, orElse: connection.address)
        let inputs = try InputAccess(context, through: connection)
        let delivery = try Delivery(context)
        let access = try StoreAccess(context)
        guard var store = await access.openToShare() else { return access.statusWithoutStore }
        let lostBefore = store.totals.losses.memoryLost
        var reading = RunReading()
        do throws(StoreError) {
            while let input = list.next() {
                guard let segments = await inputs.open(input) else {
                    list.countFailed()
                    continue
                }
                let isRead = try await read(
                    segments, into: &store, of: access, &reading, partOf: list.progress)
                if !isRead { list.countFailed() }
            }
        } catch {
            context.console.note("cannot write to the buffer: \(error)")
            await store.close()
            return access.statusWithoutStore
        }
        report(reading)
        let delivered = await deliver(&store, of: access, to: delivery)
        let isStored = await isStored(&store, of: access, reading)
        report(store, to: delivery)
        let closed = await access.close(store, lostBefore: lostBefore)
        context.console.print("verdict    \(reading.verdictText)")
        if Task.isCancelled { return .interrupted }
        if closed != .done || !isStored || reading.refusedCount > 0 { return .store }
        if delivered != .done { return delivered }
        let status = list.status(isAnyRead: reading.totals.segmentCount > 0)
        if status != .done { return status }
        guard context.invocation.isOn(.strict) else { return .done }
        for reason in reading.shortfalls { context.console.note("--strict: \(reason)") }
        let isJudged = reading.shortfalls.isEmpty && !list.hasFailed
        return reading.hasFailed || !isJudged ? .checkFailed : .done
    }

    /// Delivers the tags, unless the owner of the buffer does, and returns the exit status.
    private func deliver(
        _ store: inout BufferAccess, of access: StoreAccess, to delivery: Delivery
    ) async -> ExitStatus {
        do throws(StoreError) {
            return try await access.perform(on: &store) { (buffer) async throws(StoreError) in
                try await delivery.drain(shared: buffer)
            }
        } catch {
            context.console.note("\(error)")
            return .store
        }
    }

    /// Returns whether the tags are stored where others find them, and prints the reason if not.
    ///
    /// - Parameter store: The buffer, which is replaced if its owner has ended since the last append.
    private func isStored(
        _ store: inout BufferAccess, of access: StoreAccess, _ reading: RunReading
    ) async -> Bool {
        let used = store.id
        do throws(StoreError) {
            let isOnDisk = try await access.perform(on: &store) { (buffer) async throws(StoreError) in
                switch buffer {
                case .own(let buffer):
                    try await buffer.checkInPlace()
                    return true
                case .remote(let buffer): return try await buffer.flush()
                }
            }
            // An owner that has ended took the tags with it that it had in memory only.
            if isOnDisk, store.id == used || reading.volatileCount == 0 { return true }
            context.console.note("the process that holds the buffer has tags in memory only")
        } catch {
            context.console.note("\(error)")
        }
        return false
    }

    /// Reads an input, and returns whether a segment could be read.
    private func read(
        _ segments: SegmentReadings, into store: inout BufferAccess, of access: StoreAccess,
        _ result: inout RunReading, partOf whole: ProgressBar?
    ) async throws(StoreError) -> Bool {
        var reading = CheckedReading(
            segments, policy: policy, now: WallTime(unixMilliseconds: SystemClock().unixMilliseconds))
        var progress = InputProgress(segments, on: context.console, partOf: whole)
        defer { progress.end() }
        let verdict = try await reading.read { (segment) async throws(StoreError) in
            let outcome = try await access.perform(on: &store) { (buffer) async throws(StoreError) in
                try await TagIngest(into: buffer).append(segment.tags)
            }
            result.add(segment, outcome)
            progress.add(segment)
        }
        result.add(verdict, InputCheck.unreadRenditions(of: segments))
        return progress.readCount > 0
    }

    private func report(_ reading: RunReading) {
        let totals = reading.totals
        context.console.print(
            "read       \(DecimalText.count(totals.segmentCount, "segment")), \(ByteCountText.text(totals.byteCount))"
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
            let others = DecimalText.count(totals.otherCount, "tag of another owner", "tags of other owners")
            context.console.print("others     \(others)")
        }
        if totals.truncatedCount > 0 {
            context.console.print("truncated  \(DecimalText.count(totals.truncatedCount, "tag")), not stored")
        }
        if totals.problemCount > 0 {
            context.console.print(
                "problems   \(DecimalText.count(totals.problemCount, "tag")); dtvr scan shows which")
        }
        if reading.refusedCount > 0 {
            let refused = DecimalText.count(reading.refusedCount, "tag")
            context.console.print("refused    \(refused), because the buffer is full")
        }
        if reading.volatileCount > 0 {
            context.console.note(
                "the disk is full or read-only: "
                    + DecimalText.count(reading.volatileCount, "tag is", "tags are")
                    + " in memory only until it is writable"
            )
        }
    }

    private func report(_ store: BufferAccess, to delivery: Delivery) {
        let waiting = store.totals.inStore
        context.console.print("buffer     \(DecimalText.count(waiting, "tag")) waiting")
        if !delivery.hasCollector, waiting > 0, store.owned != nil { delivery.warnOfMissingCollector() }
    }
}

/// The totals of `dtvr run`: the segments read, and the outcome of buffering their tags.
private struct RunReading {
    private(set) var totals = ReadingTotals()
    private(set) var refusedCount = 0
    private(set) var volatileCount = 0
    /// The worst verdict; nil without one.
    private var worst: CheckStatus?
    /// The number of findings of each check that did not pass, without information.
    ///
    /// The checks are in the order of their first finding.
    private var counts: [(id: String, count: Int)] = []

    mutating func add(_ segment: SegmentReading, _ outcome: TagIngest.Outcome) {
        totals.add(segment)
        refusedCount += outcome.refusedCount
        volatileCount += outcome.volatileCount
    }

    /// The inputs whose verdicts do not stand for all of them, with the reasons.
    private(set) var shortfalls: [String] = []

    /// Adds the verdict on an input, and what could not be read of it besides segments.
    mutating func add(_ verdict: HealthVerdict, _ unread: [String]) {
        if let reason = verdict.shortfall(unread) { shortfalls.append("\(verdict.source): \(reason)") }
        worst = max(worst ?? verdict.status, verdict.status)
        for outcome in verdict.outcomes where outcome.status > .pass {
            let id = outcome.id.rawValue
            if let index = counts.firstIndex(where: { $0.id == id }) {
                counts[index].count += outcome.shownCount
            } else {
                counts.append((id, outcome.shownCount))
            }
        }
    }

    /// Whether a check failed for any input.
    var hasFailed: Bool { worst == .fail }

    /// The worst status, and the checks that did not pass.
    var verdictText: String {
        guard totals.segmentCount > 0, let status = worst else {
            return "none: nothing could be read"
        }
        guard !counts.isEmpty else { return status.rawValue }
        let list = counts.map { "\($0.id) (\($0.count))" }.joined(separator: ", ")
        return "\(status.rawValue): \(list); dtvr check shows where"
    }
}

extension Setting {
    static let strict = Setting(
        "strict", .toggle,
        help: "exit with status 1 if a check failed, no DATA tag was judged, or a segment could not be read")
}

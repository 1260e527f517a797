import FoundationEssentials
import Glibc
import HostSystem
import NielsenID3
import TagDelivery
import TagStore
import TextForms

/// Opens the buffer for a command.
struct StoreAccess {
    private let context: CommandContext

    /// The folder of the buffer.
    let directory: String

    /// A maximum size that overrides the user's limit and the default; nil if neither is overridden.
    var usualByteCount: Int?

    /// The minimum time between the starts of two commits.
    var commitInterval = Duration.zero

    /// The users who may own the folder of the buffer and the process that serves it.
    var trustedUsers = TrustedUsers.own

    /// Whether the command only reads, so that it can use a copy of a buffer on a read-only file system.
    var onlyLooks = false

    /// Creates the access to a buffer in a new folder under `TMPDIR` or `/tmp`.
    init(temporaryFor context: CommandContext) {
        self.context = context
        let folder = context.environment["TMPDIR"] ?? "/tmp"
        directory = "\(folder)/dtvr-\(context.invocation.command.declaration.name)-\(UUID().uuidString)"
    }

    /// Creates the access to the buffer that the user named, or to the default one.
    init(_ context: CommandContext) throws(UsageError) {
        self.context = context
        if let named = context.invocation[.store] {
            guard !named.hasPrefix("file:"), !named.contains("://") else {
                throw context.usageError("--store takes the path of a folder, not the address '\(named)'")
            }
            directory = named
        } else {
            guard let state = UserFolders(context.environment).state else {
                throw context.usageError("--store is required: neither XDG_STATE_HOME nor HOME is set")
            }
            directory = "\(state)/dtvr/store"
        }
    }

    /// Returns whether the folder contains a buffer, and prints the reason if it does not.
    ///
    /// For commands that do not create a buffer.
    func findsBuffer() -> Bool {
        if TagBuffer.exists(in: directory) { return true }
        context.console.note("\(directory): there is no buffer")
        return false
    }

    /// The limits that the user set.
    var settings: StoreSettings {
        let call = context.invocation
        var settings = StoreSettings()
        settings.commitInterval = commitInterval
        if let bytes = usualByteCount ?? call.bytes(.maxBytes) { settings.maximumByteCount = bytes }
        if let seconds = call.seconds(.maxAge) { settings.maximumAge = .seconds(seconds) }
        if let policy = call[.whenFull] {
            settings.fullPolicy = policy == "refuse-newest" ? .refuseNewest : .evictOldest
        }
        return settings
    }

    /// The interval between attempts to open a buffer in use, and the wait before the first message.
    private static let pollInterval = Duration.milliseconds(50)
    private static let silentWait = Duration.seconds(1)

    /// Opens or creates the buffer, and waits while another process holds it.
    ///
    /// It returns nil after printing the reason, or if the user interrupted.
    func open() async -> TagBuffer? {
        await waitWhileInUse { () throws(StoreError) in try await openNow() }
    }

    /// Opens the buffer, or connects to the process that serves it; waits for any other process.
    func openToShare() async -> BufferAccess? {
        await waitWhileInUse { () throws(StoreError) in
            try await BufferAccess.open(in: directory, trusting: trustedUsers) { () throws(StoreError) in
                try await openNow()
            }
        }
    }

    /// Performs an operation; if the owner of the buffer ends or stops responding, reopens the buffer and repeats it.
    ///
    /// An append without an answer may have been stored. The collector counts both copies of a tag as one.
    ///
    /// - Parameter buffer: The buffer, which is replaced if it is reopened.
    func perform<Value: Sendable>(
        on buffer: inout BufferAccess, _ operation: (BufferAccess) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let start = ContinuousClock.now
        while true {
            do throws(StoreError) {
                return try await operation(buffer)
            } catch {
                guard case .remote = error, ContinuousClock.now - start <= waitLimit else { throw error }
                await pause(Self.pollInterval)
                guard let next = await openToShare() else { throw error }
                buffer = next
            }
        }
    }

    private var waitLimit: Duration { .seconds(context.invocation.seconds(.wait) ?? 0) }

    private func waitWhileInUse<Value: Sendable>(
        _ open: () async throws(StoreError) -> Value
    ) async -> Value? {
        let start = ContinuousClock.now
        let limit = waitLimit
        var isTold = false
        while true {
            do throws(StoreError) {
                return try await open()
            } catch {
                guard case .inUse(let process) = error else {
                    context.console.note("\(directory): \(error)")
                    return nil
                }
                let waited = ContinuousClock.now - start
                if waited >= limit {
                    context.console.note("\(directory): the buffer is \(holder(process))")
                    return nil
                }
                if waited >= Self.silentWait, !isTold {
                    context.console.note("\(directory): waiting for the buffer, which is \(holder(process))")
                    isTold = true
                }
                await pause(min(Self.pollInterval, limit - waited))
                if Interruption.shared.isRequested { return nil }
            }
        }
    }

    /// Returns the status of a buffer in use: from its owner, or else the last one that the process wrote.
    func statusOfHolder() async -> StoreStatus? {
        let last = StoreStatus.lastWritten(in: directory)
        do throws(StoreError) {
            return try await RemoteBuffer(in: directory, trusting: trustedUsers)?.status() ?? last
        } catch {
            return last
        }
    }

    /// Opens the buffer without waiting.
    func openNow() async throws(StoreError) -> TagBuffer {
        let store = try await buffer()
        report(store.findings)
        return store
    }

    /// Closes a buffer, and reports the tags that were lost because they were in memory only.
    ///
    /// - Parameter lostBefore: The number of tags lost from memory before the command used the buffer.
    /// - Returns: `store` if tags were lost.
    func close(_ store: BufferAccess, lostBefore: Int64) async -> ExitStatus {
        await store.close()
        // The owner of a remote buffer reports its own losses.
        let lost = store.owned == nil ? 0 : store.totals.losses.memoryLost - lostBefore
        guard lost > 0 else { return .done }
        context.console.note(
            DecimalText.count(lost, "tag was", "tags were")
                + " in memory only, because the disk is full or read-only, and \(lost == 1 ? "was" : "were") lost"
        )
        return .store
    }

    /// Deletes the folder of a temporary buffer, which is closed.
    func remove() {
        // A buffer has no subfolders.
        do throws(SystemError) {
            for name in try FileSystem.names(in: directory) { try FileSystem.remove("\(directory)/\(name)") }
            try FileSystem.removeDirectory(directory)
        } catch {
            if error.code != ENOENT {
                context.console.note("\(directory): cannot be deleted: \(error.reason)")
            }
        }
    }

    /// The exit status of a command that could not open the buffer.
    var statusWithoutStore: ExitStatus { Interruption.shared.isRequested ? .interrupted : .store }

    private func pause(_ duration: Duration) async {
        do {
            try await Task.sleep(for: duration)
        } catch {
            // Interrupted: the caller checks for that.
        }
    }

    private func holder(_ process: Int32?) -> String {
        let who = "held by \(process.map { "process \($0)" } ?? "another process")"
        guard let since = StoreHolder.last(of: directory)?.since else { return who }
        return "\(who) since \(RFC3339.tableText(unixSeconds: since.components.seconds)) UTC"
    }

    /// Opens the buffer, or a temporary copy if the command only reads and the file system is read-only.
    func buffer() async throws(StoreError) -> TagBuffer {
        guard onlyLooks, FileSystem.isOnReadOnlyFileSystem(directory) else {
            return try await TagBuffer.open(
                directory: directory, settings: settings, clock: .system, trusting: trustedUsers)
        }
        return try await TagBuffer.openCopy(of: directory, in: context.environment["TMPDIR"] ?? "/tmp")
    }

    /// Returns the status of a buffer that `buffer()` opened, with the limits that the user set.
    func status(of store: TagBuffer) async throws(StoreError) -> StoreStatus {
        var status = try await store.status()
        status.maximumByteCount = Int64(settings.maximumByteCount)
        status.maximumAgeMilliseconds = settings.maximumAge.milliseconds
        status.fullPolicy = settings.fullPolicy
        return status
    }

    /// Prints the problems found while opening the buffer.
    private func report(_ findings: OpeningFindings) {
        if let damage = findings.damage {
            context.console.note(
                "\(directory): the database was damaged and has been moved aside: \(damage); "
                    + DecimalText.count(findings.salvagedCount, "tag was", "tags were") + " recovered")
        }
        if findings.missingCount > 0 {
            let tags = DecimalText.count(findings.missingCount, "tag is", "tags are")
            context.console.note("\(directory): \(tags) missing at the end")
        }
        if !findings.isHighWaterMarkReadable {
            context.console.note("\(directory): the high-water mark could not be read")
        }
    }
}

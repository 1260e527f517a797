import FoundationEssentials
import HostSystem
import TagRecord
import TagStore
import TextForms

/// Opens the buffer that a command works with.
struct StoreAccess {
    private let context: CommandContext

    /// The folder of the buffer.
    let directory: String

    /// The most that the buffer may take where the user sets no limit; nil for the usual.
    var usualByteCount: Int?

    /// Whether the command changes nothing, so that a copy does where the folder cannot be written.
    var onlyLooks = false

    init(_ context: CommandContext) throws(UsageError) {
        self.context = context
        if let named = context.invocation[.store] {
            guard !named.hasPrefix("file:"), !named.contains("://") else {
                throw context.usageError("--store takes the path of a folder, not the address '\(named)'")
            }
            directory = named
        } else {
            guard let state = UserFolders(context.environment).state else {
                throw context.usageError("--store is needed: neither it nor HOME is set")
            }
            directory = "\(state)/dtvr/store"
        }
    }

    /// Whether there is a buffer at all; a command that only looks must not make one.
    var exists: Bool { FileManager.default.fileExists(atPath: directory) }

    /// The bounds that the user set.
    var settings: StoreSettings {
        let call = context.invocation
        var settings = StoreSettings()
        if let bytes = usualByteCount ?? call.bytes(.maxBytes) { settings.maximumByteCount = bytes }
        if let seconds = call.seconds(.maxAge) { settings.maximumAge = .seconds(seconds) }
        if let policy = call[.whenFull] {
            settings.fullPolicy = policy == "refuse-newest" ? .refuseNewest : .evictOldest
        }
        return settings
    }

    /// How often a buffer is asked for that another process holds, and after how long the user is told.
    private static let pollInterval = Duration.milliseconds(50)
    private static let silentWait = Duration.seconds(1)

    /// Opens the buffer, making it where there is none, and waits for one that another process holds; nil where it
    /// cannot be had, which has been said then.
    func open() async -> TagBuffer? {
        let start = ContinuousClock.now
        let limit = Duration.seconds(context.invocation.seconds(.wait) ?? 0)
        var isTold = false
        while true {
            do throws(StoreError) {
                return try await openNow()
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

    /// Opens the buffer, or asks the monitor that has it; waits for any other process that does.
    func openToAsk() async throws(UsageError) -> AskedBuffer? {
        do throws(StoreError) {
            return .own(try await openNow())
        } catch {
            if case .inUse = error, let served = try servedBuffer {
                do throws(AskedBuffer.Failure) {
                    _ = try await served.status()
                    return .served(served)
                } catch {
                    // It is about to end, or hangs: then it is waited for as any other is.
                }
            }
        }
        return await open().map(AskedBuffer.own)
    }

    /// The buffer of a monitor that runs; nil where none has it.
    private var servedBuffer: ServedBuffer? {
        get throws(UsageError) { ServedBuffer(in: directory, client: try context.makeHTTPClient()) }
    }

    /// The status of a buffer that another process has: what a monitor says, or what the process wrote last.
    func statusOfHolder() async throws(UsageError) -> StoreStatus? {
        guard let served = try servedBuffer else { return StoreStatus.lastWritten(in: directory) }
        do throws(AskedBuffer.Failure) {
            return try await served.status()
        } catch {
            return StoreStatus.lastWritten(in: directory)
        }
    }

    /// Opens the buffer, or throws at once.
    func openNow() async throws(StoreError) -> TagBuffer {
        let store = try await buffer()
        report(store.findings)
        return store
    }

    /// The status of a command that did not get the buffer.
    var statusWithoutStore: ExitStatus { Interruption.shared.isRequested ? .interrupted : .store }

    private func pause(_ duration: Duration) async {
        do {
            try await Task.sleep(for: duration)
        } catch {
            // Interrupted: whoever waits looks for that.
        }
    }

    private func holder(_ process: Int32?) -> String {
        let who = "held by \(process.map { "process \($0)" } ?? "another process")"
        guard let since = StoreHolder.last(of: directory)?.since else { return who }
        return "\(who) since \(RFC3339.tableText(unixSeconds: since.components.seconds)) UTC"
    }

    /// The buffer, or a copy of it.
    func buffer() async throws(StoreError) -> TagBuffer {
        guard onlyLooks, FileSystem.isOnReadOnlyFileSystem(directory) else {
            return try await TagBuffer.open(directory: directory, settings: settings)
        }
        return try await TagBuffer.openCopy(of: directory, in: context.environment["TMPDIR"] ?? "/tmp")
    }

    /// The status of a buffer that `buffer()` opened, with the bounds that the user set.
    func status(of store: TagBuffer) async throws(StoreError) -> StoreStatus {
        var status = try await store.status()
        status.maximumByteCount = Int64(settings.maximumByteCount)
        status.maximumAgeMilliseconds = settings.maximumAge.milliseconds
        status.fullPolicy = settings.fullPolicy
        return status
    }

    /// Says what was wrong with the buffer when it was opened.
    private func report(_ findings: OpeningFindings) {
        if let damage = findings.damage {
            context.console.note(
                "\(directory): the database was damaged and has been set aside: \(damage); "
                    + "\(findings.salvagedCount) tags were saved from it")
        }
        if findings.missingCount > 0 {
            context.console.note("\(directory): \(findings.missingCount) tags are missing at the end")
        }
        if !findings.isHighWaterMarkReadable {
            context.console.note("\(directory): the high-water mark could not be read")
        }
    }
}

import Foundation
import TagStore

/// Opens the buffer that a command works with.
struct StoreAccess {
    private let context: CommandContext

    /// The folder of the buffer.
    let directory: String

    init(_ context: CommandContext) throws(UsageError) {
        self.context = context
        if let named = context.invocation[.store] {
            directory = named
        } else {
            let state =
                context.environment["XDG_STATE_HOME"]
                ?? context.environment["HOME"].map { "\($0)/.local/state" }
            guard let state else { throw context.usageError("--store is needed: neither it nor HOME is set") }
            directory = "\(state)/dtvr/store"
        }
    }

    /// Whether there is a buffer at all; a command that only looks must not make one.
    var exists: Bool { FileManager.default.fileExists(atPath: directory) }

    /// The bounds that the user set.
    var settings: StoreSettings {
        let call = context.invocation
        var settings = StoreSettings()
        if let bytes = call.bytes(.maxBytes) { settings.maximumByteCount = bytes }
        if let seconds = call.seconds(.maxAge) { settings.maximumAge = .seconds(seconds) }
        if let policy = call[.whenFull] {
            settings.fullPolicy = policy == "refuse-newest" ? .refuseNewest : .evictOldest
        }
        return settings
    }

    /// Opens the buffer, making it where there is none; nil where it cannot be had, which has been said then.
    func open() async -> TagBuffer? {
        do throws(StoreError) {
            let store = try await TagBuffer.open(directory: directory, settings: settings)
            report(store.findings)
            return store
        } catch {
            context.console.note("\(directory): \(error)")
            return nil
        }
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

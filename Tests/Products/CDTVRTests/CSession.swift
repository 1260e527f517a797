import CDTVRHeader
import Glibc
import Synchronization
import TestSupport

/// A session that is used only through the functions of dtvr.h.
///
/// The test destroys it.
@safe final class CSession: Sendable {
    /// The notices that the callback has received.
    struct Notices: Sendable {
        var codes: [Int32] = []
        var startedCount = 0
        var runningCount = 0
    }

    /// The options of dtvr_options that a test sets, and the duration of the callback.
    struct Options {
        var configurationFile: String?
        var configurationURL: String?
        var authoritiesFile: String?
        var log: String?
        var maximumByteCount: UInt64 = 0
        var maximumAgeSeconds: UInt64 = 0
        var keepsRepeats = false
        var callbackMilliseconds: UInt32 = 0
        /// Whether each callback waits for `releaseCallbacks`.
        var blocksCallbacks = false
    }

    private final class Listener: Sendable {
        let milliseconds: UInt32
        let notices = Mutex(Notices())
        let isBlocked: Mutex<Bool>

        init(_ options: Options) {
            milliseconds = options.callbackMilliseconds
            isBlocked = Mutex(options.blocksCallbacks)
        }
    }

    /// The information of the app, as JSON.
    static let app = #"{"appid":"T0000D7A1-0000-4000-8000-00000000D7A1","appname":"c","appversion":"1"}"#

    private let bits: UInt
    private let listener: Listener

    /// The notices of the callback so far.
    var notices: Notices { listener.notices.withLock { $0 } }

    var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: bits) }

    /// Creates and initializes a session; nil if the status is not DTVR_DONE.
    init?(_ folder: String, _ options: Options = Options()) {
        let listener = Listener(options)
        self.listener = listener
        var session: OpaquePointer?
        // The library copies texts before dtvr_create returns.
        var texts: [UInt] = []
        defer { for text in texts { unsafe free(UnsafeMutableRawPointer(bitPattern: text)) } }
        func text(_ value: String?) -> dtvr_text {
            guard let value else { return unsafe dtvr_text() }
            let copy = unsafe strdup(value)
            texts.append(UInt(bitPattern: copy))
            return unsafe dtvr_text(bytes: copy, length: value.utf8.count)
        }
        var known = unsafe dtvr_options()
        unsafe known.size = MemoryLayout<dtvr_options>.size
        unsafe known.directory = text(folder)
        unsafe known.configuration_file = text(options.configurationFile)
        unsafe known.configuration_url = text(options.configurationURL)
        unsafe known.authorities_file = text(options.authoritiesFile)
        unsafe known.log = text(options.log)
        unsafe known.maximum_bytes = options.maximumByteCount
        unsafe known.maximum_age_seconds = options.maximumAgeSeconds
        unsafe known.keeps_repeats = options.keepsRepeats
        // The listener is never released, so that it outlives the callbacks, which end with dtvr_destroy.
        unsafe known.context = Unmanaged.passRetained(listener).toOpaque()
        unsafe known.notify = { context, _, code, _, _, _ in
            guard let context = unsafe context else { return }
            let listener = unsafe Unmanaged<Listener>.fromOpaque(context).takeUnretainedValue()
            listener.notices.withLock {
                $0.startedCount += 1
                $0.runningCount += 1
            }
            usleep(listener.milliseconds * 1_000)
            while listener.isBlocked.withLock({ $0 }) { usleep(1_000) }
            listener.notices.withLock {
                $0.runningCount -= 1
                $0.codes.append(code)
            }
        }
        let app = Self.app
        let status = unsafe dtvr_create(&known, app, app.utf8.count, &session)
        guard status == DTVR_DONE, let session = unsafe session else { return nil }
        bits = UInt(bitPattern: session)
    }

    /// Lets blocked callbacks return.
    func releaseCallbacks() { listener.isBlocked.withLock { $0 = false } }

    /// Hands over a tag with an owner identifier.
    @discardableResult
    func send(_ owner: String, mediaTime: Double = .nan) -> dtvr_status {
        unsafe dtvr_send_id3(pointer, owner, owner.utf8.count, mediaTime)
    }

    /// Starts a viewing session of a channel.
    func play() -> dtvr_status {
        let channel = #"{"channelName":"One"}"#
        return unsafe dtvr_play(pointer, channel, channel.utf8.count, .nan)
    }

    func stop(at playhead: Double) -> dtvr_status { unsafe dtvr_stop(pointer, playhead) }

    /// Plays an asset on another channel from its first second to its fifth, without a tag.
    func playAssetWithoutTags() {
        let channel = #"{"channelName":"Two","dataSrc":"cms"}"#
        let asset = #"{"type":"content","assetid":"A"}"#
        _ = unsafe dtvr_play(pointer, channel, channel.utf8.count, .nan)
        _ = unsafe dtvr_load_metadata(pointer, asset, asset.utf8.count)
        for second in 0..<5 { _ = unsafe dtvr_playhead_position(pointer, Double(second)) }
        _ = unsafe dtvr_end(pointer, 5)
    }

    /// Passes a number to each function that has a number as a parameter.
    func hand(_ number: Double) {
        let text = #"{"channelName":"One"}"#
        _ = unsafe dtvr_play(pointer, text, text.utf8.count, number)
        _ = unsafe dtvr_playhead_position(pointer, number)
        _ = unsafe dtvr_set_volume(pointer, number)
        _ = unsafe dtvr_ggpm(pointer, "15", 2, text, text.utf8.count, number)
        _ = unsafe dtvr_pause(pointer, number)
        _ = unsafe dtvr_stop(pointer, number)
        _ = unsafe dtvr_end(pointer, number)
    }

    /// Passes JSON to each function that has metadata as a parameter.
    func handMetadata(_ json: String) {
        _ = unsafe dtvr_load_metadata(pointer, json, json.utf8.count)
        _ = unsafe dtvr_update_metadata(pointer, json, json.utf8.count)
        _ = unsafe dtvr_update_ott(pointer, json, json.utf8.count)
        _ = unsafe dtvr_track_viewability(pointer, json, json.utf8.count)
        _ = unsafe dtvr_process_event(pointer, json, json.utf8.count)
        _ = unsafe dtvr_track_event(pointer, json, json.utf8.count)
    }

    /// Makes a call by its name, with a JSON list of arguments.
    func call(_ name: String, _ arguments: String) {
        _ = unsafe dtvr_call(
            pointer, name, name.utf8.count, arguments, arguments.utf8.count, nil, 0, nil)
    }

    /// Waits, as a C program does, on a thread outside of Swift's concurrency.
    func settle(milliseconds: UInt64 = 600_000) async throws -> dtvr_status {
        try await onOwnThread { unsafe dtvr_settle(self.pointer, milliseconds) }
    }

    func destroy(milliseconds: UInt64 = 600_000) async throws -> dtvr_status {
        try await onOwnThread { unsafe dtvr_destroy(self.pointer, milliseconds) }
    }

    /// Delivers what is stored, as a C program does.
    func deliver(milliseconds: UInt64) async throws -> (status: dtvr_status, result: dtvr_delivered) {
        try await onOwnThread {
            var result = dtvr_delivered()
            result.size = MemoryLayout<dtvr_delivered>.size
            let status = unsafe dtvr_deliver_within(self.pointer, milliseconds, &result)
            return (status, result)
        }
    }

    /// Applies an address of the opt-out page.
    func optOut(_ address: String) -> dtvr_status {
        unsafe dtvr_user_opt_out(pointer, address, address.utf8.count)
    }

    var counts: dtvr_counts {
        var counts = dtvr_counts()
        counts.size = MemoryLayout<dtvr_counts>.size
        _ = unsafe dtvr_get_counts(pointer, &counts)
        return counts
    }

    /// The counts of the folder's buffer; nil while it is not open.
    var bufferCounts: dtvr_buffer_counts? {
        var counts = dtvr_buffer_counts()
        counts.size = MemoryLayout<dtvr_buffer_counts>.size
        return unsafe dtvr_get_buffer_counts(pointer, &counts) == DTVR_DONE ? counts : nil
    }

    var delivery: dtvr_delivery {
        var delivery = dtvr_delivery()
        delivery.size = MemoryLayout<dtvr_delivery>.size
        _ = unsafe dtvr_get_delivery(pointer, &delivery)
        return delivery
    }

    /// The address of the opt-out page; nil unless the configuration names one.
    var optOutURL: String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1_024) { buffer in
            let status = unsafe dtvr_opt_out_url(pointer, buffer.baseAddress, buffer.count, nil)
            return unsafe status == DTVR_DONE ? String(cString: buffer.baseAddress!) : nil
        }
    }
}

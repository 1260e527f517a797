import Glibc
import HLSInput
package import HostSystem
import StreamHealth
import Synchronization

/// The fifth stage: saves evidence of each raised alert in a folder for that alert.
///
/// Nothing is saved in advance. When an alert is raised, the playlist and its newest segments are fetched again, one
/// channel after the other and in the same way as for reading. A thousand channels therefore need no extra memory.
package final class EvidenceRecorder: Sendable {
    /// The limits on the segments, on a playlist's text, and on the number of segments.
    private static let maximumSegmentByteCount = 8 << 20
    private static let maximumPlaylistByteCount = 1 << 20
    private static let maximumSegmentCount = 64
    /// The time limit for the requests of one alert, in seconds.
    private static let maximumSeconds = 60.0
    /// The maximum number of queued alerts; further ones get no evidence.
    private static let maximumWaitingCount = 16
    /// The maximum size of the evidence of one alert.
    private static let maximumByteCount = maximumSegmentByteCount + 2 * maximumPlaylistByteCount
    /// The disk space that must stay free in addition.
    private static let freeByteCount = 64 << 20

    private let evidence: EvidenceFolder
    private let clock: any HostClock
    private let problem: ProblemLatch
    private let waitingCount = Mutex(0)
    /// The folders to fill, with the facts that are known.
    private let jobs = AsyncStream.makeStream(of: (folder: String, facts: EvidenceFacts).self)

    /// Creates a recorder for a folder, which is created with the first evidence.
    ///
    /// - Parameter note: Called with a message when evidence cannot be saved, and when it can be again.
    package init(folder: String, clock: any HostClock = .system, note: @escaping @Sendable (String) -> Void) {
        evidence = EvidenceFolder(path: folder)
        self.clock = clock
        problem = ProblemLatch(end: "evidence of alerts is recorded again", note: note)
    }

    /// Returns the folder with the evidence of an alert, or nil if it has none; starts to fill that of a raised alert.
    func folder(for change: AlertChange, subject: (Alert) -> EvidenceSubject?) -> String? {
        switch change {
        case .raised(let alert): subject(alert).flatMap { begin(alert, of: $0) }
        case .cleared(let alert): folder(ofAlert: alert.id)
        }
    }

    /// Creates the folder of a raised alert and queues the alert; returns nil if that fails.
    private func begin(_ alert: Alert, of subject: EvidenceSubject) -> String? {
        guard let waitingCount = reserve() else { return nil }
        let folder = evidence.path(ofAlert: alert.id)
        let facts = EvidenceFacts(alert: alert, subject: subject)
        do throws(SystemError) {
            try FileSystem.makeDirectory(folder)
            let free = FileSystem.availableByteCount(at: "\(folder)/") ?? .max
            // Reserve space for the queued alerts too.
            guard free >= Self.freeByteCount + waitingCount * Self.maximumByteCount else {
                throw SystemError(operation: "write", path: folder, code: ENOSPC)
            }
            try evidence.makeRoom(byteCount: waitingCount * Self.maximumByteCount, keeping: folder)
            try write(facts, to: folder)
        } catch {
            fail(error, folder)
            release()
            return nil
        }
        jobs.continuation.yield((folder, facts))
        return folder
    }

    /// Reserves a place in the queue and returns the number of reserved places, or nil if the queue is full.
    private func reserve() -> Int? {
        waitingCount.withLock { count in
            guard count < Self.maximumWaitingCount else { return nil }
            count += 1
            return count
        }
    }

    private func release() { waitingCount.withLock { $0 -= 1 } }

    /// Returns the folder with the evidence of the alert with an id, or nil if it has none.
    func folder(ofAlert id: String) -> String? {
        let folder = evidence.path(ofAlert: id)
        return FileSystem.isDirectory(folder) ? folder : nil
    }

    /// Reports the error and removes the incomplete folder.
    private func fail(_ error: SystemError, _ folder: String) {
        problem.set("evidence of alerts is not recorded: \(error.reason)")
        do throws(SystemError) {
            try evidence.remove(folder)
        } catch {
            // The folder was not created, or is removed later as one of the oldest.
        }
    }

    // MARK: Filling a folder

    /// Fills the folders until the task is cancelled.
    package func run() async {
        for await (folder, facts) in jobs.stream {
            do throws(SystemError) {
                try await fill(folder, facts)
                problem.set(nil)
            } catch {
                fail(error, folder)
            }
            release()
        }
    }

    private func fill(_ folder: String, _ known: EvidenceFacts) async throws(SystemError) {
        var facts = known
        let input = facts.subject.input
        let end = clock.sinceBoot + .seconds(Self.maximumSeconds)
        let start = clock.sinceBoot
        let place: LiveRenditionPlace
        do throws(InputError) {
            place = try await facts.subject.openPlace()
        } catch {
            facts.requests.append(
                .init(
                    address: input.printableURL, seconds: (clock.sinceBoot - start) / .seconds(1),
                    failure: error.reason))
            return try write(facts, to: folder)
        }
        let load = await LiveRendition(place, of: input).load(at: clock.sinceBoot, jitter: 0)
        let response = load.printableResponse
        var request = EvidenceFacts.Request(
            address: response?.url ?? input.printableURL, seconds: load.duration / .seconds(1),
            failure: load.failure?.reason)
        if let response {
            request.status = response.status
            request.headerLines = response.headerLines
            request.byteCount = response.byteCount
            request.file = "playlist.txt"
            let text = response.playlist(maximumByteCount: Self.maximumPlaylistByteCount)
            try FileSystem.replace("\(folder)/playlist.txt", with: Array(text.utf8))
        }
        facts.requests.append(request)
        let copied = await copySegments(of: load, from: input, to: folder, until: end)
        facts.requests += copied.requests
        if let failure = copied.failure { throw failure }
        if !copied.entries.isEmpty {
            try FileSystem.replace("\(folder)/index.m3u8", with: Array(copied.playlistText.utf8))
        }
        try write(facts, to: folder)
    }

    private func write(_ facts: EvidenceFacts, to folder: String) throws(SystemError) {
        try FileSystem.replace("\(folder)/evidence.json", with: facts.json)
    }

    /// Copies consecutive segments, newest first, as far as space and time allow.
    private func copySegments(
        of load: LivePlaylistLoad, from input: LiveInput, to folder: String, until end: Duration
    ) async -> CopiedSegments {
        var copied = CopiedSegments(folder: folder, room: Self.maximumSegmentByteCount)
        for segment in load.segments.suffix(Self.maximumSegmentCount).reversed() {
            let seconds = Int((end - clock.sinceBoot) / .seconds(1))
            guard !segment.isGap, copied.room > 0, seconds > 0, !Task.isCancelled else { break }
            let name = "segment-\(segment.mediaSequence).\(Self.pathExtension(of: segment.printableURI))"
            let copy = await input.copy(
                .segment, of: segment, to: "\(folder)/\(name)", maximumByteCount: copied.room,
                seconds: seconds)
            copied.record(copy, as: name)
            // Keep an incomplete copy only of the newest segment: any other would leave a gap.
            if copy.failure != nil, !copied.entries.isEmpty || copy.byteCount == 0 {
                copied.dropLast()
                if copied.failure == nil, copied.entries.isEmpty { continue }
            }
            guard copied.failure == nil, copied.requests.last?.file != nil else { break }
            var initialization: String?
            if let id = segment.initializationID {
                initialization = copied.initializationNames[id]
                if initialization == nil {
                    let name = "init-\(copied.initializationNames.count).mp4"
                    let copy = await input.copy(
                        .initialization, of: segment, to: "\(folder)/\(name)",
                        maximumByteCount: copied.room, seconds: seconds)
                    copied.record(copy, as: name)
                    copied.initializationNames[id] = name
                    initialization = name
                }
            }
            copied.entries.insert(
                .init(segment: segment, name: name, initializationName: initialization), at: 0)
            copied.targetSeconds = max(copied.targetSeconds, segment.targetSeconds)
            if copied.failure != nil { break }
        }
        return copied
    }

    /// Returns the file extension of a segment's URI, or "bin" if it has none that is valid.
    private static func pathExtension(of uri: String) -> String {
        let path = uri.prefix { $0 != "?" && $0 != "#" }
        guard let dot = path.lastIndex(of: ".") else { return "bin" }
        let ending = path[path.index(after: dot)...]
        return (1...5).contains(ending.utf8.count) && ChannelSettings.isID(String(ending))
            ? String(ending) : "bin"
    }
}

/// The folder with the evidence of all alerts, one subfolder each, limited in size: the oldest are removed first.
struct EvidenceFolder: Sendable {
    /// The maximum total size in bytes.
    static let maximumByteCount = 200 << 20
    /// The maximum number of alerts with evidence.
    static let maximumCount = 1_000

    /// The path of the folder.
    let path: String

    /// Returns the path for the evidence of an alert.
    func path(ofAlert id: String) -> String {
        let name = id.utf8.map { byte -> String in
            let letter = String(decoding: [byte], as: UTF8.self)
            return ChannelSettings.isID(letter) || letter == "." ? letter : "_"
        }
        // The distinctive part of an alert's id is at its end.
        return "\(path)/\(name.joined().suffix(Self.maximumNameLength).drop { $0 == "." })"
    }

    private static let maximumNameLength = 200

    /// Removes the oldest evidence until there is room for `byteCount` bytes and one more alert; never removes
    /// `current`.
    func makeRoom(byteCount: Int, keeping current: String) throws(SystemError) {
        var entries: [(path: String, age: Duration, byteCount: Int)] = []
        for name in try FileSystem.names(in: path) {
            let folder = "\(path)/\(name)"
            guard folder != current, let age = FileSystem.modificationTime(of: folder) else { continue }
            entries.append((folder, age, try size(of: folder)))
        }
        entries.sort { ($0.age, $0.path) < ($1.age, $1.path) }
        var total = entries.reduce(byteCount) { $0 + $1.byteCount }
        var count = entries.count
        for entry in entries where total > Self.maximumByteCount || count >= Self.maximumCount {
            try remove(entry.path)
            total -= entry.byteCount
            count -= 1
        }
    }

    /// Removes the evidence of an alert.
    func remove(_ folder: String) throws(SystemError) {
        for name in try names(in: folder) { try FileSystem.remove("\(folder)/\(name)") }
        try FileSystem.removeDirectory(folder)
    }

    private func size(of folder: String) throws(SystemError) -> Int {
        try names(in: folder).reduce(0) { $0 + (FileSystem.byteCount(of: "\(folder)/\($1)") ?? 0) }
    }

    /// Returns the file names of an alert's evidence; throws if the folder is a symbolic link, which the monitor never
    /// makes.
    private func names(in folder: String) throws(SystemError) -> [String] {
        _ = try FileDescriptor(path: folder, options: [.reading, .directory, .noFollow])
        return try FileSystem.names(in: folder)
    }
}

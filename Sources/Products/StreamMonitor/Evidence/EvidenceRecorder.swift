import Glibc
import HLSInput
import HLSPlaylist
import HTTPTransfer
package import HostSystem
import StreamHealth
import Synchronization

/// Keeps what a channel was like when an alert was raised, in a folder for each alert.
///
/// Nothing is kept before an alert. At the alert the playlist and its newest segments are fetched once more, of one
/// channel after the other and as they were fetched to be read, so that a thousand channels cost no memory for it.
package final class EvidenceRecorder: Sendable {
    /// What is kept of segments, of a playlist's text, and how many segments.
    private static let maximumSegmentByteCount = 8 << 20
    private static let maximumPlaylistByteCount = 1 << 20
    private static let maximumSegmentCount = 64
    /// How many seconds the requests for one alert may take.
    private static let maximumSeconds = 60.0
    /// How many alerts wait; those that come then have no evidence.
    private static let maximumWaitingCount = 16
    /// What the evidence of an alert may take.
    private static let maximumByteCount = maximumSegmentByteCount + 2 * maximumPlaylistByteCount
    /// What must be free on the disk besides.
    private static let freeByteCount = 64 << 20

    /// What is to be done for an alert.
    private struct Job: Sendable {
        let folder: String
        let event: MonitorEvent
        let subject: EvidenceSubject
    }

    private let shelf: EvidenceShelf
    private let clock: any HostClock
    private let problem: StandingProblem
    private let waitingCount = Mutex(0)
    private let jobs = AsyncStream.makeStream(of: Job.self)

    /// Keeps evidence in a folder, which is made with the first.
    ///
    /// - Parameter note: told once what is wrong.
    package init(folder: String, clock: any HostClock = .system, note: @escaping @Sendable (String) -> Void) {
        shelf = EvidenceShelf(path: folder)
        self.clock = clock
        problem = StandingProblem(end: "evidence is kept again", note: note)
    }

    /// Makes the folder of an alert that is raised, to be filled soon; nil where that cannot be.
    func begin(_ event: MonitorEvent, of subject: EvidenceSubject) -> String? {
        guard case .alert(let notice) = event.kind, let waitingCount = reserve() else { return nil }
        let folder = shelf.path(ofAlert: notice.id)
        do throws(SystemError) {
            try FileSystem.makeDirectory(folder)
            let free = FileSystem.availableByteCount(at: "\(folder)/") ?? .max
            // Those that wait are written before it.
            guard free >= Self.freeByteCount + waitingCount * Self.maximumByteCount else {
                throw SystemError(operation: "write", path: folder, code: ENOSPC)
            }
            try shelf.makeRoom(byteCount: waitingCount * Self.maximumByteCount, keeping: folder)
            try write(EvidenceFacts(event: event, subject: subject), to: folder)
        } catch {
            fail(error, folder)
            release()
            return nil
        }
        jobs.continuation.yield(Job(folder: folder, event: event, subject: subject))
        return folder
    }

    /// Has one more wait; how many do then, and nil where that would be too many.
    private func reserve() -> Int? {
        waitingCount.withLock { count in
            guard count < Self.maximumWaitingCount else { return nil }
            count += 1
            return count
        }
    }

    private func release() { waitingCount.withLock { $0 -= 1 } }

    /// The folder of an alert that has one.
    func folder(ofAlert id: String) -> String? {
        let folder = shelf.path(ofAlert: id)
        return FileSystem.isDirectory(folder) ? folder : nil
    }

    /// Says what is wrong, and removes what would only be half of it.
    private func fail(_ error: SystemError, _ folder: String) {
        problem.set("no evidence of alerts is kept: \(error.reason)")
        do throws(SystemError) {
            try shelf.remove(folder)
        } catch {
            // It was not made, or is removed with the oldest.
        }
    }

    // MARK: Filling a folder

    /// Fills the folders, until the task is cancelled.
    package func run() async {
        for await job in jobs.stream {
            do throws(SystemError) {
                try await fill(job)
                problem.set(nil)
            } catch {
                fail(error, job.folder)
            }
            release()
        }
    }

    private func fill(_ job: Job) async throws(SystemError) {
        var facts = EvidenceFacts(event: job.event, subject: job.subject)
        let end = clock.sinceBoot + .seconds(Self.maximumSeconds)
        let start = clock.sinceBoot
        let place: LiveRenditionPlace
        do throws(InputError) {
            place = try await job.subject.openPlace()
        } catch {
            facts.requests.append(
                .init(
                    address: job.subject.settings.url, seconds: (clock.sinceBoot - start) / .seconds(1),
                    failure: error.reason))
            return try write(facts, to: job.folder)
        }
        let load = await LiveRendition(place, of: job.subject.input).load(at: clock.sinceBoot, jitter: 0)
        var request = EvidenceFacts.Request(
            address: load.response?.url ?? job.subject.settings.url, seconds: load.duration / .seconds(1),
            failure: load.failure?.reason)
        if let response = load.response {
            request.status = response.status
            request.headers = response.headers.fields
            request.byteCount = response.body.count
            request.file = "playlist.txt"
            let text = facts.redaction.playlist(response.body.prefix(Self.maximumPlaylistByteCount))
            try FileSystem.replace("\(job.folder)/playlist.txt", with: Array(text.utf8))
        }
        facts.requests.append(request)
        let copied = await copySegments(of: load, job, until: end)
        facts.requests += copied.requests
        if let failure = copied.failure { throw failure }
        if !copied.playlist.entries.isEmpty {
            try FileSystem.replace("\(job.folder)/index.m3u8", with: Array(copied.playlist.text.utf8))
        }
        try write(facts, to: job.folder)
    }

    private func write(_ facts: EvidenceFacts, to folder: String) throws(SystemError) {
        try FileSystem.replace("\(folder)/evidence.json", with: facts.json)
    }

    /// Copies the newest segments that follow one another, as many as there is room and time for.
    private func copySegments(
        of load: LivePlaylistLoad, _ job: Job, until end: Duration
    ) async -> CopiedSegments {
        var copied = CopiedSegments(folder: job.folder, room: Self.maximumSegmentByteCount)
        for segment in load.segments.suffix(Self.maximumSegmentCount).reversed() {
            let listed = segment.listed
            let seconds = Int((end - clock.sinceBoot) / .seconds(1))
            guard !listed.isGap, copied.room > 0, seconds > 0, !Task.isCancelled else { break }
            let name = "segment-\(listed.mediaSequence).\(Self.pathExtension(of: listed.uri))"
            let copy = await job.subject.input.copy(
                .segment, of: segment, to: "\(job.folder)/\(name)", maximumByteCount: copied.room,
                seconds: seconds)
            copied.note(copy, of: listed.uri, as: name)
            // A part of the newest is better than nothing; of another one it would leave a hole.
            if copy.failure != nil, !copied.playlist.entries.isEmpty || copy.byteCount == 0 {
                copied.dropLast()
                if copied.failure == nil, copied.playlist.entries.isEmpty { continue }
            }
            guard copied.failure == nil, copied.requests.last?.file != nil else { break }
            var initialization: String?
            if let map = listed.map {
                initialization = copied.playlist.initializationNames[map]
                if initialization == nil {
                    let name = "init-\(copied.playlist.initializationNames.count).mp4"
                    let copy = await job.subject.input.copy(
                        .initialization, of: segment, to: "\(job.folder)/\(name)",
                        maximumByteCount: copied.room, seconds: seconds)
                    copied.note(copy, of: map.uri, as: name)
                    copied.playlist.initializationNames[map] = name
                    initialization = name
                }
            }
            copied.playlist.entries.insert(
                .init(listed: listed, name: name, initializationName: initialization), at: 0)
            copied.playlist.targetSeconds = max(copied.playlist.targetSeconds, segment.targetSeconds)
            if copied.failure != nil { break }
        }
        return copied
    }

    /// The ending of a segment's name, where it is one.
    private static func pathExtension(of uri: String) -> String {
        let path = uri.prefix { $0 != "?" && $0 != "#" }
        guard let dot = path.lastIndex(of: ".") else { return "bin" }
        let ending = path[path.index(after: dot)...]
        return (1...5).contains(ending.utf8.count) && ChannelSettings.isID(String(ending))
            ? String(ending) : "bin"
    }
}

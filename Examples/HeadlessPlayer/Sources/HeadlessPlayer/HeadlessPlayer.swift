import DTVRKit
import Foundation
import PlayerSession

/// Plays an HLS stream without rendering it, and measures it as a player does.
///
///     dtvr collect --listen 127.0.0.1:8271 &
///     swift run HeadlessPlayer ../../media/demo/index.m3u8 /tmp/player http://127.0.0.1:8271/ ads 20
///
/// The fourth argument is the sequence: `content`, `ads`, `interruption`, `channels`, `background`, `seek`, `optOut` or
/// `offline`. The last argument is the playback speed as a factor, 1 by default.
@main
struct HeadlessPlayer {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard (4...5).contains(arguments.count), let sequence = CallSequence(rawValue: arguments[3]),
            let speed = arguments.count < 5 ? 1 : Double(arguments[4]), speed > 0
        else {
            print("usage: HeadlessPlayer INPUT DIRECTORY COLLECTOR SEQUENCE [SPEED]")
            return
        }
        let tags = try await tags(of: arguments[0])
        var earlierRecords: Int64 = 0
        if sequence == .offline {
            // No server listens there. The stored records wait in the directory for the next launch.
            let session = try session(in: arguments[1], collector: "http://127.0.0.1:1/")
            try await play(tags, as: sequence, speed: speed, in: session)
            await session.finish()
            if let ending = session.ending {
                earlierRecords = ending.waiting
                print("\(sequence): \(ending.waiting) records wait, delivery is \(ending.delivery.state.rawValue)")
            }
        }
        let session = try session(in: arguments[1], collector: arguments[2])
        if sequence != .offline { try await play(tags, as: sequence, speed: speed, in: session) }
        await deliver(session)
        let (counts, delivered) = (session.counts, session.bufferTotals?.delivered ?? 0)
        // Besides the tags: the app, the assets, and the playback of each.
        let records = Int(earlierRecords) + counts.stored + session.storage.summaries
        print(
            "\(sequence): \(counts.handed) tags, \(counts.stored) stored, "
                + "\(delivered) of \(records) records delivered")
        for (finding, count) in session.findings { print("\(count) × \(finding.rawValue)") }
        await session.finish()
    }

    /// Waits up to ten seconds for the delivery of all records. The rest stays in the directory, and is sent after the
    /// next launch.
    static func deliver(_ session: MeasurementSession) async {
        await session.flush()
        for _ in 0..<100 where session.bufferTotals?.inStore != 0 {
            try? await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Returns the tags of a stream, in playback order.
    static func tags(of input: String) async throws -> [TagOccurrence] {
        let client = try HTTPClient(settings: HTTPClientSettings(userAgent: "HeadlessPlayer/1.0"))
        let fetcher = try ResourceFetcher(client: client)
        let presentation = try await InputResolver(fetcher: fetcher).resolve(input)
        var tags: [TagOccurrence] = []
        for await segment in presentation.readings(through: fetcher) {
            if case .failed(let error) = segment.outcome { print(error.message) }
            tags += segment.tags
        }
        return tags
    }

    /// Returns a session with a configuration that names the collector, and a log of its calls for `dtvr certify`.
    static func session(in directory: String, collector: String) throws -> MeasurementSession {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let configuration = directory + "/measurement.json"
        let content: [String: Any] = ["collectors": ["us": collector], "uploadInterval": 0.2]
        try JSONSerialization.data(withJSONObject: content).write(to: URL(filePath: configuration))
        var options = SessionOptions(directory: directory)
        options.configuration = .file(path: configuration)
        options.log = directory + "/calls.jsonl"
        return MeasurementSession(
            appInfo: [
                "appid": "T00000000-0000-0000-0000-000000000000", "appname": "HeadlessPlayer", "appversion": "1.0",
                "sfcode": "us",
            ],
            options: options)
    }

    /// Plays the stream in steps of a second, and makes the calls of the sequence, with the tags and the playhead.
    static func play(
        _ tags: [TagOccurrence], as sequence: CallSequence, speed: Double, in session: MeasurementSession
    ) async throws {
        let end = (tags.last?.position ?? 0) + 10
        var player = Player(session: session)
        var steps = sequence.steps[...]
        var rest = tags[...]
        var now = 0.0
        while now <= end {
            while let step = steps.first, step.part * end <= now {
                step.act(&player)
                steps.removeFirst()
            }
            now += player.takeSkipped()
            rest = rest.drop { $0.position < now - 1 }
            while let tag = rest.first, tag.position <= now + sequence.lookahead {
                // A tag that is read ahead needs the time of its presentation.
                let mediaTime = sequence.lookahead > 0 ? tag.position : nil
                session.sendID3(tag.tag.ownerIdentifier, mediaTime: mediaTime)
                rest.removeFirst()
            }
            session.playheadPosition(player.playhead)
            player.playhead += 1
            now += 1
            try await Task.sleep(for: .seconds(1 / speed))
        }
        player.finish()
    }
}

import Foundation
import StreamSynthesis
import Synchronization
import TestSupport

/// The output of `Tests/Peers/read_stream.py` for a rendition.
///
/// The reader shares no code with the synthesizer.
struct StreamReading: Decodable {
    /// A value of one field of a tag.
    enum Value: Decodable, Hashable {
        case number(Int64)
        case text(String)
        case truth(Bool)
        case none

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .none
            } else if let truth = try? value.decode(Bool.self) {
                self = .truth(truth)
            } else if let number = try? value.decode(Int64.self) {
                self = .number(number)
            } else {
                self = .text(try value.decode(String.self))
            }
        }
    }

    /// The fields of one tag, by name.
    struct Fields: Decodable {
        var values: [String: Value]

        init(from decoder: any Decoder) throws {
            values = try decoder.singleValueContainer().decode([String: Value].self)
        }

        /// Fields that follow from other fields, or describe how the audio around the tag is packed.
        static let derived: Set = ["hex", "owner", "frameOK", "checksumOK", "id3", "audio"]

        func number(_ name: String) -> Int64? {
            if case .number(let number) = values[name] { number } else { nil }
        }

        func text(_ name: String) -> String? {
            if case .text(let text) = values[name] { text } else { nil }
        }

        /// Returns the names of the fields in which another tag differs, without derived fields.
        func differences(from other: Fields) -> Set<String> {
            let names = Set(values.keys).union(other.values.keys).subtracting(Self.derived)
            return names.filter { values[$0] != other.values[$0] }
        }
    }

    var maps: [String]
    var tags: [Fields]
    var problems: [String]
    var playlist: [String]
    /// A hash of the coded sound.
    var sound: String
}

extension StreamReading {
    /// Reads the stream of a media playlist.
    init(of playlist: String) async throws {
        let output = try await Peer.python.run([MadeStream.readStream, playlist])
        self = try JSONDecoder().decode(StreamReading.self, from: output)
    }
}

/// A stream that was synthesized, read and deleted, with the bytes of its segments.
struct MadeStream {
    /// The renditions in order.
    var renditions: [Rendition]

    struct Rendition {
        var reading: StreamReading
        /// The segments, concatenated.
        var bytes: Data
    }

    private static let scripts = Project.root + "/Tests/Peers"
    static let readStream = scripts + "/read_stream.py"
    static let readFrames = scripts + "/read_frames.py"

    private static let streams = Mutex<[SynthesisSettings: Task<MadeStream, any Error>]>([:])

    /// Returns the stream of these settings, which is synthesized once for all tests.
    static func of(_ settings: SynthesisSettings) async throws -> MadeStream {
        let task = streams.withLock { streams in
            if let task = streams[settings] { return task }
            let task = Task { try await make(settings) }
            streams[settings] = task
            return task
        }
        return try await task.value
    }

    /// Returns the segments of a media playlist.
    static func segments(of path: String) throws -> [URL] {
        let playlist = URL(fileURLWithPath: path)
        return try String(contentsOf: playlist, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .map { playlist.deletingLastPathComponent().appendingPathComponent(String($0)) }
    }

    private static func make(_ settings: SynthesisSettings) async throws -> MadeStream {
        let directory = try TemporaryFolder()
        _ = try StreamSynthesizer(settings).write(to: directory.path)
        var renditions: [Rendition] = []
        for rendition in settings.renditions {
            let playlist = "\(directory.path)/\(rendition.name)/index.m3u8"
            let reading = try await StreamReading(of: playlist)
            var bytes = Data()
            for segment in try segments(of: playlist) {
                bytes += try Data(contentsOf: segment)
            }
            renditions.append(Rendition(reading: reading, bytes: bytes))
        }
        return MadeStream(renditions: renditions)
    }
}

import TestSupport
import Testing

@testable import HLSInput

/// The order in which the segments of a folder without a playlist are read.
@Suite(.timeLimit(.minutes(30))) struct SegmentOrderTests {
    /// Returns the names of the files in the order of reading.
    private static func order(_ files: [(name: String, bytes: [UInt8])]) async throws -> [String] {
        let folder = try TemporaryFolder()
        for file in files { _ = try folder.write(file.name, file.bytes) }
        return try await InputReading(folder.path).readings.map(\.name)
    }

    @Test(arguments: [SyntheticStream.transport, SyntheticStream.wrapping])
    func hashes_areReadByTime_evenIfItWraps(stream: Result<SyntheticStream, any Error>) async throws {
        let stream = try stream.get()
        let names = ["d.ts", "b.ts", "e.ts", "a.ts", "c.ts"]
        let files = names.enumerated().map { (name: $0.element, bytes: stream[$0.offset]) }
        #expect(try await Self.order(files) == names)
        #expect(try await Self.order(files.reversed()) == names)
    }

    /// Names decide if a series has twice as many files as there are series.
    @Test func numbers_decide_ifTheyAreTheMajority() async throws {
        let stream = try SyntheticStream.transport.get()
        let numbered = ["a1.ts", "a2.ts", "b1.ts", "b2.ts"].enumerated().map {
            (name: $0.element, bytes: stream[3 - $0.offset])
        }
        #expect(try await Self.order(numbered) == ["a1.ts", "a2.ts", "b1.ts", "b2.ts"])
        let mixed = ["a1.ts", "a2.ts", "b.ts"].enumerated().map {
            (name: $0.element, bytes: stream[2 - $0.offset])
        }
        #expect(try await Self.order(mixed) == ["b.ts", "a2.ts", "a1.ts"])
        let one = ["a1.ts", "a2.ts", "a10.ts"].enumerated().map {
            (name: $0.element, bytes: stream[2 - $0.offset])
        }
        #expect(try await Self.order(one) == ["a1.ts", "a2.ts", "a10.ts"])
    }

    @Test func initializationSegment_isFirst_andFilesWithoutTimeAreLast() async throws {
        let stream = try SyntheticStream.fragmented.get()
        // A fragment alone has no time, so the names decide.
        let names = ["b.m4s", "c.m4s", "d.m4s"]
        var files = names.enumerated().map { (name: $0.element, bytes: stream[$0.offset]) }
        files.append(("z.mp4", stream.files["init.mp4"] ?? []))
        #expect(try await Self.order(files) == ["z.mp4", "b.m4s", "c.m4s", "d.m4s"])
        let transport = try SyntheticStream.transport.get()
        var timed = ["d.ts", "b.ts", "c.ts"].enumerated().map {
            (name: $0.element, bytes: transport[$0.offset])
        }
        timed.append(("a.txt", Array("notes".utf8)))
        #expect(try await Self.order(timed) == ["d.ts", "b.ts", "c.ts", "a.txt"])
        // With a series, the initialization segment is looked for among the others only.
        let series = (1...3).map { (name: "seg\($0).m4s", bytes: stream[$0 - 1]) }
        let all = series + [("z.mp4", stream.files["init.mp4"] ?? [])]
        #expect(try await Self.order(all) == ["z.mp4", "seg1.m4s", "seg2.m4s", "seg3.m4s"])
    }

    /// Files without a time stay between others whose names have the order of time.
    @Test func namesInTheOrderOfTime_keepFilesWithoutTimeInBetween() async throws {
        let stream = try SyntheticStream.transport.get()
        let names = ["a.ts", "c.ts", "e.ts"]
        var files = names.enumerated().map { (name: $0.element, bytes: stream[$0.offset]) }
        files.append(("b.ts", [UInt8](repeating: 7, count: 400)))
        #expect(try await Self.order(files) == ["a.ts", "b.ts", "c.ts", "e.ts"])
    }
}

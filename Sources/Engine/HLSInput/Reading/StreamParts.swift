import SegmentDemux

/// The parts of a stream that may never end, such as standard input, each read as a segment.
///
/// A transport stream is divided between packets, so that its tags and facts are available while it continues. Other
/// containers are one part.
struct StreamParts: ~Copyable {
    /// The lengths at which a part ends.
    struct Division: Sendable {
        /// The duration of the media in a part, in seconds.
        var seconds = 60.0
        /// The number of tags in a part.
        var tagCount = 32

        /// A part ends with each tag.
        static let atEachTag = Division(tagCount: 1)
    }

    private let stream: OpenedStream
    private let division: Division
    private var sink: SegmentSink
    private var buffer: [UInt8]
    private var isAtFront = true

    init(_ stream: OpenedStream, named name: String, division: Division) {
        self.stream = stream
        self.division = division
        buffer = [UInt8](repeating: 0, count: InputFile.pieceByteCount)
        sink = SegmentSink(name: name, maximumByteCount: .max, decryptor: nil)
    }

    /// Returns the bytes that were read since the last call.
    mutating func removeReadBytes() -> ReadBytes { sink.removeReadBytes() }

    /// Reads until a part ends, and returns its tags and facts; nil at the end of the stream.
    ///
    /// The caller then ends the segment. Cancellation ends the stream.
    mutating func next(into demuxer: inout SegmentDemuxer) throws(InputError) -> DemuxedSegment? {
        if isAtFront {
            isAtFront = false
            let front = stream.front
            try sink.feed(front.span, to: &demuxer)
        }
        // Out of `self`, so that the sink can read it.
        var buffer: [UInt8] = []
        swap(&buffer, &self.buffer)
        defer { swap(&buffer, &self.buffer) }
        while true {
            if let part = try split(&demuxer) { return part }
            let count = try read(into: &buffer)
            if count == 0 { return nil }
            try sink.feed(buffer.span.extracting(0..<count), to: &demuxer)
        }
    }

    /// Reads the next bytes, and returns their number: 0 at the end, and after cancellation.
    private func read(into buffer: inout [UInt8]) throws(InputError) -> Int {
        do throws(InputError) {
            return try stream.file.read(into: &buffer)
        } catch {
            if case .cancelled = error { return 0 }
            throw error
        }
    }

    private func split(_ demuxer: inout SegmentDemuxer) throws(InputError) -> DemuxedSegment? {
        do throws(DemuxError) {
            return try demuxer.splitSegment(atSeconds: division.seconds, orTagCount: division.tagCount)
        } catch {
            throw .demuxing(sink.name, error)
        }
    }
}

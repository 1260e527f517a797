/// A writer that builds the segments of one rendition from encoded pictures, audio frames and tags in time order.
protocol SegmentWriter: ~Copyable {
    /// The file extension of segments.
    static var fileExtension: String { get }

    /// Returns the initialization segment, or nil if the container has none.
    mutating func initialization() throws(SynthesisError) -> [UInt8]?

    /// Begins a segment whose first access unit is at `time`, in ticks of 90 kHz, not wrapped.
    mutating func beginSegment(at time: Int64) throws(SynthesisError)

    /// Adds an encoded picture.
    mutating func addPicture(_ packet: borrowing EncodedPacket) throws(SynthesisError)

    /// Adds an encoded audio frame.
    mutating func addSound(_ packet: borrowing EncodedPacket) throws(SynthesisError)

    /// Adds a tag for the last audio frame.
    mutating func addTag(_ entry: TagSchedule.Entry) throws(SynthesisError)

    /// Ends the segment and returns its bytes.
    mutating func endSegment() throws(SynthesisError) -> [UInt8]
}

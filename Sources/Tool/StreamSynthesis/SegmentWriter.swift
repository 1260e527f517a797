/// Makes the segments of one rendition out of coded pictures, sound and tags, which come in the order of time.
protocol SegmentWriter: ~Copyable {
    /// What the segments' names end with.
    static var fileExtension: String { get }

    /// The initialization segment, before the first segment ends; nil where the container has none.
    mutating func initialization() throws(SynthesisError) -> [UInt8]?

    /// Begins the segment whose first access unit has this time, in ticks of 90 kHz, not wrapped.
    mutating func beginSegment(at time: Int64) throws(SynthesisError)

    /// Adds a coded picture.
    mutating func addPicture(_ packet: borrowing EncodedPacket) throws(SynthesisError)

    /// Adds a coded audio frame.
    mutating func addSound(_ packet: borrowing EncodedPacket) throws(SynthesisError)

    /// Adds a tag, which belongs to the audio frame that was added last.
    mutating func addTag(_ entry: TagSchedule.Entry) throws(SynthesisError)

    /// The bytes of the segment that ends here.
    mutating func endSegment() throws(SynthesisError) -> [UInt8]
}

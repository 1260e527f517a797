/// What was made.
public struct SynthesisReport: Sendable, Hashable {
    /// The files, in the order in which they were written, relative to the directory.
    public var files: [File] = []

    /// The tags of the first rendition, in the order in which they stand in it.
    public var tags: [MadeTag] = []

    /// The bytes of all files.
    public var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }

    /// One file.
    public struct File: Sendable, Hashable {
        /// Its path in the directory, as `v360/seg00000.ts`.
        public let path: String
        /// Its size.
        public let byteCount: Int
    }

    /// One tag of the stream.
    public struct MadeTag: Sendable, Hashable {
        /// Its PTS, 33 bits at 90 kHz.
        public let pts: UInt64
        /// Its owner identifier, as it stands in the stream.
        public let ownerIdentifier: String
        /// The whole tag.
        public let bytes: [UInt8]
    }
}

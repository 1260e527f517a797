/// What was made.
package struct SynthesisReport: Sendable, Hashable {
    /// The files, in the order in which they were written, relative to the directory.
    package var files: [File] = []

    /// The tags of the first rendition, in the order in which they stand in it.
    package var tags: [MadeTag] = []

    /// The bytes of all files.
    package var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }

    /// One file.
    package struct File: Sendable, Hashable {
        /// Its path in the directory, as `v360/seg00000.ts`.
        package let path: String
        /// Its size.
        package let byteCount: Int
    }

    /// One tag of the stream.
    package struct MadeTag: Sendable, Hashable {
        /// Its PTS, 33 bits at 90 kHz.
        package let pts: UInt64
        /// Its owner identifier, as it stands in the stream.
        package let ownerIdentifier: String
        /// The tag, all of it.
        package let bytes: [UInt8]
    }
}

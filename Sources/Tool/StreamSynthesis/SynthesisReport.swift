/// The contents of a generated stream.
package struct SynthesisReport: Sendable, Hashable {
    /// The files in the order of writing, with paths relative to the directory.
    package var files: [File] = []

    /// The tags of the first rendition, in stream order.
    package var tags: [MadeTag] = []

    /// The total size of all files, in bytes.
    package var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }

    /// One file.
    package struct File: Sendable, Hashable {
        /// The path in the directory, such as `v360/seg00000.ts`.
        package let path: String
        /// The size in bytes.
        package let byteCount: Int
    }

    /// One tag of the stream.
    package struct MadeTag: Sendable, Hashable {
        /// The PTS, 33 bits at 90 kHz.
        package let pts: UInt64
        /// The owner identifier, unchanged.
        package let ownerIdentifier: String
        /// The bytes of the complete tag.
        package let bytes: [UInt8]
    }
}

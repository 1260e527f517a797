import HostSystem

/// A small file that only its owner can read, replaced as a whole.
enum PrivateFile {
    /// Writes a file and syncs it; creates its folder if it is missing.
    static func write(_ bytes: [UInt8], to path: String, in directory: String) throws(SystemError) {
        try FileSystem.makeDirectory(directory)
        try FileSystem.replace(path, with: bytes)
    }
}

import HostSystem

/// A small file that only its owner may read, replaced as a whole.
enum PrivateFile {
    /// Writes a file of a folder, which is made where it is missing; synced when it returns.
    static func write(_ bytes: [UInt8], to path: String, in directory: String) throws(SystemError) {
        try FileSystem.makeDirectory(directory)
        try FileSystem.replace(path, with: bytes)
    }
}

import HostSystem

/// A directory of segments that is read without a playlist.
enum SegmentDirectory {
    /// Returns the names of the files in a directory in natural order, without hidden files, directories, pipes and
    /// devices.
    ///
    /// Dangling links are included, so that reading them reports the missing file.
    static func fileNames(in directory: String) throws(InputError) -> [String] {
        let names: [String]
        do throws(SystemError) {
            names = try FileSystem.names(in: directory)
        } catch {
            throw .unreadable(directory, reason: "cannot be listed: \(error.reason)")
        }
        return names.filter { !$0.hasPrefix(".") && mayBeFile("\(directory)/\($0)") }
            .sorted(by: NaturalOrder.precedes)
    }

    private static func mayBeFile(_ path: String) -> Bool {
        do throws(SystemError) {
            return try FileSystem.kind(of: path) == .regularFile
        } catch {
            return true
        }
    }
}

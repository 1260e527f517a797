import HostSystem

/// A directory of segments without a playlist that counts.
enum SegmentDirectory {
    /// The names of the files in a directory in natural order; hidden ones, directories, pipes and devices are left out.
    ///
    /// A link that leads nowhere is among them: whoever reads it learns that the file is missing.
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

import Foundation

/// The paths of the project and its test data on this machine.
public enum Project {
    /// The folder of the package manifest.
    public static let root: String = {
        var folder = URL(fileURLWithPath: #filePath)
        repeat {
            folder.deleteLastPathComponent()
        } while folder.path != "/"
            && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        return folder.path
    }()

    /// The committed synthetic stream.
    public static let demo = root + "/media/demo"

    /// The folder of third-party files, from `DTVR_CORPUS` or next to the project; nil if it is missing.
    public static let corpus: String? = {
        let named = ProcessInfo.processInfo.environment["DTVR_CORPUS"]
        let path = named ?? URL(fileURLWithPath: root).deletingLastPathComponent().path + "/shared/corpus"
        return FileManager.default.fileExists(atPath: path + "/MANIFEST.md") ? path : nil
    }()

    /// The folder of third-party call logs, from `DTVR_TRACES` or next to the project; nil if it is missing.
    public static let traces: String? = {
        let named = ProcessInfo.processInfo.environment["DTVR_TRACES"]
        let path = named ?? URL(fileURLWithPath: root).deletingLastPathComponent().path + "/shared/traces"
        return FileManager.default.fileExists(atPath: path + "/MANIFEST.md") ? path : nil
    }()
}

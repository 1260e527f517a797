import Foundation

/// Where the project and what its tests read lie on this machine.
public enum Project {
    /// The folder with the manifest.
    public static let root: String = {
        var folder = URL(fileURLWithPath: #filePath)
        repeat {
            folder.deleteLastPathComponent()
        } while folder.path != "/"
            && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path)
        return folder.path
    }()

    /// The synthetic stream that is committed.
    public static let demo = root + "/media/demo"

    /// The folder of third-party files, from `DTVR_CORPUS` or beside the project; nil where there is none.
    public static let corpus: String? = {
        let named = ProcessInfo.processInfo.environment["DTVR_CORPUS"]
        let path = named ?? URL(fileURLWithPath: root).deletingLastPathComponent().path + "/shared/corpus"
        return FileManager.default.fileExists(atPath: path + "/MANIFEST.md") ? path : nil
    }()

    /// The folder of other people's logs of calls, from `DTVR_TRACES` or beside the project; nil where there is none.
    public static let traces: String? = {
        let named = ProcessInfo.processInfo.environment["DTVR_TRACES"]
        let path = named ?? URL(fileURLWithPath: root).deletingLastPathComponent().path + "/shared/traces"
        return FileManager.default.fileExists(atPath: path + "/MANIFEST.md") ? path : nil
    }()
}

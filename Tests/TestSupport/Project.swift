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

    /// The tool that `DTVR_TEST_TOOL` names, or the one beside the program that runs the tests.
    public static let tool: String = {
        if let named = ProcessInfo.processInfo.environment["DTVR_TEST_TOOL"] { return named }
        let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let besideRunner = runner.deletingLastPathComponent().appendingPathComponent("dtvr").path
        if FileManager.default.isExecutableFile(atPath: besideRunner) { return besideRunner }
        return root + "/.build/debug/dtvr"
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

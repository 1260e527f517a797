import Foundation
import Testing

/// The reference reports in `Golden/`; DTVR_UPDATE_GOLDEN=1 rewrites them.
enum Golden {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    static func expect(
        _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = folder.appending(path: name)
        if ProcessInfo.processInfo.environment["DTVR_UPDATE_GOLDEN"] == "1" {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == golden, "differs from Golden/\(name)", sourceLocation: sourceLocation)
    }
}

import Foundation
import TestSupport

extension TemporaryFolder {
    /// Returns the records that a collector has stored in a subfolder, in order.
    func records(of name: String) throws -> [[String: Any]] {
        let folder = path + "/" + name
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        return try files.filter { $0.hasPrefix("tags-") }.flatMap { file in
            try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8).split(separator: "\n")
                .compactMap { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
        }
    }
}
